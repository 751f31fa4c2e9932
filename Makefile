# SPDX-License-Identifier: BSD-3-Clause
#
# Shortcuts; the work is done by CMake (CMakePresets.json) and the scripts in tools/.

PREFIX ?= /usr/local
# Where test-deb makes its bare system.
ROOT ?= /var/tmp/pathline-root
# ON makes warnings errors, as continuous integration does; without it a build stays as it was configured.
export WERROR

help:  ## this list
	@echo "Pathline: performance analysis of parallel programs"
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r name text; \
	  do printf '  make %-14s %s\n' "$$name" "$$text"; done

demo:  ## install what is missing, build, record a program on 4 ranks and look at it
	@tools/setup
	@tools/build release pathline heat3d recorder recorder_openmpi
	@tools/demo

test:  ## install what is missing, build, and run all tests, also under sanitizers
	@tools/setup build test
	@tools/test dev asan

build:  ## build what will be installed
	@tools/setup
	@tools/build release

install: build  ## install below PREFIX (default /usr/local)
	@cmake --install build/release --prefix "$(PREFIX)"

deb: build  ## make a package for Debian and its like of what is installed: build/pathline_*.deb
	@tools/setup build deb
	@tools/deb

test-deb: deb  ## install the package in a bare Debian 12 (root's; in ROOT, half a GB), use and remove it
	@tools/test-deb "$(ROOT)"

bench:  ## measure the speed (figures for doc/performance.md)
	@tools/setup build bench
	@[ ! -e build/release/build.ninja ] || cmake --preset release >/dev/null  # to find its peers
	@tools/build release
	@build/release/bin/pathline-bench

bench-overhead:  ## measure what recording costs (takes ten minutes)
	@tools/setup
	@tools/build release
	@bench/overhead/run

test-apps:  ## record programs of Debian (installs 1 GB), compare with a count of our own
	@tools/setup build apps
	@tools/test-apps

test-paraview:  ## install ParaView (1.4 GB), run it in programs and on our files
	@tools/test-paraview

test-smpi:  ## install SimGrid, run and record programs on machines that it simulates
	@tools/test-smpi

test-tsan:  ## run the unit tests under ThreadSanitizer
	@tools/setup
	@tools/test tsan

test-fuzz:  ## fuzz the readers
	@tools/setup build fuzz
	@tools/build fuzz
	@tools/fuzz

rooms:  ## what each layer of the sources is for, and what it may use
	@tools/rooms

odr:  ## link the program as a whole: no type may be defined twice
	@tools/setup
	@tools/build dev odr

format:  ## bring the sources into the project's format
	@tools/setup format
	@tools/format

lint:  ## check the sources with clang-tidy
	@tools/setup build lint
	@tools/lint

clean:  ## remove everything that was built
	@rm -rf build

.PHONY: help demo test build install deb test-deb bench bench-overhead test-apps test-paraview test-smpi test-tsan test-fuzz odr rooms format lint clean
