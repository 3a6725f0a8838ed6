# The two commands of the README, and a few more. CMake does the work.
#
#   make demo     install what is missing, build, time two examples natively and under Allfold, draw a picture
#   make check    install what is missing, build with asserts, run the tests that find most: a quarter of an hour
#   make quick    those of them that take less than two minutes together
#   make certify  all the other tests: sanitizers, coverage, mutants, each number of ranks; WITHOUT=REGEX leaves some out,
#                 PROVE=all repeats the proofs of schedules that are the same as when they were proven
#   make docs     write the pages and pictures that are made from the code; make check says when
#   make proofs   prove the schedules that changed, and note it in test/proofs.txt
#   make tables   the built-in table of choices, by simulation: an hour on two cores (see docs/choices.md)
#   make long     tests of the packages in a bare Debian, all proofs, and others of their length
#   make bench    the benchmarks (see bench/README.md)
#   make simgrid  Allfold in SimGrid against the choices of other MPIs; PART=list says in which parts (docs/simgrid.md)
#   make real     LAMMPS, PETSc, MUMPS, Quantum ESPRESSO and others with and without Allfold (see docs/real.md)
#   make site     the pages as plain HTML with a search that needs no server, in site/
#   make install  PREFIX=DIR (default: /usr/local), also DESTDIR

PREFIX ?= /usr/local
BUILD ?= build
CHECKED ?= build-check
TARGETS ?= all
JOBS ?= $(shell nproc)
CMAKE_OPTIONS ?=
WITHOUT ?=

.PHONY: all demo check quick certify docs proofs tables long bench simgrid real site install clean
all: build

.PHONY: build
build:
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CMAKE_OPTIONS) >$(BUILD).log 2>&1 || \
	    { cat $(BUILD).log; exit 1; }
	@sed -n 's/^-- \(.* left out, .*\)/\1/p' $(BUILD).log
	@cmake --build $(BUILD) --parallel $(JOBS) --target $(TARGETS) >>$(BUILD).log 2>&1 || \
	    { grep -E 'error|warning|Error' $(BUILD).log; echo "the whole output: $(BUILD).log"; exit 1; }

demo:
	@scripts/install-dependencies demo
	@$(MAKE) --no-print-directory build BUILD=build-demo TARGETS=demo \
	    CMAKE_OPTIONS="-DALLFOLD_TESTS=OFF -DCMAKE_BUILD_TYPE=Release"
	@scripts/demo build-demo

# Tests have a build of their own, so that what `make install` installs has no asserts.
CHECKED_BUILD = @$(MAKE) --no-print-directory build BUILD=$(CHECKED) \
    CMAKE_OPTIONS="-DALLFOLD_ASSERTS=ON -DALLFOLD_WERROR=ON $(CMAKE_OPTIONS)"

check quick:
	@scripts/install-dependencies check
	$(CHECKED_BUILD)
	@scripts/check $(CHECKED) $@

certify:
	@scripts/install-dependencies certify
	$(CHECKED_BUILD) TARGETS="all benches"
	@scripts/check $(CHECKED) certify '$(WITHOUT)'

docs:
	@scripts/install-dependencies check
	$(CHECKED_BUILD) TARGETS=allfold
	@scripts/pictures $(CHECKED)
	@scripts/gain $(CHECKED) --keep
	@scripts/coverage
	@scripts/support-matrix
	@scripts/rooms picture
	@git status --short docs README.md

proofs:
	@scripts/install-dependencies check
	$(CHECKED_BUILD) TARGETS=allfold
	@cd $(CHECKED) && PROVE=update ctest --output-on-failure --no-tests=error --parallel $(JOBS) -R '^verify[.]'
	@git diff --stat -- test/proofs.txt

tables:
	@scripts/install-dependencies demo
	@$(MAKE) --no-print-directory build TARGETS=allfold
	@scripts/tables $(BUILD)

long:
	@scripts/install-dependencies long
	@$(MAKE) --no-print-directory build TARGETS="all benches"
	@cd $(BUILD) && ctest --output-on-failure --no-tests=error -C long -L long
	@cd $(BUILD) && PROVE=all ctest --output-on-failure --no-tests=error --parallel $(JOBS) -R '^verify[.]'

bench:
	@scripts/install-dependencies bench
	@$(MAKE) --no-print-directory build TARGETS="all benches"
	@scripts/bench $(BUILD)

simgrid:
	@scripts/install-dependencies simgrid
	@$(MAKE) --no-print-directory build TARGETS="all benches"
	@scripts/simgrid $(BUILD) $(PART)

real:
	@scripts/install-dependencies real
	@$(MAKE) --no-print-directory build
	@scripts/real $(BUILD) --csv $(BUILD)/real.csv

site:
	@scripts/install-dependencies site
	@$(MAKE) --no-print-directory build
	@scripts/site site $(BUILD)

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX) >/dev/null
	@echo "installed in $(DESTDIR)$(PREFIX); try $(PREFIX)/bin/allfold info"

clean:
	rm -rf site build build-demo build-check build.log build-demo.log build-check.log
