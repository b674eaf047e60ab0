# `make demo` and `make test` do all the set-up themselves, in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Two test processes on a small machine; one more than the cores gains nothing.
WORKERS ?= 2
NOW := $(shell date +%Y%m%d-%H%M%S)
DEMO_OUT ?= runs/demo-$(NOW)

.PHONY: help install web demo test test-all check-long lint bench league docs site notebooks notebooks-write check-rules clean

help:  ## this list
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

install: $(VENV)/.installed  ## everything into .venv, pinned by constraints.txt

# Each target installs the extras that it needs, and no more. torch first and by itself: the pinned version is a
# CPU build where one is offered.
$(VENV)/.web: EXTRAS := web
$(VENV)/.train: EXTRAS := train
$(VENV)/.test: EXTRAS := train,web,openspiel,test
$(VENV)/.installed: EXTRAS := train,web,openspiel,ray,rllib,torchrl,test,dev,docs
$(VENV)/.web $(VENV)/.train $(VENV)/.test $(VENV)/.installed: pyproject.toml constraints.txt
	@test -x $(BIN)/pip || { $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")' \
		&& $(PYTHON) -m venv $(VENV); }
	$(if $(findstring train,$(EXTRAS)),$(BIN)/pip install --quiet torch==$$(sed -n 's/^torch==//p' constraints.txt))
	$(BIN)/pip install --quiet -c constraints.txt -e '.[$(EXTRAS)]'
	@touch $@

web: $(VENV)/.web  ## play in the browser: installs what that needs, starts the server, opens the page
	$(BIN)/spacemission web --open || test $$? -eq 130  # Ctrl-C is how it ends

# The first training on a machine compiles its code, and says so.
demo: $(VENV)/.train  ## train an agent by self-play for a few minutes, rank it, write a report
	$(BIN)/spacemission train --preset demo --players 2 --seed 1 --out $(DEMO_OUT)
	$(BIN)/spacemission arena --agents policy:$(DEMO_OUT)/model,greedy,random --players 2 --games 2000 \
		--seed 1 --picture $(DEMO_OUT)/curves.png --out $(DEMO_OUT)/report

# A file's tests stay in one process: what they share (a trained model, a server) is made once.
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist loadfile -q

test: $(VENV)/.test  ## the tests that prove the rules, secrecy, front ends, one training, one tournament
	$(PYTEST)

# `make test` first: on a fresh machine it shows what its own extras lack.
test-all: test  ## the other tests too: agents, trainers, the page in a browser, every example
	$(MAKE) install
	$(PYTEST) -m slow

# Each prints what it compared.
check-long: install  ## for hours: rules, knowledge and worlds against independent code, fuzzing, figures in pages
	$(BIN)/python -m tests.space_mission.test_oracle 20000
	$(BIN)/python -m tests.space_mission.test_knowledge 2000
	$(BIN)/python -m tests.space_mission.test_memory 2000
	$(BIN)/python -m tests.space_mission.test_even_worlds 2000
	$(BIN)/python -m tests.space_mission.test_enumerated_worlds 10
	$(BIN)/python -m tests.planet_hexx.test_enumerated_worlds 40
	$(BIN)/python -m tests.oracle.test_planet_hexx 5000
	$(BIN)/python -m tests.env.test_text_seat 100000 2000
	$(BIN)/python -m tests.env.test_secrecy 2000
	$(BIN)/python -m tests.agents.test_llm 500
	$(BIN)/python -m studies.bounds_check 10000
	$(BIN)/python -m tests.fuzz 50000
	$(BIN)/python -m tests.train.test_mixed kuhn_poker 2 1 2 3
	$(BIN)/python -m docs.generators.figures

check-rules: install  ## break rules on purpose and see that the tests notice
	$(BIN)/python -m tests.space_mission.break_rules --all
	$(BIN)/python -m tests.planet_hexx.break_rules --all

lint: install  ## style, types, and who imports whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --exclude "*.md" .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: install  ## speed of this machine
	$(BIN)/spacemission bench

GAME ?= space_mission
league: install  ## ratings of all agents of a game (GAME=…) in docs/leaderboard.md: up to 20 minutes
	$(BIN)/python -m docs.generators.league $(GAME)

# First what is made from the code, then the site, which has it.
docs: install  ## the pages made from tables, pictures, figures in pages; then the site
	$(BIN)/python -m docs.generators.pages --write
	$(BIN)/python -m docs.generators.pictures --write
	$(BIN)/python -m docs.generators.figures --write
	$(MAKE) site

site: install  ## the documentation site in site/, of the pages as they are; links tried
	NO_MKDOCS_2_WARNING=1 PYTHONPATH=. $(BIN)/mkdocs build --clean
	$(BIN)/python -m docs.generators.check_site site

notebooks: install  ## run the notebooks one after another; what they print is not kept
	$(BIN)/pytest -q --nbmake --nbmake-timeout=600 notebooks

notebooks-write: install  ## run the notebooks and keep what they print
	$(BIN)/pytest -q --nbmake --overwrite --nbmake-timeout=600 notebooks

clean:  ## remove .venv and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache *.egg-info site
