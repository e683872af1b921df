# limber: `make help` lists the targets.
SHELL := /bin/bash
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
export JOBS
CONFIGURE = cmake -S . -G Ninja --log-level=WARNING

.PHONY: all help packages build demo test test-all bench validate docs install dist deb wheel static clean format

all: ## build build/limber, the library and the test runners (the default)
	@tools/install_packages.sh --check build
	@tools/install_packages.sh --check view || echo "without npm, limber view has no page; all else works"
	@$(MAKE) --no-print-directory build
	@if [ -x build/limber ]; then echo "built build/limber; try: build/limber --help"; fi

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

packages: ## install missing Debian packages
	@tools/install_packages.sh build view

build/build.ninja: | CMakeLists.txt
	@$(CONFIGURE) -B build -DCMAKE_BUILD_TYPE=Release >/dev/null # errors are on the other stream

build: build/build.ninja
	@cmake --build build -j $(JOBS) -- --quiet

demo: ## install missing packages, build, run two examples and print where the results are
	@tools/install_packages.sh build
	@tools/install_packages.sh --try view demo
	@$(MAKE) --no-print-directory build/build.ninja
	@cmake --build build -j $(JOBS) --target limber -- --quiet
	@tools/demo.sh

test: ## install missing packages, build, run all tests
	@tools/install_packages.sh build view demo test docs
	@tools/test.sh

test-all: ## as test, plus the long tests: clang, sanitizers, fuzzing, mutants, packages, other machines
	@tools/install_packages.sh build view demo test docs bench optional release static
	@tools/test.sh --all

bench: ## benchmarks: time per step and body, instruction counts
	@tools/install_packages.sh build bench
	@$(MAKE) --no-print-directory build
	@tools/bench.sh

validate: ## run the validation cases and write docs/validation.md
	@tools/install_packages.sh build test
	@$(MAKE) --no-print-directory build
	@tools/validation_page.sh

docs: ## build the documentation as a website, build/docs/index.html
	@tools/install_packages.sh build view docs
	@$(MAKE) --no-print-directory build
	@tools/docs.sh build

install: ## install program, library, headers and docs in PREFIX (default /usr/local)
	@tools/install_packages.sh --check build
	@$(MAKE) --no-print-directory build
	@cmake --install build --prefix "$(PREFIX)" >/dev/null && echo "installed in $(DESTDIR)$(PREFIX)"

dist: ## make the release tarball, which builds without npm
	@tools/install_packages.sh --check build
	@$(MAKE) --no-print-directory build
	@tools/dist.sh

deb: ## make Debian packages in build/deb
	@tools/install_packages.sh --check build release
	@$(MAKE) --no-print-directory build
	@tools/deb.sh

wheel: ## make a wheel of the Python package, which needs no installed libraries
	@tools/install_packages.sh --check build static wheel
	@$(MAKE) --no-print-directory build
	@tools/wheel.sh

static: ## make a self-contained program, which needs no installed libraries
	@tools/install_packages.sh --check build static
	@$(MAKE) --no-print-directory build
	@tools/static.sh

format: ## format the C sources
	@tools/check_format.sh --fix

clean: ## remove the build folder
	@rm -rf build
