# Every target works from a fresh clone and needs no root. `make help` lists them.

MAKEFLAGS += --no-print-directory
unexport VIRTUAL_ENV PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE CONDA_PREFIX
# Where the system keeps its certificates uv trusts those, as pip does: a company's own authority is only there.
ifneq ($(wildcard /etc/ssl/certs/ca-certificates.crt),)
UV_SYSTEM_CERTS ?= true
export UV_SYSTEM_CERTS
endif

PYTHON := .venv/bin/python
TYPED = $(wildcard evalrouter cli/evalrouter_cli server/evalrouter_server tests perf examples scripts docs/conf.py)
# Many tests wait for a clock or another process: three share two cores well. Those of one file stay together.
WORKERS = -n 3 --dist loadfile
MEASURES = startup import_time sdk harnesses gateway run_throughput ledger balances budget capture ingest langsmith_import simulation
LOCK_INPUTS = pyproject.toml cli/pyproject.toml server/pyproject.toml
LOCK_FLAGS = --universal --python-version 3.12 --generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links \
	--all-extras --group dev --group docs --custom-compile-command 'make lock' \
	--no-emit-package evalrouter --no-emit-package evalrouter-sdk --no-emit-package evalrouter-server
HARNESS_LOCKS = server/evalrouter_server/harnesses/requirements
HARNESS_LOCK_FLAGS = --universal --python-version 3.12 --generate-hashes --no-annotate --no-emit-index-url \
	--no-emit-find-links --custom-compile-command 'make lock'

.DEFAULT_GOAL := help
.PHONY: help setup demo test soak check fmt regen docs build perf lock snapshot clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-8s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: ## Make .venv from requirements.lock and this checkout (the other targets do it themselves)
	@scripts/setup

demo: setup ## Evaluate a small real model on this machine: first-steps, then 20 tasks of GSM8K
	@scripts/demo

test: setup ## Run the test suite
	$(PYTHON) -m pytest -m "not soak" $(WORKERS) $(ARGS)

soak: setup ## Run the long matrix of tests and note the outcome in docs/evidence.md
	$(PYTHON) scripts/soak.py $(ARGS)

check: setup ## Check format, lint, types and the REST contract
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .
	$(PYTHON) -m mypy $(TYPED)
	$(PYTHON) -m openapi_spec_validator openapi.yaml

fmt: setup ## Format the code and apply the safe lint fixes
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .

regen: setup ## Generate the client, the server's models and the sync twin again
	scripts/regen

docs: setup ## Build the documentation into docs/_build/html, warnings as errors
	$(PYTHON) -m sphinx -W --keep-going -q -b html docs docs/_build/html

build: setup ## Build wheels and sdists of the three distributions into dist/
	rm -rf dist
	for folder in . cli server; do $(PYTHON) -m build --no-isolation --outdir dist $$folder || exit 1; done

perf: setup ## Measure ourselves beside our peers (about 40 minutes; makes the peers' environments in .peers)
	@failed=; for measure in $(MEASURES); do echo; echo "== $$measure"; $(PYTHON) perf/$$measure.py || failed="$$failed $$measure"; done; \
	if [ -n "$$failed" ]; then echo "limits missed:$$failed" >&2; exit 1; fi

lock: setup ## Resolve requirements.lock again (make lock ARGS=--upgrade for the newest versions)
	.venv/bin/uv pip compile --quiet $(LOCK_FLAGS) $(ARGS) --output-file requirements.lock $(LOCK_INPUTS)
	for harness in inspect lm-eval; do .venv/bin/uv pip compile --quiet $(HARNESS_LOCK_FLAGS) $(ARGS) \
		--output-file $(HARNESS_LOCKS)/$$harness.txt $(HARNESS_LOCKS)/$$harness.in || exit 1; done
	@scripts/setup

snapshot: setup ## Write the shipped registry of agents again: make snapshot ARGS="--registry FOLDER"
	$(PYTHON) scripts/registry_snapshot.py $(ARGS)

clean: ## Remove everything that these targets made, .venv included
	rm -rf .venv .tools .demo .peers build dist docs/_build docs/reference/contract.md .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
