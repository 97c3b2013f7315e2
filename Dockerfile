# One image for web, worker, beat and migrations; docker-compose.yml says who runs what.

FROM python:3.13-slim-bookworm AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/venv
ARG REQUIREMENTS=base
COPY requirements /tmp/requirements
# Tests that packages bring along are 95 MB.
RUN /opt/venv/bin/pip install --require-hashes --no-deps -r /tmp/requirements/${REQUIREMENTS}.txt \
    && find /opt/venv/lib -type d -name tests -prune -exec rm -rf {} +

FROM python:3.13-slim-bookworm
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    MALLOC_ARENA_MAX=2 \
    DJANGO_SETTINGS_MODULE=evalsite.settings \
    EVALSITE_HOST=0.0.0.0 \
    EVALSITE_DATA=/srv/evalsite/data \
    EVALSITE_STORAGE=/srv/evalsite/uploads
RUN useradd --uid 10001 --create-home --shell /usr/sbin/nologin evalsite \
    && install -d -o evalsite -g evalsite /srv/evalsite /srv/evalsite/data /srv/evalsite/uploads /srv/evalsite/collected
WORKDIR /srv/evalsite
COPY --from=build /opt/venv /opt/venv
COPY manage.py ./
COPY evalsite evalsite
COPY evaluations evaluations
COPY templates templates
COPY static static
RUN python -m compileall -q evalsite evaluations
USER evalsite
# The key is for this one command; without it, a real one would be made and stay in the image.
# The checks import every page, so that an image in which a package is missing is not made.
RUN export EVALSITE_SECRET_KEY=a-key-for-this-command-only-so-that-no-real-one-stays-here \
    && python manage.py check \
    && python manage.py collectstatic --noinput --verbosity 0
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=6s --start-period=20s CMD ["python", "-m", "evalsite.probe", "http://127.0.0.1:8000/healthz"]
CMD ["sh", "-c", "python manage.py check --deploy --tag schema --tag broker && exec python -m evalsite.server"]
