#!/usr/bin/env python3
"""bench/plan_sizes.py: compiles training steps of models of real sizes for absent TPUs and GPUs, and reports the
memory on a device and the time of a step as the roofline estimates it.

Needs `make build` and the plugins (tools/setup.sh --aot). --tokenizers names a folder with `bert` and `gpt2`, each
with a tokenizer.json; weights are not needed. Results are appended to --output, one JSON object per line; steps whose
result is in that file are not compiled again. --table prints the results in that file. The whole matrix takes about
two hours on two cores.
"""

import argparse
import json
import pathlib
import shutil
import struct
import subprocess
import tempfile
import zlib

from harness import PORTATUNE

TARGETS = [
    "tpu:v2", "tpu:v3", "tpu:v4", "tpu:v5e", "tpu:v5p", "tpu:v6e", "tpu:7x", "cuda:h100", "cuda:a100-40gb", "cuda:l4",
]  # fmt: skip

BERT = {
    "model_type": "bert", "vocab_size": 30522, "max_position_embeddings": 512, "type_vocab_size": 2, "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1, "layer_norm_eps": 1e-12, "pad_token_id": 0,
}  # fmt: skip
BASE = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072}
LARGE = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}

# name: config, task, tokenizer, rows of a step, tokens of a row
MODELS = {
    "BERT-base": ({**BERT, **BASE}, "text-classification", "bert", 32, 128),
    "BERT-base, masked LM": ({**BERT, **BASE}, "masked-lm", "bert", 32, 128),
    "BERT-large": ({**BERT, **LARGE}, "text-classification", "bert", 32, 128),
    "RoBERTa-base": (
        {**BERT, **BASE, "model_type": "roberta", "vocab_size": 50265, "max_position_embeddings": 514,
         "type_vocab_size": 1, "layer_norm_eps": 1e-5, "pad_token_id": 1},
        "text-classification", "gpt2", 32, 128,
    ),
    "ViT-B/16": (
        {**BASE, "model_type": "vit", "image_size": 224, "patch_size": 16, "num_channels": 3, "hidden_act": "gelu",
         "layer_norm_eps": 1e-12, "qkv_bias": True, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0},
        "image-classification", None, 32, None,
    ),
    "OPT-350m": (
        {"model_type": "opt", "vocab_size": 50272, "hidden_size": 1024, "word_embed_proj_dim": 512,
         "num_hidden_layers": 24, "num_attention_heads": 16, "ffn_dim": 4096, "max_position_embeddings": 2048,
         "do_layer_norm_before": False, "activation_function": "relu", "dropout": 0.1, "pad_token_id": 1,
         "bos_token_id": 2, "eos_token_id": 2},
        "causal-lm", "gpt2", 8, 512,
    ),
    "Llama-1B": (
        {"model_type": "llama", "vocab_size": 128256, "hidden_size": 2048, "num_hidden_layers": 16,
         "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 8192,
         "max_position_embeddings": 8192, "rms_norm_eps": 1e-5, "rope_theta": 500000.0, "hidden_act": "silu",
         "tie_word_embeddings": True, "bos_token_id": 1, "eos_token_id": 2},
        "causal-lm", "gpt2", 4, 512,
    ),
}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokenizers", type=pathlib.Path, help="folder with bert and gpt2")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("plan_sizes.jsonl"))
    parser.add_argument("--portatune", type=pathlib.Path, default=PORTATUNE)
    parser.add_argument("--targets", nargs="+", default=TARGETS)
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    known = {(r["model"], r["target"]): r for r in map(json.loads, lines_of(options.output))}
    if options.table:
        return print_table(known)
    if not options.tokenizers:
        parser.error("--tokenizers is needed to compile")
    for target in options.targets:
        for model in options.models:
            if (model, target) in known:
                continue
            result = {"model": model, **planned(options, model, target)}
            with options.output.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
            print(model, target, "fits" if result.get("fits") else result.get("reason", "does not fit"), flush=True)


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def planned(options, model, target):
    config, task, tokenizer, rows, length = MODELS[model]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_model(folder / "model", config, tokenizer, options.tokenizers)
        command = [options.portatune, "plan", "--on", target, "--json", "-q", "--dtype", "bfloat16", "--task", task]
        command += ["--model", folder / "model", "--train", write_data(folder, task), "--batch-size", rows]
        if length:
            command += ["--max-length", length]
        printed = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, check=True, text=True).stdout
    return json.loads(printed)["targets"][0]


def write_model(folder, config, tokenizer, tokenizers):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"initializer_range": 0.02, **config}), encoding="utf-8")
    # No tensors: a plan loads none.
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", 8) + b"{}      ")
    if tokenizer:
        shutil.copy(tokenizers / tokenizer / "tokenizer.json", folder)
    else:
        processor = {"image_processor_type": "ViTImageProcessor", "do_resize": True, "size": {"height": 224, "width": 224},
                     "resample": 2, "do_rescale": True, "rescale_factor": 1 / 255, "do_normalize": True,
                     "image_mean": [0.5] * 3, "image_std": [0.5] * 3}  # fmt: skip
        (folder / "preprocessor_config.json").write_text(json.dumps(processor), encoding="utf-8")


def write_data(folder, task):
    if task == "image-classification":
        for label in ("a", "b"):
            (folder / "images" / label).mkdir(parents=True)
            (folder / "images" / label / "grey.png").write_bytes(grey_png(32))
        return folder / "images"
    if task in ("masked-lm", "causal-lm"):
        (folder / "lines.txt").write_text("a line of a few words\n" * 2000, encoding="utf-8")
        return folder / "lines.txt"
    (folder / "rows.csv").write_text("text,label\n" + "a text,0\nanother text,1\n" * 100, encoding="utf-8")
    return folder / "rows.csv"


def grey_png(size):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = (b"\0" + b"\x80" * (3 * size)) * size
    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")


def print_table(known):
    targets = [target for target in TARGETS if any(target == t for _, t in known)]
    print("| GiB; ms a step | " + " | ".join(targets) + " |")
    print("| --- |" + " --- |" * len(targets))
    for model, (_, _, _, rows, length) in MODELS.items():
        size = f"{rows} x {length}" if length else f"{rows} images"
        print(f"| {model}, {size} | " + " | ".join(cell(known.get((model, target))) for target in targets) + " |")


def cell(result):
    if result is None:
        return ""
    if "memory" not in result:
        return "too large" if result.get("fits") is False else "does not compile"
    gib = result["memory"]["total"] / 2**30
    return f"{gib:.1f}; {result['step_seconds'] * 1e3:.1f}" if result["fits"] else f"{gib:.1f}, too large"


if __name__ == "__main__":
    main()
