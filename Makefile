# `make demo` and `make test` do all their own set-up. `make help` lists the rest.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PROTOS := $(shell find protos -name '*.proto')
export PATH := $(abspath $(BIN)):$(PATH)
export PYTHONPATH := $(CURDIR):$(CURDIR)/gen

.PHONY: help install protos up down status demo test load bench format k8s clean \
	lint lint-style lint-types lint-contracts lint-envoy lint-k8s

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

install: $(STAMP) gen/image.binpb ## the project's environment in .venv (make demo and make up do this themselves)

$(STAMP): pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PYTHON) cli/local/pip.py install .run/logs/install.log $(BIN)/python constraints.txt -e '.[dev]'
	-@$(BIN)/python -m services.perception.prepare
	@touch $@

protos: $(STAMP) ## Python code, type stubs and the descriptor image from protos/, into gen/
	@$(BIN)/python protos/generate.py

gen/image.binpb: $(STAMP) $(PROTOS) protos/generate.py
	@$(BIN)/python protos/generate.py

up: install ## install what is missing, start everything, wait until it is well
	@$(BIN)/python -m cli.local up

down: ## stop everything that make up started
	@test ! -x $(BIN)/python || $(BIN)/python -m cli.local down

status: install ## how every part stands
	@$(BIN)/python -m cli.local status

demo: install ## install, start, ingest examples/, ask, print verified answers, stop
	@$(BIN)/python -m cli.local demo

test: install ## all tests; real Envoy, Milvus, vLLM and PostgreSQL where installed
	@$(BIN)/python -m cli.local vllm || true
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

load: install ## load profiles of bench/ against the running stack
	@$(BIN)/python -m bench.load $(LOAD_ARGS)

bench: install ## the figures of every budget
	@$(BIN)/python -m bench $(BENCH_ARGS)

lint: lint-style lint-types lint-contracts lint-envoy lint-k8s ## style, types, contracts, Envoy and Kubernetes files (make -k lint: all of them)

lint-style: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

lint-types: install
	$(BIN)/mypy services cli protos/generate.py

lint-contracts: install
	$(BIN)/buf lint gen/image.binpb --config protos/buf.yaml
	@$(BIN)/python protos/breaking.py

lint-envoy: install
	@$(BIN)/python -m cli.local envoy > /dev/null && echo "envoy: the rendered configuration is valid"

lint-k8s: install
	@$(BIN)/python -m cli.local k8s --check

format: install ## apply ruff's fixes and format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

k8s: install ## render what kustomize takes from envoy/ and config/
	@$(BIN)/python -m cli.local k8s

clean: down ## stop and remove everything that is not in git
	rm -rf .run gen $(VENV) .venv-vllm
