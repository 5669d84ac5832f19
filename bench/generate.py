#!/usr/bin/env python3
"""bench/generate.py: seconds to read prompts and to generate tokens, Portatune and transformers alternately.

Models of the sizes of GPT-2, OPT-125M, BART-base and T5-small with random weights; prompts of 128 tokens, 64 new ones;
greedy search, or four beams. The peer's figure
is that of the faster one of its dynamic and static caches. Needs `make build` and `cmake --build build --target
portatune_generate_bench`.
"""

import argparse

from harness import CACHE, PEERS, ROOT, json_line, peer_python, report_seconds, run

PORTATUNE = ROOT / "build" / "bench" / "portatune_generate_bench"
TOKENS, NEW_TOKENS = 128, 64


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="turns of each side, with two runs each")
    parser.add_argument("--models", nargs="+", default=["gpt2", "opt"], choices=["gpt2", "opt", "bart", "t5"])
    parser.add_argument("--search", default="greedy", choices=["greedy", "beams"])
    parser.add_argument("--prompts", nargs="+", type=int, default=[1, 8])
    parser.add_argument("--dtype", default="float32", choices=["float32", "bfloat16"])
    parser.add_argument("--caches", nargs="+", default=["dynamic", "static"], choices=["dynamic", "static"])
    options = parser.parse_args()
    python = peer_python()
    for kind in options.models:
        model = CACHE / "bench" / f"decoder-{kind}"
        if not model.exists():
            run(python, PEERS / "make_decoder.py", model, kind)
        for prompts in options.prompts:
            compare(f"generate_{kind}_{options.search}_{prompts}_{options.dtype}", python, model, prompts, options)


def compare(name, python, model, prompts, options):
    sizes = [model, "--prompts", prompts, "--tokens", TOKENS, "--new-tokens", NEW_TOKENS, "--rounds", 2]
    sizes += ["--dtype", options.dtype, "--search", options.search]
    portatune = {"prefill_s": [], "decode_s": []}
    peers = {cache: {"prefill_s": [], "decode_s": []} for cache in options.caches}
    for _ in range(options.rounds):
        add(portatune, json_line(run(PORTATUNE, *sizes)[0]))
        for cache, peer in peers.items():
            add(peer, json_line(run(python, PEERS / "generate.py", *sizes, "--cache", cache)[0]))
    for part, tokens in (("prefill_s", TOKENS), ("decode_s", NEW_TOKENS - 1)):
        peer = min((peer[part] for peer in peers.values()), key=min)
        report_seconds(f"{name}_{part.removesuffix('_s')}", portatune[part], peer)
        rates = [prompts * tokens / min(seconds) for seconds in (portatune[part], peer)]
        print(f"  tokens per second: portatune {rates[0]:.1f}, peer {rates[1]:.1f}", flush=True)


def add(figures, more):
    for part in figures:
        figures[part] += more[part]


if __name__ == "__main__":
    main()
