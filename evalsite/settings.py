"""Django's settings. The variables that change them are in `environment.py` and docs/configuration.md."""

import gc
import os
from datetime import timedelta
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from kombu.entity import Queue

from evalsite import __version__, addresses, environment, logs, rest, stores
from evalsite.environment import at_least, called_hosts, choice, read, secret, way_out
from evaluations import task_names

# A start makes a million objects that stay; to look for garbage among them so often takes a fifth of its time.
gc.set_threshold(10_000)

VERSION = __version__
PACKAGE = Path(__file__).resolve().parent
INSTALLED = (PACKAGE / "_templates").is_dir()  # installed from a wheel, which contains templates/ and static/
TEMPLATE_DIR = PACKAGE / "_templates" if INSTALLED else PACKAGE.parent / "templates"
STATIC_DIR = PACKAGE / "_static" if INSTALLED else PACKAGE.parent / "static"
DOCS_DIR = PACKAGE / "_docs" if INSTALLED else PACKAGE.parent / "docs"

DATA = environment.folder(read("EVALSITE_DATA") or (Path.cwd() if INSTALLED else PACKAGE.parent) / "var")
UNKNOWN_VARIABLES = environment.unknown()

DEBUG = read("EVALSITE_DEBUG")
GIVEN_SECRET_KEY = secret("EVALSITE_SECRET_KEY")
SECRET_KEY = GIVEN_SECRET_KEY or environment.key_kept_in(DATA / "secret-key")
SECRET_KEY_FALLBACKS = [key for key in secret("EVALSITE_SECRET_KEY_FALLBACKS").split(",") if key]

# The address at which `evalsite up` listens, and the public one, which differs behind a proxy.
HOST = read("EVALSITE_HOST")
PORT = environment.port("PORT")
GIVEN_URL = addresses.public(read("EVALSITE_URL"))
URL = GIVEN_URL or f"http://localhost:{PORT}"
PATH = urlsplit(URL).path  # below which the site is, such as /evals; mostly empty
ORIGIN = URL.removesuffix(PATH)
FORCE_SCRIPT_NAME = PATH or None
HTTPS = URL.startswith("https://")
PASSKEYS = HTTPS  # browsers bind passkeys to the host name, and offer them with https only
# the machine's own names are for health checks
ALLOWED_HOSTS = [*read("EVALSITE_ALLOWED_HOSTS"), urlsplit(URL).hostname, "localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = [ORIGIN]
CALLERS = at_least(1, "EVALSITE_CALLERS")  # child processes that call model servers
WORKERS = at_least(0, "EVALSITE_WORKERS")  # 0: one for each core
WEB_PROCESSES = at_least(1, "EVALSITE_WEB_PROCESSES")

INSTALLED_APPS = [
    "whitenoise.runserver_nostatic",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.forms",  # its templates of widgets
    "evalsite.staticfiles.WantedFiles",
    "axes",
    "csp",
    "django_htmx",
    "drf_spectacular",
    "rest_framework",
    "template_partials",
    "evalsite",
    "evaluations",
]
if not INSTALLED and (PACKAGE.parent / "benchmarks").is_dir():
    # a checkout can run benchmarks; the wheel and the image do not contain them
    INSTALLED_APPS.append("benchmarks")

MIDDLEWARE = [
    "evaluations.web.site.middleware.below_path",
    "evaluations.web.site.middleware.request_id",
    "evaluations.web.site.metrics.measured",
    "evaluations.web.site.middleware.probes",
    "evaluations.api.middleware.json_errors",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "evaluations.web.site.middleware.never_stored",
    "evaluations.web.site.middleware.CompressPages",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    # Pages require sign-in unless the view says @login_not_required; API views authenticate by themselves.
    "evaluations.web.site.middleware.SignInFirst",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "evaluations.web.page_tools.recent.remember",
    "axes.middleware.AxesMiddleware",
    "evaluations.web.site.audited.Audited",
    "evaluations.web.site.middleware.Refusals",
    "evaluations.web.site.sent_once.sent_once",
]

ROOT_URLCONF = "evalsite.urls"
WSGI_APPLICATION = "evalsite.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [TEMPLATE_DIR],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "evaluations.web.page_tools.frame.switcher",
                "evaluations.web.site.health.disk",
            ],
            "builtins": ["evaluations.templatetags.kit", "evaluations.templatetags.money"],
        },
    },
]

FORM_RENDERER = "evaluations.web.forms.renderer.Renderer"

