# Everything that one types: make run, make test. Neither needs anything but Python, its venv module and make.

PYTHON ?= $(firstword $(foreach name,python3 python3.13 python3.12 python3.11 python3.14,$(shell $(name) -c \
	'import sys, venv; print(sys.executable) if (3, 11) <= sys.version_info < (3, 15) else None' 2>/dev/null)))
BIN := .venv/bin
# The locks are complete, and `pip check` in lint says so; pip must resolve nothing, or it meets newer releases.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps
BEAUTIFY := $(BIN)/css-beautify --indent-size=2 --end-with-newline --preserve-newlines \
	--disable-newline-between-rules --space-around-combinator
# One process more than there are processors: many tests wait for programs that they started.
PYTEST := $(BIN)/python -m pytest -q -n $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) --dist worksteal
# Tests start hundreds of programs, each of which would compile everything again.
export PYTHONDONTWRITEBYTECODE :=
# Once is enough for what uses no database, drives a browser, starts the program as it comes on a SQLite of its own, or
# shows, refuses or computes from what other rooms read and write. tests/every_route calls each page and route on
# PostgreSQL too, so it meets each query; the rooms that lock, count and write there are repeated whole.
API_REPEATED := bulk changes cursors filters idempotency labels long_outputs pages raters run_statistics search sent_scores \
	slices splits trends
