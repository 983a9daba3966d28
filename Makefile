# One entry point per task. Every target sets up .venv first; a finished set-up costs nothing.
# PYTHON=...  interpreter to create .venv with      PY=...  use this interpreter as it is, no set-up
# WORKERS=2   pytest processes                      ARGS=   extra arguments for pytest / ruff
# REASON=     why the public API changed, for api-spec
.DEFAULT_GOAL := help
SHELL := /usr/bin/env bash

WORKERS ?= 2
ARGS ?=
REASON ?=
PYTHON ?=
export PYTHON
STAMP := .venv/.ready
ifdef PY
READY :=
else
PY := .venv/bin/python
READY := $(STAMP)
endif

# one thread per worker: two workers on two cores, not four threads fighting for them
PYTEST := OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 $(PY) -m pytest

.PHONY: help setup quickstart mnist clients test test-all test-variation lint format fuzz bench
.PHONY: lite-c lite-demo lite-wheel
.PHONY: bad-calls board capi docs api-spec wheel clean
.PHONY: hooks lint-format lint-rules lint-baseline lint-types lint-imports
help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(READY) ## create .venv and install everything (done already: nothing happens)

$(STAMP): pyproject.toml scripts/setup_env.sh
	@bash scripts/setup_env.sh
	@touch $@

mnist: ## fetch real MNIST into ~/.cache/paddle/dataset/mnist
	@bash scripts/fetch_mnist.sh

clients: $(READY) ## fetch the client libraries that slow tests run into .venv/clients
	@PY=$(PY) bash scripts/fetch_clients.sh

quickstart: $(READY) mnist ## set up, fetch MNIST, train LeNet to 98 %
	$(PY) examples/quickstart.py

test: $(READY) ## the suite without the tests marked slow, in parallel
	$(PYTEST) -q -n $(WORKERS) --dist worksteal -m "not slow" $(ARGS)

test-all: $(READY) ## the whole suite, in parallel
	$(PYTEST) -q -n $(WORKERS) --dist worksteal $(ARGS)

test-variation: $(READY) ## the whole suite as another machine would run it, in turn (VARIATION=0..)
	$(PY) scripts/run_variation.py $(ARGS)

# The hooks of .pre-commit-config.yaml are the parts of `lint`, which a test compares.
lint: lint-format lint-rules lint-baseline lint-types lint-imports ## format, lint, types, import contract (changes nothing)

lint-format: $(READY)
	$(PY) -m ruff format --check .

lint-rules: $(READY)
	$(PY) -m ruff check .

lint-baseline: $(READY)
	$(PY) scripts/lint_baseline.py

lint-types: $(READY)
	$(PY) -m mypy

lint-imports: $(READY)
	$(PY) -c "import sys; from importlinter.cli import lint_imports_command as c; sys.exit(c(['--no-cache']))"
	$(PY) -c "import os, sys; os.chdir('lite'); from importlinter.cli import lint_imports_command as c; sys.exit(c(['--no-cache']))"

hooks: $(READY) ## let git run the parts of `lint` before each commit
	$(PY) -m pre_commit install

format: $(READY) ## apply the formatter and the safe fixes
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

board: $(READY) mnist ## train LeNet with everything logged and show it in a browser (ARGS="--port 8050")
	OMP_NUM_THREADS=1 $(PY) examples/visualdl_board.py $(ARGS)

fuzz: $(READY) ## damaged files, failing disks, kills, at length (ARGS="--count 20000 --seed 7")
	OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 $(PY) -m tests.fuzz $(ARGS)

bad-calls: $(READY) ## every public callable with nonsense for each argument (ARGS="--only nn.GRU")
	OMP_NUM_THREADS=1 $(PY) scripts/bad_calls.py $(if $(ARGS),$(ARGS),--all)

bench: $(READY) ## measure beside plain torch and print the ratios (ARGS="--quick --only eager")
	$(PY) -m benchmarks $(ARGS)

docs: $(READY) ## write docs/coverage.md: which names of the 2.0 and 1.x APIs exist
	$(PY) scripts/make_coverage.py

api-spec: export REASON := $(REASON)
api-spec: $(READY) ## write docs/API.spec: every public name with its signature (REASON="why it changed")
	@OMP_NUM_THREADS=1 $(PY) scripts/make_api_spec.py --reason "$$REASON"

wheel: $(READY) ## build dist/pypaddle-*-py3-none-any.whl
	@rm -rf build  # a stale copy of a removed file must not get into the wheel
	$(PY) -m pip wheel . --no-deps --quiet --disable-pip-version-check --wheel-dir dist
	@ls dist/pypaddle-*-py3-none-any.whl

capi: $(READY) ## build the C and C++ library of inference into dist/capi (ARGS="--output /opt/paddle")
	$(PY) -m paddle.inference.capi.build $(ARGS)

lite-c: $(READY) ## build the C library of paddlelite and its demo into lite/build (ARGS="--arch aarch64")
	$(PY) lite/build.py $(ARGS)

lite-wheel: $(READY) ## build the wheel of paddlelite for this platform into dist
	$(PY) lite/build.py --wheel --out dist

lite-demo: $(READY) mnist ## train LeNet, write its .nb with int8 weights, answer from C
	OMP_NUM_THREADS=1 $(PY) examples/lite/mnist_in_c.py $(ARGS)

clean: ## remove what builds and tests wrote; .venv stays
	rm -rf build dist *.egg-info .pytest_cache .ruff_cache .mypy_cache .import_linter_cache output
	find paddle visualdl tests scripts examples -name __pycache__ -type d -prune -exec rm -rf {} +
