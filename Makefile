# `make help` lists the targets. Everything runs in .venv, which each target makes when it is missing.
.DEFAULT_GOAL := help
PY := .venv/bin/python
# Without compiled modules every process of the tests compiles hundreds of them once more.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help setup agents demo test quick connect check lint types imports docs docs-serve notebooks wheel fuzz fuzz-predicates fuzz-states fuzz-api kills-gate kills-lineage kills-emitter kills-migration races power-gate bench-engine bench-profile bench-registry bench-catalogs bench-lineage bench-differential bench-avh bench-draft bench-drafts-live bench-predictability bench-anomaly bench-volume bench-budgets bench-fmdv bench-keys bench-trust bench-ui screens lock bench-install

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: ## make .venv with the locked versions and check Java
	@bin/setup all

agents: setup ## fetch what tests of table formats, catalogs and the lineage listener need: jars, and a Spark for Iceberg
	@bin/agents

demo: setup ## run the main job: draft, approve, validate on lineage events
	@.venv/bin/treaty demo

test: ## set up everything and run all tests
	@bin/setup test
	@bin/test

quick: setup ## unit and architecture tests without the long searches, in seconds
	$(PY) -m pytest tests/unit tests/architecture -q -n 2 --dist loadgroup --no-loadscope-reorder -m "not search"

connect: setup ## run the tests of the engine on Spark Connect, by hand
	TREATY_TEST_REMOTE=local $(PY) -m pytest tests/spark tests/connect -q -n 2 --dist loadgroup

check: lint types imports test ## lint, types, import direction, all tests

lint: setup ## ruff
	.venv/bin/ruff check . && .venv/bin/ruff format --check .

types: setup ## mypy, strict
	.venv/bin/mypy

imports: setup ## import-linter: the direction of packages, the floors of rooms, pyspark in one room
	.venv/bin/lint-imports

fuzz: setup ## search further with property tests, by hand
	HYPOTHESIS_PROFILE=fuzz $(PY) -m pytest tests/unit -q -n 2

fuzz-predicates: setup ## compare random predicates with Spark's own answers, by hand
	FUZZ_PREDICATES=4000 $(PY) -m pytest tests/spark/predicates/test_row_errors.py -q -s -k random

fuzz-states: setup ## compare states with the whole table over many random histories, by hand
	FUZZ_HISTORIES=1000 $(PY) -m pytest tests/spark/analyzers/test_states_equal_the_table.py -q

fuzz-api: setup ## send 20,000 requests with values at their borders to each database, by hand (FUZZ_API_SEED=...)
	FUZZ_API=20000 $(PY) -m pytest tests/database/api/test_borders.py -q -k no_request

kills-gate: setup ## kill 500 processes while they publish through a gate, by hand
	GATE_KILLS=500 $(PY) -m pytest tests/unit/engine/gate/test_gate_kills.py -q

kills-lineage: setup ## kill workers and receivers thousands of times, and have others come back late, by hand
	KILLS_LINEAGE="1000 500 200" $(PY) -m pytest tests/database/worker/test_lineage_kills.py -q -s

kills-emitter: setup ## kill 200 workers while they validate, store and deliver, by hand
	EMITTER_KILLS=200 $(PY) -m pytest tests/database/notifications/test_emitter_kills.py -q -s

kills-migration: setup ## kill a migration before each of its statements, up and down, by hand
	MIGRATION_KILLS=all $(PY) -m pytest tests/database/migrations/test_migrations.py -q -k killed

races: setup ## edit and approve at once in 1,000 rounds, by hand
	APPROVAL_RACES=1000 $(PY) -m pytest tests/database/review/test_approval_races.py -q

power-gate: setup ## lose power while publishing through a gate, thousands of times, by hand
	GATE_POWER=20 GATE_POWER_WALKS=500 $(PY) -m pytest tests/unit/engine/gate/test_gate_power.py -q

bench-engine: setup ## what tests of data cost beside SQL by hand (minutes; ARGS="--rounds 1" for less)
	$(PY) -W ignore -m bench.engine.verification $(ARGS)

bench-install: setup ## what installing and importing treaty and each extra costs (minutes)
	$(PY) -W ignore -m bench.engine.face
	$(PY) -W ignore -m bench.engine.install

