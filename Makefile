# make build     builds the command build/portatune and its plug-ins
# make demo      fine-tunes a BERT encoder on 8,448 movie reviews and reports the AUC on 2,120 others
# make test      builds everything and runs the tests (SANITIZE=thread or address: some of them, with that sanitizer)
# make test-all  the same with all heads compiled for TPUs and CUDA, and more, which takes an hour or two longer
# make test-peers  runs the tests that need torch, transformers and peft, which it installs once (several GB)
# make install   installs the command and the C++ library below PREFIX (/usr/local): see docs/development/library.md
# make wheel     builds the wheel, for pip, into dist/ (PYTHON=python3.13: with that Python): see docs/install.md
# make deb       builds a package for Debian into dist/: see docs/install.md
# make tarball   builds an archive of an installation, which works in any folder, into dist/
# make gpu-check builds an archive that checks a GPU without a network into dist/: see docs/devices/devices.md
# make docs      builds the documentation as a site into site/
# make fuzz      builds the fuzzers with clang and runs each for a minute (SECONDS=600: for ten minutes)
# make fuzz-merge  adds small inputs that cover more code, which `make fuzz` has found, to fuzz/corpus
# make soak      kills and disturbs the command for ten minutes and compares bits (MINUTES=60: for an hour)
# make bench     measures Portatune against torch and transformers: see bench/README.md
# Each target first installs and downloads what is missing: see tools/setup.sh.
SHELL := /bin/bash
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/portatune
DEMO := $(CACHE)/demo
BUILD := build
PREFIX := /usr/local
DIST := dist
ifdef SANITIZE
BUILD := build-$(SANITIZE)
SANITIZED_TARGETS := --target io_test data_test processes_test exchange_group_test train_test
SANITIZED_TESTS := -R '^(io|data|processes|exchange_group|train)([.]|$$)'
endif
# It runs each time, because set-up may have added what an earlier run of CMake did not find.
CONFIGURE := cmake -S . -B $(BUILD) -G Ninja -DPORTATUNE_DEPS=$(CACHE)/deps -DPORTATUNE_SANITIZE=$(SANITIZE) \
  -DPORTATUNE_TEST_CACHE=$(CACHE)/tests

.PHONY: build demo test test-all test-peers install wheel deb tarball gpu-check docs fuzz fuzz-merge soak bench clean

SECONDS := 60
MINUTES := 10

build:
	@tools/setup.sh
	@$(CONFIGURE)
	@cmake --build $(BUILD) --target portatune

demo:
	@tools/setup.sh --demo
	@$(MAKE) --no-print-directory build
	$(BUILD)/portatune fit --model $(DEMO)/minilm \
	  --train $(DEMO)/movie_reviews/train.tsv --validation $(DEMO)/movie_reviews/validation.tsv \
	  --head sigmoid --learning-rate 3e-5 --epochs 2 --steps-per-epoch 150 --overwrite-output --output $(BUILD)/demo

test:
	@tools/setup.sh --aot --tests
	@$(CONFIGURE)
	@cmake --build $(BUILD) $(SANITIZED_TARGETS)
	@ctest --test-dir $(BUILD) --output-on-failure --parallel $$(nproc) $(SANITIZED_TESTS)

test-all: export PORTATUNE_TEST_ALL = 1
test-all: test

# PORTATUNE_BENCH_VENV: an environment that has the peers, as for `make bench`.
test-peers:
	@tools/setup.sh --tests
	@$(CONFIGURE)
	@cmake --build $(BUILD) --target portatune portatune_python
	@python=$$(PYTHONPATH=bench python3 -B -c 'import harness; print(harness.peer_python())') && \
	  $$python -c 'import torch, transformers, peft' && \
	  packages=$$(tools/python_packages.sh tests/python/requirements.txt test-packages $$python) && \
	  export PYTHONPATH=$(abspath $(BUILD))/python:$$packages && \
	  for test in python/callbacks python/coexistence python/gradients python/interrupts python/pages; do \
	    $$python -B tests/$${test}_test.py || exit 1; done && \
	  for test in hub/peft models/grow/transformers; do \
	    $$python -B tests/$${test}_test.py $(BUILD)/portatune || exit 1; done

install: build
	@cmake --install $(BUILD) --prefix "$(PREFIX)"

wheel:
	@tools/setup.sh
	@tools/wheel.sh $(DIST) $(PYTHON)

deb: PACKAGE := DEB
tarball: PACKAGE := TGZ
deb tarball: build
	@cpack --config $(BUILD)/CPackConfig.cmake -G $(PACKAGE) -B $(BUILD)/packages-$@
	@mkdir -p $(DIST) && mv $(BUILD)/packages-$@/portatune[-_]* $(DIST)
	@rm -rf $(BUILD)/packages-$@

gpu-check: wheel
	@tools/gpu_check_archive.py $$(ls -t $(DIST)/portatune-*.whl | head -1) \
	  $(CACHE)/deps/xla_cpu_pjrt-*/xla_cpu_pjrt.so $(DIST)/portatune-gpu-check.tar.xz

docs: build
	@cmake --build $(BUILD) --target portatune_python_types
	@tools/docs.sh $(BUILD)/portatune site

fuzz:
	@tools/setup.sh
	@cmake -S . -B build-fuzz -G Ninja -DPORTATUNE_FUZZ=ON -DPORTATUNE_FUZZ_SECONDS=$(SECONDS) \
	  -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DPORTATUNE_DEPS=$(CACHE)/deps
	@cmake --build build-fuzz
	@ctest --test-dir build-fuzz --output-on-failure -R '^fuzz_'

fuzz-merge:
	@cmake --build build-fuzz --target fuzz_merge

soak: build
	@cmake --build $(BUILD) --target portatune_inject
	@python3 -B soak/soak.py --command $(BUILD)/portatune --injector $(BUILD)/soak/libportatune_inject.so \
	  --minutes $(MINUTES) --jobs $$(nproc)

bench:
	@tools/setup.sh --demo
	@$(MAKE) --no-print-directory build
	@cmake --build $(BUILD) --target portatune_python portatune_tokenizer_bench portatune_generate_bench
	@for script in train_step generate startup accuracy tokenizer; do python3 -B bench/$$script.py || exit 1; done

clean:
	rm -rf $(BUILD) site
