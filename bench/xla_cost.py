#!/usr/bin/env python3
"""bench/xla_cost.py: the cost of training steps by XLA's own analysis, beside the same steps written in JAX.

Both sides are compiled for a TPU that need not be present: Portatune by `portatune plan`, JAX by
bench/peers/jax_step.py. Prints FLOPs, bytes, temporary memory, the seconds of the compilation, and Portatune's share of
each. Both use the plugin of JAX's environment, which has the packages of bench/peers/jax_requirements.txt (--jax; by
default it is made). Needs `make build`; --tokenizers is as in bench/plan_sizes.py.
"""

import argparse
import pathlib
import tempfile

import plan_sizes
from harness import CACHE, PEERS, PORTATUNE, install, json_line, run

GPT2 = {
    "model_type": "gpt2", "vocab_size": 50257, "n_positions": 1024, "n_embd": 768, "n_layer": 12, "n_head": 12,
    "activation_function": "gelu_new", "attn_pdrop": 0.1, "embd_pdrop": 0.1, "resid_pdrop": 0.1,
    "layer_norm_epsilon": 1e-5, "bos_token_id": 50256, "eos_token_id": 50256,
}  # fmt: skip
T5 = {
    "model_type": "t5", "vocab_size": 32128, "d_model": 768, "d_kv": 64, "d_ff": 3072, "num_layers": 12,
    "num_decoder_layers": 12, "num_heads": 12, "relative_attention_num_buckets": 32, "dropout_rate": 0.1,
    "layer_norm_epsilon": 1e-6, "feed_forward_proj": "relu", "is_encoder_decoder": True, "pad_token_id": 0,
    "eos_token_id": 1, "decoder_start_token_id": 0,
}  # fmt: skip
# name: config, task, tokenizer, rows, tokens of a row (a T5 has a quarter of them in its target)
MODELS = {
    "BERT-base": (*plan_sizes.MODELS["BERT-base"][:3], 32, 128),
    "GPT-2": (GPT2, "causal-lm", "gpt2", 8, 512),
    "ViT-B/16": (*plan_sizes.MODELS["ViT-B/16"][:3], 32, 0),
    "T5-base": (T5, "text-to-text", "gpt2", 16, 256),
}
# Portatune's name of a target and JAX's of the topology.
TARGETS = {"tpu:v5e": "v5e:2x2", "tpu:v6e": "v6e:2x2"}
FIGURES = {"flops": 1e9, "bytes": 1e9, "temporaries": 2**30, "compile_seconds": 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokenizers", type=pathlib.Path, required=True, help="folder with bert and gpt2")
    parser.add_argument("--jax", type=pathlib.Path, help="Python with JAX")
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--targets", nargs="+", default=["tpu:v5e"], choices=list(TARGETS))
    parser.add_argument("--remat", action="store_true", help="compute the activations of layers again")
    options = parser.parse_args()
    options.jax = options.jax or install(CACHE / "bench" / "jax", "-r", PEERS / "jax_requirements.txt")
    options.plugin = run(options.jax, "-c", "import libtpu; print(libtpu.get_library_path())")[0].strip()
    print(f"{'':28}" + "".join(f"{name:>17}" for name in ("GFLOP", "GB", "temporary GiB", "compilation s")))
    for model in options.models:
        for target in options.targets:
            compare(options, model, target)


def compare(options, model, target):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name, "model")
        config, task, tokenizer, rows, length = MODELS[model]
        plan_sizes.write_model(folder, config, tokenizer, options.tokenizers)
        sides = {"portatune": planned(options, folder, task, target, rows, length),
                 "jax": compiled_by_jax(options, folder, target, rows, length)}  # fmt: skip
    for side, figures in sides.items():
        print(f"{model + ', ' + target + ', ' + side:28}" + cells(lambda f, s=figures: s[f] / FIGURES[f]), flush=True)
    print(f"{'  portatune / jax':28}" + cells(lambda f: sides["portatune"][f] / sides["jax"][f]), flush=True)


def cells(value):
    return "".join(f"{value(figure):17.2f}" for figure in FIGURES)


def planned(options, folder, task, target, rows, length):
    command = [PORTATUNE, "plan", "--on", target, "--json", "-q", "--dtype", "bfloat16", "--task", task]
    command += ["--model", folder, "--batch-size", rows]
    if length:
        command += ["--max-length", length]
    if task == "text-to-text":
        command += ["--max-target-length", length // 4]
    if options.remat:
        command += ["--remat", "layers"]
    printed, _ = run(*command, environment={"PORTATUNE_TPU_PLUGIN": options.plugin})
    shape = json_line(printed)["targets"][0]["shapes"][0]
    return {"flops": shape["xla_flops"], "bytes": shape["xla_bytes"], "temporaries": shape["memory"]["temporaries"],
            "compile_seconds": shape["compile_seconds"]}  # fmt: skip


def compiled_by_jax(options, folder, target, rows, length):
    command = [options.jax, PEERS / "jax_step.py", folder / "config.json", rows, length, TARGETS[target]]
    return json_line(run(*command, *(["--remat"] if options.remat else []))[0])


if __name__ == "__main__":
    main()