bench-registry: setup ## what the service's answers take, over a full registry (ARGS="--postgres", "--datasets 50")
	$(PY) -W ignore -m bench.registry.service $(ARGS)

bench-catalogs: setup ## what reading a catalog of 10,000 tables takes (ARGS="--tables 1000")
	$(PY) -W ignore -m bench.registry.catalogs $(ARGS)

bench-lineage: setup ## how fast lineage is acknowledged, kept and judged, on PostgreSQL and on SQLite (minutes)
	$(PY) -W ignore -m bench.lineage.reception --postgres $(ARGS)
	$(PY) -W ignore -m bench.lineage.reception --only burst steady effects $(ARGS)

bench-profile: setup ## what profiles and drafts cost beside one plain aggregate, and from stored states (minutes)
	$(PY) -W ignore -m bench.suggestions.profiles $(ARGS)

bench-anomaly: setup ## what detectors promise and keep (ARGS="--series 100", "--history FOLDER" of real tables)
	$(PY) -W ignore -m bench.anomaly.detectors $(ARGS)

bench-volume: setup ## what checks of the row count find and what they alarm on (ARGS="--data FOLDER --seeds 10")
	$(PY) -W ignore -m bench.anomaly.volume --data ../shared/data $(ARGS)

bench-budgets: setup ## whether budgets of false alarms hold, from minutes to months (minutes; ARGS="--cadences hour --only programs")
	$(PY) -W ignore -m bench.anomaly.budgets $(ARGS)

docs: setup ## write the reference and docs/house.svg from the code, and build the site into site/
	$(PY) docs/generate.py
	$(PY) docs/house.py
	$(PY) docs/decisions_index.py
	.venv/bin/zensical build --strict

docs-serve: setup ## show the site on 127.0.0.1:8790 and rebuild it while you write
	.venv/bin/zensical serve

notebooks: setup ## run docs/notebooks and write their outputs (minutes)
	$(PY) -m docs.execute_notebooks

bench-avh: setup ## programs by history on recurring tables: false alarms, recall, cost (hours; ARGS="--stride 6 --rows 600", "FOLDER --only cost")
	$(PY) -W ignore -m bench.programs.avh $(ARGS)

bench-differential: setup ## what states of partitions save, beside full verification (minutes)
	$(PY) -W ignore -m bench.engine.differential $(ARGS)
	$(PY) -W ignore -m bench.engine.scenarios $(ARGS)

bench-draft: setup ## what drafts are worth on real tables: what holds later, and what it catches (minutes; ARGS="--verbose", "--texts" of untyped files)
	$(PY) -W ignore -m bench.suggestions.drafts --data ../shared/data $(ARGS)

bench-drafts-live: setup ## draft real tables as a newcomer does, and count later days with an error (minutes; ARGS="--fast")
	$(PY) -W ignore -m bench.suggestions.drafts_live --data ../shared/data $(ARGS)

bench-predictability: setup ## how well brands are told from names, at what cost, and of published tables (minutes)
	$(PY) -W ignore -m bench.suggestions.predictability $(ARGS)

bench-fmdv: setup ## how well patterns learned from a part of a lake tell the other columns apart (minutes)
	$(PY) -m bench.patterns.fmdv --write $(ARGS)

bench-keys: setup ## how well names tell unique columns, beside the paper's recipe (minutes; ARGS="--write DATE" trains)
	$(PY) -W ignore -m bench.suggestions.train_keys --data ../shared/data $(ARGS)

bench-trust: setup ## verdicts that never depend on chance, inputs that cannot hurt (minutes; ARGS="TOPIC ...")
	$(PY) -W ignore -m bench.trust $(ARGS)

bench-ui: setup ## how long people wait for the pages, in a real browser (minutes; ARGS="--datasets 100 --postgres")
	$(PY) -W ignore -m bench.ui.pages $(ARGS)

screens: setup ## write docs/screens: every page with the demo's data, light, dark and on a phone (minutes)
	$(PY) docs/screens.py

wheel: setup ## build the wheel into dist/
	.venv/bin/uv build --wheel --quiet --out-dir dist .

lock: setup ## lock the newest admitted versions (no index addresses in the file)
	.venv/bin/uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 --generate-hashes --no-emit-index-url --quiet \
	  --custom-compile-command "make lock" --output-file requirements.lock
