# make match   environment, install, a real match between a Python and a C bot
# make test    everything that needs no daemon
# make ci      what .ci/run calls: the same with many more deals of each game
# make schemas writes the JSON Schemas anew, after a change of a message

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.installed
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet --no-input

.PHONY: match test ci lint schemas clean
.SILENT:

match: $(READY)
	$(BIN)/referee match sample:greedy sample:first-c --game briscola-2

test: lint
	$(BIN)/pytest -q

ci: lint
	$(BIN)/pytest -q --thorough

lint: $(READY)
	$(BIN)/ruff format --quiet --check .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy --no-error-summary
	$(BIN)/lint-imports --no-logo > $(VENV)/imports.log || { cat $(VENV)/imports.log; exit 1; }

schemas: $(READY)
	$(BIN)/python -c "from protocol.schema import write; write()"

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 ..." >&2; exit 1; }
	echo "making the environment $(VENV) ..."
	$(PYTHON) -m venv $(VENV)
	echo "installing what requirements.lock names, some 40 packages ..."
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	touch $@