COMPARISONS_REPEATED := test_comparisons test_structured test_subsets figures/test_measures
ONCE := $(foreach room,authorization charts client clients conversations ingest jsonpath mapping metrics other_tools proof \
		reading reports statistics templatetags web,tests/$(room)) \
	$(filter-out $(API_REPEATED:%=tests/api/test_%.py),$(wildcard tests/api/test_*.py)) \
	$(filter-out $(COMPARISONS_REPEATED:%=tests/comparisons/%.py), \
		$(wildcard tests/comparisons/test_*.py tests/comparisons/*/test_*.py)) \
	$(foreach part,api_docs below_path call_stack compose deployment docs generate_docs logs server settings staticfiles storage \
		supply_chain threads up web_processes wheel write_docs,tests/site/test_$(part).py) \
	$(foreach part,error_rate people sample splits,tests/gates/test_$(part).py) \
	tests/judges/test_drift.py tests/labelling/test_blind.py tests/labelling/test_facts.py tests/labelling/test_stopping.py \
	tests/results/test_round_trip.py tests/scoring/test_canaries.py tests/upkeep/test_checks.py
REPEATED := $(ONCE:%=--ignore %)
OUTSIDE := not slow and not live_server and not faults and not contract and not containers
# Without other programs, browsers and what takes seconds of a processor: nine tests of ten, in half of the time.
QUICK := $(OUTSIDE) and not processes and not browser and not long
KINDS ?= $(OUTSIDE)

.PHONY: audit containers coverage pin-images sbom slow wheels run test test-all test-sqlite test-postgresql contract docs faults interleavings lint format lock install install-dev

run: install
	@$(BIN)/python -m evalsite up

install: .venv/installed-base

install-dev: .venv/installed-dev

# What every change passes, in a quarter of an hour on two processors.
test: export KINDS := $(QUICK)
test: test-all

# Everything that CI runs. Lint has work for one processor, so the tests begin beside it.
test-all: install-dev
	@$(MAKE) --no-print-directory --jobs 2 lint test-sqlite
	@$(MAKE) --no-print-directory test-postgresql

test-sqlite: install-dev
	$(PYTEST) -m "$(KINDS)" $(ARGS)

test-postgresql: install-dev
	$(BIN)/python -m tests.postgresql $(PYTEST) $(REPEATED) -m "$(KINDS) and not browser" $(ARGS)

# Harms real sites at random moments, for a quarter of an hour on each database. Prints its seed; FAULTS_SEED=…
# repeats it, and FAULTS_MINUTES=… adds so many minutes of any faults together.
faults: export FAULTS_SEED ?= $(shell date +%s)
faults: install-dev
	$(BIN)/python -m pytest -q -m faults tests/faults $(ARGS)
	$(BIN)/python -m tests.postgresql $(BIN)/python -m pytest -q -m faults tests/faults $(ARGS)

# Builds the image and runs docker-compose.yml with it; needs Docker.
containers: install-dev
	$(BIN)/python -m pytest -q -rP -m containers tests/containers $(ARGS)

# Thousands of calls that schemathesis makes up, other ones every time unless SEED is given; minutes on each database.
contract: install-dev
	$(BIN)/python -m pytest -q -rP -m contract tests/api $(ARGS)
	$(BIN)/python -m tests.postgresql $(BIN)/python -m pytest -q -rP -m contract tests/api $(ARGS)

# Ten thousand orders of claims, deaths, sweeps and cancels, in some ten minutes; it tells how many were played.
interleavings: install-dev
	$(PYTEST) -rP -m slow tests/scoring/test_interleavings.py $(ARGS)

# Lines that no test reaches, and whether they are few enough (`fail_under` in pyproject.toml). Measuring takes more
# than twice the processor time of the tests, so a release asks for it, not every change.
coverage: install-dev
	$(PYTEST) --cov --cov-report=term:skip-covered

# Everything that takes long, for a release: simulations, generated calls, widths of pages, payloads in every name, the
# migrations one after another, and a soak of 90 minutes.
slow: install-dev
	$(BIN)/python -m pytest -q -s -m slow tests $(ARGS)

lint: install-dev
	@$(BIN)/python -m pip check --disable-pip-version-check
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	cd client && ../$(BIN)/lint-imports --config pyproject.toml
	$(BIN)/mypy
	$(BIN)/python -m tests.planted_errors
	$(BIN)/deptry .
	$(BIN)/deptry client/evalsite_client --config client/pyproject.toml
	$(BIN)/djangofmt --check templates
	$(BIN)/python manage.py write_docs --check
	@for sheet in static/css/*.css; do $(BEAUTIFY) $$sheet | diff $$sheet - || exit 1; done

# Known weaknesses of what is installed in production; asks a database in the internet.
audit: .venv/bin/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check pip-audit
	$(BIN)/python -m pip_audit --requirement requirements/base.txt --require-hashes --disable-pip --strict

# What is inside, for scanners: every locked package with its hashes, as a CycloneDX list.
sbom: install-dev
	$(BIN)/cyclonedx-py requirements requirements/base.txt --pyproject pyproject.toml --no-validate --output-reproducible --output-file sbom.json

# Whether every locked package has a wheel for Python 3.11 to 3.14 on Linux (x86-64, arm64) and macOS; needs uv.
wheels: .venv/bin/python
	$(BIN)/python deploy/check_wheels.py

# Writes the digests of base images beside their tags; needs Docker and a network.
pin-images: .venv/bin/python
	$(BIN)/python deploy/pin_images.py

format: install-dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/djangofmt templates
	@for sheet in static/css/*.css; do $(BEAUTIFY) --replace $$sheet; done

# The tables of settings, routes and error codes, and the page of the evaluators.
docs: install-dev
	$(BIN)/python manage.py write_docs

# The locks hold for every platform and carry hashes, and no address of an index.
lock:
	uv pip compile --quiet --universal --generate-hashes --no-header pyproject.toml --extra meaning --extra parquet \
		--python-version 3.11 -o requirements/base.txt
	uv pip compile --quiet --universal --generate-hashes --no-header pyproject.toml --extra meaning --extra parquet --extra oidc \
		--constraint requirements/base.txt --python-version 3.11 -o requirements/oidc.txt
	uv pip compile --quiet --universal --generate-hashes --no-header pyproject.toml --extra meaning --extra parquet --extra oidc \
		--constraint requirements/base.txt --group dev --python-version 3.11 -o requirements/dev.txt

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Evalsite needs Python 3.11 to 3.14 with its venv module." >&2; exit 1; }
	@echo "Making .venv with $(PYTHON)"
	@$(PYTHON) -m venv .venv

# The stamps say which lock was installed last; pip runs again only when the lock is newer.
.venv/installed-%: requirements/%.txt | .venv/bin/python
	@echo "Installing $<"
	@$(PIP) -r $<
	@touch $@
