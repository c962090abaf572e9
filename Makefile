# make match   environment, install, a real match between a Python and a C bot
# make test    most tests, some four to eight minutes on two cores, without daemons
# make lint    format, style, types, and which folder imports which
# make bare    the same where no sandbox is to be found, as root and as an ordinary user
# make ci      every test, many on far more cases; every sandbox, the zoo of hostile bots,
#              PostgreSQL; as root it installs what of these is missing
# make docs    the pages of docs/, with those of the packages, in docs/_build
# make soak    for a long evening: thousands of matches and mutations, printed as they go
# make schemas writes the JSON Schemas anew, after a change of a message or of what --json prints

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.installed
# two tests at a time; those of ALONE look at all that runs on the machine, want a core to themselves,
# or start daemons
SHARED := -n 2 --dist worksteal
ALONE  := $(patsubst %,tests/%.py,doctor/test_doctor $(addprefix ladder/cluster/test_,odd_machines partitions) \
	$(addprefix play/test_,host_faults settling) $(addprefix sandbox/test_,\
	builds choose container copies count_process memory_channel spare_groups walls watchdog zoo))
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet --no-input

.PHONY: match test bare ci servers soak lint schemas docs clean
.SILENT:
# compiled once: the tests start hundreds of processes of ours
unexport PYTHONDONTWRITEBYTECODE

match: $(READY)
	$(BIN)/referee match sample:greedy sample:first-c --game briscola-2

test: $(READY)
	$(BIN)/pytest -q $(SHARED) $(LESS)

# .ci/run calls this before `make ci` installs anything
bare:
	.ci/bare

ci: $(VENV)/.web lint docs servers
	REFEREE_NO_SKIP=1 $(BIN)/pytest -q --thorough $(SHARED) $(ALONE:%=--ignore=%)
	REFEREE_NO_SKIP=1 $(BIN)/pytest -q --thorough $(ALONE)

# bubblewrap, Chromium, ip, a Docker daemon and PostgreSQL's server (the tests start both), and the languages of
# the kits that `referee new` copies; packages of Debian and its like, where PostgreSQL is told not to make
# a server that always runs
servers:
	wanted="$$(command -v bwrap > /dev/null || echo bubblewrap) $$(command -v dockerd > /dev/null || echo docker.io)"; \
	wanted="$$wanted $$(ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || command -v initdb > /dev/null || echo postgresql)"; \
	wanted="$$wanted $$(command -v chromium > /dev/null || echo chromium)"; \
	wanted="$$wanted $$(command -v ip > /dev/null || echo iproute2)"; \
	for kit in g++:g++ rustc:rustc go:golang-go javac:default-jdk-headless node:nodejs ruby:ruby \
	    lua5.4:lua5.4 mcs:mono-mcs mono:mono-runtime; do \
	    command -v "$${kit%%:*}" > /dev/null || wanted="$$wanted $${kit#*:}"; \
	done; \
	if [ -n "$$(echo $$wanted)" ]; then \
	    if [ "$$(id -u)" != 0 ]; then echo "make ci needs:" $$wanted >&2; exit 1; fi; \
	    echo "installing" $$wanted ...; \
	    export DEBIAN_FRONTEND=noninteractive; \
	    apt-get -qq update || exit 1; \
	    case "$$wanted" in *postgresql*) \
	        apt-get -qq install -y postgresql-common > /dev/null || exit 1; \
	        pg_conftool /etc/postgresql-common/createcluster.conf set create_main_cluster false || exit 1;; \
	    esac; \
	    apt-get -qq install -y $$wanted > /dev/null; \
	fi

soak: $(READY)
	$(BIN)/python tests/soak.py

lint: $(READY)
	$(BIN)/ruff format --quiet --check .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy --no-error-summary
	$(BIN)/lint-imports --no-logo > $(VENV)/imports.log || { cat $(VENV)/imports.log; exit 1; }
	$(BIN)/pytest -q -k schemas_are_current tests/protocol/test_schema.py tests/commands/test_json_schemas.py \
	    > $(VENV)/schemas.log || { cat $(VENV)/schemas.log; echo "run: make schemas" >&2; exit 1; }

schemas: $(READY)
	for of in protocol.schema referee.commands.json_schemas ladder.commands.json_schemas; do \
	    $(BIN)/python -m $$of || exit 1; \
	done

# every link between pages has to lead somewhere: a warning is an error
docs: $(VENV)/.docs
	$(BIN)/sphinx-build -W --keep-going --quiet --fresh-env docs docs/_build
	echo "pages: docs/_build/index.html"

clean:
	rm -rf docs/_build $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/.web: $(READY) tests/requirements.lock
	$(PIP) install --require-hashes -r tests/requirements.lock
	touch $@

$(VENV)/.docs: $(READY) docs/requirements.lock
	$(PIP) install --require-hashes -r docs/requirements.lock
	touch $@

$(READY): requirements.lock pyproject.toml $(wildcard referee/native/*.c) referee/native/build_hook.py
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 ..." >&2; exit 1; }
	echo "making the environment $(VENV) ..."
	$(PYTHON) -m venv $(VENV)
	echo "installing what requirements.lock names, some 90 packages ..."
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	touch $@