DATABASES = {"default": stores.database(secret("DATABASE_URL"), DATA)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Uploaded files wait in the default storage until a worker imports them.
STORAGE = read("EVALSITE_STORAGE")
MEDIA_ROOT = DATA / "uploads" if STORAGE.startswith("s3://") or not STORAGE else Path(STORAGE).resolve()
# beside the storage, so that an upload is renamed instead of copied
FILE_UPLOAD_TEMP_DIR = environment.folder(MEDIA_ROOT / "incoming")
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_HANDLERS = [
    "evaluations.imports.uploads.hashed_upload.SmallUpload",
    "evaluations.imports.uploads.hashed_upload.HashedUpload",
]
DATA_UPLOAD_MAX_MEMORY_SIZE = 32 * 1024 * 1024

STORAGES = {
    "default": stores.storage(STORAGE),
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage",
        "OPTIONS": {"file_permissions_mode": 0o644, "directory_permissions_mode": 0o755},
    },
}
STATIC_URL = f"{PATH}/static/"
STATICFILES_DIRS = [STATIC_DIR]
# An image brings its collected files along, because its data folder is empty memory.
COLLECTED = PACKAGE.parent / "collected"
STATIC_ROOT = COLLECTED if COLLECTED.is_dir() else DATA / "static"
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

# Accounts.
LOGIN_URL = f"{PATH}/signin/"
LOGIN_REDIRECT_URL = f"{PATH}/"
LOGOUT_REDIRECT_URL = LOGIN_URL
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
    for name, options in {
        "UserAttributeSimilarityValidator": {},
        "MinimumLengthValidator": {"min_length": 10},
        "CommonPasswordValidator": {},
        "NumericPasswordValidator": {},
    }.items()
]
AUTH_PASSWORD_VALIDATORS.append({"NAME": "evaluations.access.passwords.MaximumLength"})
AXES_FAILURE_LIMIT = 6
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_CALLABLE = "evaluations.web.accounts.signin.locked"
AXES_RESET_ON_SUCCESS = True
AXES_CLIENT_IP_CALLABLE = "evaluations.access.addresses.client_network"
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False

# Sign-in by OpenID Connect: needs an issuer and the extra `oidc`, see evaluations/web/accounts/oidc.py.
OIDC_ISSUER = read("EVALSITE_OIDC_ISSUER").rstrip("/")
OIDC_NAME = read("EVALSITE_OIDC_NAME")
OIDC_DOMAINS = [domain.lower() for domain in read("EVALSITE_OIDC_DOMAINS")]
OIDC_CLIENT = {"client_id": read("EVALSITE_OIDC_CLIENT_ID"), "secret": secret("EVALSITE_OIDC_CLIENT_SECRET")}
OIDC = bool(OIDC_ISSUER) and find_spec("allauth") is not None
# Accounts are matched by this and the issuer's id, so another issuer cannot impersonate them.
OIDC_ID = f"oidc-{sha256(OIDC_ISSUER.encode()).hexdigest()[:12]}"
if OIDC:
    INSTALLED_APPS += [
        "allauth",
        "allauth.account",
        "allauth.socialaccount",
        "allauth.socialaccount.providers.openid_connect",
    ]
    MIDDLEWARE.append("allauth.account.middleware.AccountMiddleware")
    OIDC_OPTIONS = {"server_url": OIDC_ISSUER, "oauth_pkce_enabled": True}
    OIDC_APP = OIDC_CLIENT | {"provider_id": OIDC_ID, "name": OIDC_NAME, "settings": OIDC_OPTIONS}
    SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [OIDC_APP]}}
    SOCIALACCOUNT_ADAPTER = "evaluations.web.accounts.oidc.Adapter"
    SOCIALACCOUNT_LOGIN_ON_GET = True  # our own view accepts POST only

# Security headers and cookies.
TRUSTED_PROXIES = at_least(0, "EVALSITE_TRUSTED_PROXIES")
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
# Only behind a proxy that forwards the scheme of requests; probes of the container use HTTP.
SECURE_SSL_REDIRECT = HTTPS and TRUSTED_PROXIES > 0
SECURE_REDIRECT_EXEMPT = ["(^|/)(healthz|readyz|metrics)$"]
# Other subdomains, and preload lists of browsers, are for the owner of the domain to decide.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SESSION_ENGINE = "evaluations.access.sessions"
SESSION_COOKIE_AGE = at_least(1, "EVALSITE_SESSION_HOURS") * 3600  # seconds after a sign-in
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = COOKIE_PATH = f"{PATH}/"
# Names of this address, because cookies ignore ports and those of / are sent to /evals too. A browser accepts the
# first prefix only for the whole host.
COOKIE_PREFIX = ("__Secure-" if PATH else "__Host-") if HTTPS else ""
COOKIE_SUFFIX = sha256(URL.encode()).hexdigest()[:8]
SESSION_COOKIE_NAME = f"{COOKIE_PREFIX}session-{COOKIE_SUFFIX}"
CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}csrf-{COOKIE_SUFFIX}"
CSRF_FAILURE_VIEW = "evaluations.web.site.stale.stale_form"
MESSAGE_STORAGE = "evaluations.web.site.notices.Notices"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "object-src": [NONE],
    },
}

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

