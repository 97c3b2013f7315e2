"""How gunicorn serves the pages: `gunicorn -c python:evalsite.gunicorn`."""

import os

from django.conf import settings

from evalsite.lifeline import die_with
from evalsite.patience import announce_close

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")

wsgi_app = "evalsite.wsgi"
bind = f"{settings.HOST}:{settings.PORT}"
worker_class = "evalsite.patience.Worker"
workers = 1
threads = 16
timeout = 120
graceful_timeout = 5
keepalive = 5
control_socket_disable = True
# Heartbeats on a disk that is slow for a moment would look like a dead worker.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None
logconfig_dict = settings.LOGGING


def post_fork(server, worker) -> None:
    die_with(worker.ppid)


def pre_request(worker, request) -> None:
    announce_close(request)


def post_request(worker, request, environ, response) -> None:
    """What is left of a body is read by gunicorn, which has a patience of its own."""
    request.unreader.sock = request.unreader.sock.sock
