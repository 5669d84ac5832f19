# make build   the command build/portatune
# make demo    fine-tunes a BERT encoder on 8,448 movie reviews and reports the AUC on 2,120 others
# make test    builds everything and runs the tests
# make fuzz    builds the fuzzers with clang and runs each for a minute (SECONDS=600: for ten)
# make bench   measures Portatune against torch and transformers: see bench/README.md
# Each installs or fetches what is missing first: see tools/setup.sh.
SHELL := /bin/bash
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/portatune
DEMO := $(CACHE)/demo

.PHONY: build demo test fuzz bench clean

SECONDS := 60

build:
	@tools/setup.sh
	@$(MAKE) --no-print-directory build/build.ninja
	@cmake --build build --target portatune

demo:
	@tools/setup.sh --demo
	@$(MAKE) --no-print-directory build
	build/portatune fit --task text-classification --model $(DEMO)/minilm \
	  --train $(DEMO)/movie_reviews/train.tsv --validation $(DEMO)/movie_reviews/validation.tsv \
	  --head sigmoid --learning-rate 3e-5 --epochs 2 --steps-per-epoch 150 --output build/demo

test:
	@tools/setup.sh --aot
	@$(MAKE) --no-print-directory build/build.ninja
	@cmake --build build
	@ctest --test-dir build --output-on-failure --parallel $$(nproc)

fuzz:
	@tools/setup.sh
	@cmake -S . -B build-fuzz -G Ninja -DPORTATUNE_FUZZ=ON -DPORTATUNE_FUZZ_SECONDS=$(SECONDS) \
	  -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DPORTATUNE_DEPS=$(CACHE)/deps
	@cmake --build build-fuzz
	@ctest --test-dir build-fuzz --output-on-failure -R '^fuzz_'

bench:
	@tools/setup.sh --demo
	@$(MAKE) --no-print-directory build
	@cmake --build build --target portatune_tokenizer_bench portatune_generate_bench
	@for script in train_step generate startup accuracy tokenizer; do python3 -B bench/$$script.py || exit 1; done

clean:
	rm -rf build

build/build.ninja:
	cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DPORTATUNE_DEPS=$(CACHE)/deps