# The API.
REST_FRAMEWORK = rest.FRAMEWORK
SPECTACULAR_SETTINGS = rest.DOCUMENT | ({"SERVERS": [{"url": URL}]} if PATH else {})
EVALSITE_PROJECT_QUEUE = at_least(
    0, "EVALSITE_PROJECT_QUEUE"
)  # runs and files of a project that may wait at once
EVALSITE_FILE_ROWS = at_least(1, "EVALSITE_FILE_ROWS")
EVALSITE_FILE_MB = at_least(1, "EVALSITE_FILE_MB")
EVALSITE_API_RATE = at_least(0, "EVALSITE_API_RATE")  # calls per minute with one key
EVALSITE_PROMPT_RATE = at_least(0, "EVALSITE_PROMPT_RATE")  # prompts by name per minute with one key
# Whether everybody may create projects, or only administrators of the site.
EVALSITE_PROJECT_CREATION = read("EVALSITE_PROJECT_CREATION")
PROVIDER_ALLOWED_HOSTS = called_hosts()
EVALSITE_WAY_OUT = way_out()  # the proxy and the certificates of calls to model servers and webhooks

# What is deleted when it is old.
# days after which entries of the audit log are deleted; 0 keeps all
EVALSITE_AUDIT_DAYS = at_least(0, "EVALSITE_AUDIT_DAYS")
# megabytes beyond which the oldest cached answers are deleted
EVALSITE_ANSWERS_MB = at_least(0, "EVALSITE_ANSWERS_MB")
# megabytes beyond which the oldest stored vectors are deleted
EVALSITE_EMBEDDINGS_MB = at_least(0, "EVALSITE_EMBEDDINGS_MB")
EVALSITE_CACHE_MB = at_least(0, "EVALSITE_CACHE_MB")  # megabytes of all caches in the memory of a process

# Workers. The database is the queue and Celery only carries hints, so a lost message costs seconds and no data:
# no result backend, no revoke, no ETA, and never more than one message per worker.
# Half of the workers stay free for small files and scoring, however many large files wait.
LARGE_IMPORTS = max(1, (WORKERS or os.cpu_count() or 1) // 2)
EVALSITE_IN_FLIGHT = at_least(
    1, "EVALSITE_IN_FLIGHT"
)  # calls of model servers that a worker process makes at once
SWEEP_EVERY = 15.0  # seconds between two sweeps, which free the work of lost workers
EVALSITE_LEASE = at_least(1, "EVALSITE_LEASE")  # seconds until the work of a lost worker is given to another
FAIL_AT = read("EVALSITE_FAIL_AT")  # for tests: die at this commit point, see evaluations/commit_points.py
BROKER_FILE = DATA / "broker-url"  # written by `evalsite up`, so that other commands find its private Redis
ADDRESS_FILE = DATA / "address"  # likewise, so that links made in another terminal have the port of the site
GIVEN_BROKER_URL = stores.broker(secret("BROKER_URL"))
CELERY_BROKER_URL = GIVEN_BROKER_URL or (BROKER_FILE.read_text() if BROKER_FILE.exists() else "")
REDIS_URL = CELERY_BROKER_URL.replace("redis+socket://", "unix://", 1)
CACHES = {"default": stores.cache(REDIS_URL)}
CACHE_IS_SHARED = stores.is_redis(REDIS_URL)  # by all processes
USES_FILES = CELERY_BROKER_URL.startswith("filesystem:")  # without Redis, messages are files
CELERY_BROKER_TRANSPORT_OPTIONS = (
    stores.files_as_broker(environment.folder(DATA / "queue")) if USES_FILES else stores.REDIS_AS_BROKER
)
# A worker reads its queues in turn; one that is given none reads all of them.
CELERY_TASK_QUEUES = [Queue(name, routing_key=name) for name in sorted(set(task_names.QUEUES.values()))]
CELERY_TASK_ROUTES = {task: {"queue": name} for task, name in task_names.QUEUES.items()}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_IGNORE_RESULT = True
# A worker takes a message when a process is free, and acknowledges it at once: it is only a hint, and the database
# knows what was begun. kombu would end a worker that still holds a message when Redis goes away.
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_DISABLE_PREFETCH = not USES_FILES
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SOFT_TIME_LIMIT = 90
CELERY_TASK_TIME_LIMIT = 120
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_TASKS_PER_CHILD = 200
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 500_000  # KiB
# Events for Flower and other dashboards; the broker drops them when nobody listens.
CELERY_WORKER_SEND_TASK_EVENTS = not USES_FILES
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_WORKER_CONCURRENCY = 1 if USES_FILES else WORKERS or None
# Child processes of workers of these queues; `evalsite/celery.py` applies them.
QUEUE_CONCURRENCY = {"calls": 1 if USES_FILES else CALLERS, "sweeps": 1}
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA / "beat-schedule")
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": task_names.SWEEP, "schedule": SWEEP_EVERY, "options": {"expires": SWEEP_EVERY}},
}

METRICS_TOKEN = environment.token("EVALSITE_METRICS_TOKEN")

# Logs: one line each on stdout.
LOG_FORMAT = choice("EVALSITE_LOG_FORMAT", "text", "json")
LOGGING = logs.configuration(
    LOG_FORMAT,
    choice("EVALSITE_LOG_LEVEL", "DEBUG", "INFO", "WARNING", "ERROR"),
)
