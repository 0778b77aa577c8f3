# Needs a JDK 17 to 22, Python 3.11 or newer and make; everything else is fetched by 'make setup' into the tree.
# Overrides: PYTHON=/path/to/python JAVA_HOME=/path/to/jdk
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
export PYTHON
ifdef JAVA_HOME
export PATH := $(JAVA_HOME)/bin:$(PATH)
endif

bin := .venv/bin
# The list includes folders, because their times change when a file is removed.
jvm_sources := build.sbt VERSION LICENSE project/build.properties $(wildcard project/*.sbt) $(shell find jvm/*/src/main)
python_sources := VERSION README.md python/pyproject.toml python/hatch_build.py $(shell find python/src -not -path '*__pycache__*')
# Each stamp is in the folder that it covers, so that it is removed with the folder.
jars := jvm/spark/target/jars.stamp
wheel := .venv/wheel.stamp
reports = build/reports/$(@:test-%=%)
pytest := $(bin)/python -m pytest --durations 25
processes := --numprocesses 2 --dist loadfile --no-loadscope-reorder
matrix = $(bin)/python tests/matrix.py --wheel python/dist/spark_sbbf-$(shell cat VERSION)-py3-none-any.whl
python_code := python tests benchmarks demo scripts
scala_style := scalafmtCheckAll scalafmtSbtCheck "scalafixAll --check"
in_gate := $(if $(SBBF_GATE),-m "not full")

# The interoperability fixtures, if they are beside the tree; without them their tests are skipped.
ifneq ($(wildcard ../shared/fixtures),)
export SBBF_FIXTURES ?= $(abspath ../shared/fixtures)
endif

.PHONY: help
help: ## print this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

.PHONY: setup
setup: ## make .venv with all tools, or say what is missing
	@scripts/setup

# The JARs get the time at which sbt starts: it leaves those that would be the same, and does not see later changes.
define assemble
mkdir -p build
touch build/began
./sbt assemblies $(1)
touch -r build/began jvm/spark/target/scala-*/spark-sbbf_*.jar $(jars)
endef

.PHONY: jar
jar: $(jars) ## build both JARs, for Scala 2.12 and 2.13
$(jars): $(jvm_sources) | setup
	$(call assemble)

