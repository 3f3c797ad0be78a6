# Set-up and checks, all inside .venv. Needs python3 (3.11 or newer), make and a network.
# FACETWISE_DATA, from the environment or the command line, reaches every command.

PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python

# Tests run one to a core: threads of BLAS on top of that only wait for one another.
export OPENBLAS_NUM_THREADS ?= 1

# A benchmark is a script; files that start with an underscore are shared by them.
BENCHMARKS := $(filter-out benchmarks/_%,$(wildcard benchmarks/*.py))
SIZE :=

# Servers that `make test-servers` starts, each in an environment in the user's cache.
SERVERS ?= mlserver mlflow

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-servers check format docs notebooks benchmarks nightly \
        reproduce clean \
        $(BENCHMARKS)

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/.run ## audit a lender's hidden model on this machine
	$(PY) -m facetwise demo

test: $(VENV)/.test ## run the tests in parallel
	$(PY) -m pytest -n auto

test-servers: $(VENV)/.test ## explain models behind real servers, SERVERS="mlserver mlflow"
	FACETWISE_SERVERS="$(SERVERS)" $(PY) -m pytest tests/real_servers

check: $(VENV)/.dev ## format, lint, types, tests
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(PY) -m pytest -n auto

format: $(VENV)/.dev ## rewrite the code in the house format
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

docs: $(VENV)/.docs ## build the site strictly, into build/docs
	$(PY) -m sphinx --fail-on-warning --keep-going --quiet docs build/docs
	@echo "build/docs/index.html"

notebooks: $(VENV)/.test ## run the notebooks anew, and keep what they show
	$(PY) docs/notebooks/execute.py

benchmarks: SIZE := --quick
benchmarks: $(BENCHMARKS) ## run every benchmark, quick settings
nightly: SERVERS := mlserver mlflow mosec pytriton
nightly: $(BENCHMARKS) test-servers notebooks ## every benchmark in full, all servers, notebooks
$(BENCHMARKS): $(VENV)/.dev
	$(PY) $@ $(SIZE)

# The extra for tests, as it names a PyTorch that comes as a CPU build.
reproduce: $(VENV)/.test ## the paper's tables and figures; ARGS="--instances 50" for less
	$(PY) -m facetwise.reproduce $(ARGS)

clean: ## remove .venv and everything else that can be made again
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# Each set-up leaves a stamp, and is done again only when pyproject.toml changes.

$(VENV)/.run:  EXTRA := [demo]
$(VENV)/.test: EXTRA := [test]
$(VENV)/.dev:  EXTRA := [dev]
$(VENV)/.docs: EXTRA := [docs]
$(VENV)/.run $(VENV)/.test $(VENV)/.dev $(VENV)/.docs: pyproject.toml | $(VENV)/.made
	$(PY) -m pip install --quiet --editable '.$(EXTRA)'
	@touch $@

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "facetwise needs Python 3.11 or newer, and '$(PYTHON)' is not:" \
	       "name one that is, as in 'make test PYTHON=python3.12'." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@