.PHONY: wheel
wheel: $(wheel) ## build the wheel with both JARs in it, and install it into .venv
$(wheel): $(jars) $(python_sources) | setup
	rm -rf python/dist
	$(bin)/python -m build --no-isolation --wheel python
	$(bin)/pip install --quiet --no-deps --force-reinstall python/dist/*.whl
	touch $@

.PHONY: demo
demo: wheel ## look up flights and events with Spark alone, with spark-sbbf and with an oracle
	$(bin)/python demo/lookups.py

# What cannot be fetched fails in these two, instead of being skipped.
.PHONY: test test-all
test: setup ## the gate: what CI runs, in half an hour on two cores
	CI=true $(bin)/python tests/check gate $(addprefix --only ,$(GROUPS))
test-all: setup ## all tests on JDK 17, for hours; commit first: writes tests/results; GROUPS="s3 suites" for some, FEWER=1 after some were removed
	CI=true $(bin)/python tests/check all $(addprefix --only ,$(GROUPS)) $(if $(FEWER),--fewer)

# The groups of tests/check/groups.py; SBBF_GATE=1 leaves out what only 'make test-all' runs.
.PHONY: environments full-packages test-unit test-jvm test-jvm-all test-python test-python-all test-install test-sparks test-matrix
test-unit: setup ## the pure parts of the Python package
	$(pytest) --junitxml $(reports)/tests.xml python/tests
test-jvm: setup ## both JARs, style of Scala, and in one sbt all suites on Scala 2.13
	$(call assemble,$(scala_style) test)
test-jvm-all: setup
	SBBF_REPORTS=jvm-all ./sbt +test
test-python: wheel ## end-to-end tests of the wheel on the newest Spark
	$(pytest) $(in_gate) $(processes) --junitxml $(reports)/tests.xml tests
test-python-all: wheel full-packages
	$(pytest) $(processes) --junitxml $(reports)/tests.xml tests
test-install: wheel ## what the repository publishes, and an installation from the clone
	rm -rf build/maven
	./sbt -Dmaven.repo.local=$(abspath build/maven) +publishM2
	SBBF_INSTALL=1 $(pytest) --junitxml $(reports)/tests.xml tests/entry_points/test_published.py tests/entry_points/test_clone.py
test-sparks: wheel ## some end-to-end tests on Spark 3.5 and 4.1
	$(matrix) --gate --reports $(reports)
full-packages: setup
	$(bin)/pip install --quiet --requirement requirements-full.txt
environments: setup
	PYTHONPATH=python/src $(matrix) --gate --environments --reports $(reports)
test-matrix: wheel ## all end-to-end tests on every Spark, into docs/versions.md; JDK21=/one/jdk JDK25=/another where the system has none, ONLY="4.2.1 4.3.0", JAVA=17
	$(matrix) $(addprefix --jdk21 ,$(JDK21)) $(addprefix --jdk25 ,$(JDK25)) $(addprefix --only ,$(ONLY)) $(addprefix --java ,$(JAVA)) \
	  --reports $(reports)

.PHONY: test-spark
test-spark: jar ## Spark's own suites with and without the extension; SPARK=4.1.1, ONLY=..., LEGS=..., OFF_IF_FAILED=1, MISSING=1
	$(bin)/python tests/spark_suites --spark $(or $(SPARK),4.1.1) $(if $(MISSING),--missing) $(if $(OFF_IF_FAILED),--off-if-failed) \
	  $(addprefix --only ,$(ONLY)) $(if $(LEGS),--legs "$(LEGS)")

.PHONY: test-iceberg
test-iceberg: jar ## Iceberg's own tests of MERGE, UPDATE, DELETE and joins with and without the extension; ONLY=..., LEGS=..., OFF_IF_FAILED=1, MISSING=1
	$(bin)/python tests/iceberg_suites $(addprefix --processes ,$(PROCESSES)) $(if $(MISSING),--missing) $(if $(OFF_IF_FAILED),--off-if-failed) \
	  $(addprefix --only ,$(ONLY)) $(if $(LEGS),--legs "$(LEGS)")

.PHONY: test-s3
test-s3: wheel full-packages ## test S3A against a local S3 server; fetches 15 MB
	SBBF_S3_PACKAGES=1 $(pytest) --junitxml $(reports)/tests.xml tests/stores

.PHONY: fuzz
fuzz: wheel ## compare random queries with the oracle; SECONDS=600 or QUERIES=n, SEED=n, LAYER=1 or 2
	$(bin)/python tests/fuzz --layer $(or $(LAYER),both) --contender $(or $(CONTENDER),sbbf) \
	  $(addprefix --seed ,$(SEED)) $(addprefix --seconds ,$(SECONDS)) $(addprefix --queries ,$(QUERIES))

.PHONY: lint lint-python
lint: lint-python ## check style and types
	./sbt $(scala_style)
lint-python: setup
	$(bin)/python scripts/check_prose.py
	$(bin)/ruff check $(python_code)
	$(bin)/ruff format --check $(python_code)
	cd python && ../$(bin)/mypy

.PHONY: format
format: setup ## put style right
	./sbt scalafixAll scalafmtAll scalafmtSbt
	$(bin)/ruff check --fix $(python_code)
	$(bin)/ruff format $(python_code)

.PHONY: bench
bench: wheel ## measure lookups against Spark alone, the oracle and the filter limit
	$(bin)/python benchmarks/lookup.py
	$(bin)/python benchmarks/lookup.py --added --files 1000 --fpp 0.01 --out benchmarks/results/lookup-added-jdk17.txt
	$(bin)/python benchmarks/lookup.py --large --files 100 --out benchmarks/results/lookup-large-jdk17.txt

.PHONY: benchpages
benchpages: wheel ## measure queries on wide files of one row group against the oracle and DuckDB
	$(bin)/python benchmarks/pages.py

.PHONY: benchagainst
benchagainst: wheel ## measure lookups beside those with an older JAR; OLD=/path/to/spark-sbbf.jar
	$(bin)/python benchmarks/against.py $(OLD)

.PHONY: benchcache
benchcache: wheel ## measure lookups in a table that exceeds the cache, beside an older JAR; OLD=/path/to/spark-sbbf.jar
	$(bin)/python benchmarks/cache.py $(OLD)

.PHONY: benchjoins
benchjoins: wheel ## measure joins and subqueries that prune while they run
	$(bin)/python benchmarks/joins.py

.PHONY: benchindex
benchindex: wheel ## measure an index: its build beside add_filters, lookups beside filters, Spark alone and the oracle
	$(bin)/python benchmarks/index_build.py
	$(bin)/python benchmarks/index_build.py --refresh --files 10000 --turns 1 --out benchmarks/results/index-build-10000-jdk17.txt
	$(bin)/python benchmarks/index.py

.PHONY: benchs3
benchs3: wheel ## measure lookups in a local S3 server, with 30 ms added to each request
	$(bin)/python benchmarks/s3.py

.PHONY: spark-4.1
spark-4.1: wheel
	test -x build/spark-4.1.4/bin/python || $(bin)/python -m venv build/spark-4.1.4
	build/spark-4.1.4/bin/pip install --quiet pyspark==4.1.4
	build/spark-4.1.4/bin/pip install --quiet --no-deps --force-reinstall python/dist/*.whl

.PHONY: benchlakes
benchlakes: spark-4.1 ## measure lookups and joins on a Delta and an Iceberg table, on Spark 4.1
	build/spark-4.1.4/bin/python benchmarks/lake.py delta
	build/spark-4.1.4/bin/python benchmarks/lake.py iceberg

.PHONY: benchupserts
benchupserts: spark-4.1 ## measure joins and merges of a batch with large tables, on Spark 4.1
	build/spark-4.1.4/bin/python benchmarks/upserts.py parquet
	build/spark-4.1.4/bin/python benchmarks/upserts.py delta
	build/spark-4.1.4/bin/python benchmarks/upserts.py iceberg

.PHONY: benchorc
benchorc: wheel ## measure lookups in ORC files against Spark alone, the oracle and the filter limit
	$(bin)/python benchmarks/orc.py

.PHONY: benchwrite
benchwrite: wheel ## measure what exact filters cost to write, beside Spark's
	$(bin)/python benchmarks/write.py

.PHONY: benchaddfilters
benchaddfilters: wheel ## measure what filters for existing files take, beside a rewrite by Spark
	$(bin)/python benchmarks/add_filters.py

.PHONY: benchcommand
benchcommand: wheel ## measure what looking at filters from the command line takes
	$(bin)/python benchmarks/command.py

.PHONY: benchprobe
benchprobe: wheel ## measure a probe of many keys, beside a join
	$(bin)/python benchmarks/probe.py

.PHONY: benchfirstquery
benchfirstquery: wheel ## measure what the extension adds to the first query of a fresh process; OLD=/path/to/spark-sbbf.jar
	$(bin)/python benchmarks/first_query.py $(OLD)

.PHONY: benchkernels
benchkernels: setup ## measure the kernels against parquet-java and native crates; JDKS="/one/jdk /another"
	$(bin)/python benchmarks/kernels.py $(addprefix --jdk ,$(JDKS))

.PHONY: benchcoldstart
benchcoldstart: setup ## measure what the kernels cost a fresh JVM; JDKS="/one/jdk /another"
	$(bin)/python benchmarks/coldstart.py $(addprefix --jdk ,$(JDKS))

.PHONY: predicates
predicates: wheel ## write docs/predicates.md and tests/pruning/pushdown.md: what is pruned and what tasks check for which predicate
	$(bin)/python tests/support/predicate_table.py
	$(bin)/python tests/support/pushdown_table.py

.PHONY: pictures
pictures: wheel ## draw the documentation's pictures of reports; BROWSER=/path/to/chromium
	$(bin)/python demo/pictures.py $(or $(BROWSER),chromium)

.PHONY: charts
charts: setup ## draw the documentation's charts from benchmarks/results
	PYTHONPATH=python/src $(bin)/python benchmarks/charts.py

.PHONY: docs
docs: setup ## build the documentation into build/docs; a broken link fails
	NO_MKDOCS_2_WARNING=1 $(bin)/mkdocs build --quiet --strict --site-dir build/docs

.PHONY: clean
clean: ## remove everything that was built, also .venv and the demo's data
	rm -rf .venv build python/dist python/build target project/target project/project jvm/target jvm/*/target tests/*/target benchmarks/native/target spark-warehouse
