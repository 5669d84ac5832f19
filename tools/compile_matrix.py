#!/usr/bin/env python3
"""Compiles a training step of every architecture with every head of docs/models/models.md that a task trains, for
every accelerator.

    tools/compile_matrix.py                                  # all, which takes an hour or two
    tools/compile_matrix.py --targets tpu:v5e,cuda:l4 --only bert
    tools/compile_matrix.py --sample 100                     # each hundredth step

`portatune plan` compiles the steps, so no accelerator is needed, only its compiler. The models are those of the tests,
without their weights (`--from-config`). Prints a line for each step. The exit code is 1 if one of them does
not compile, and 69 if a compiler is missing.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"
TARGETS = ["tpu:v2", "tpu:v3", "tpu:v4", "tpu:v5e", "tpu:v5p", "tpu:v6e", "tpu:7x", "cuda:h100", "cuda:h200",
           "cuda:a100-40gb", "cuda:a100-80gb", "cuda:l4"]
# The task of a head, and its options that choose the head.
TASKS = {"sequence": "text-classification", "token": "token-classification", "span": "question-answering",
         "choice": "multiple-choice", "masked LM": "masked-lm", "causal LM": "causal-lm", "text to text": "text-to-text",
         "replaced tokens": "replaced-token-detection", "next sentence": "next-sentence-prediction",
         "image": "image-classification", "sound": "audio-classification", "CTC": "speech-ctc",
         "speakers": "audio-classification --xvector", "contrasts": "speech-pretraining",
         "speech to text": "speech-seq2seq", "colours": "colorization"}
TEXT_OPTIONS = ["--max-length", "32"]
OPTIONS = {"text-to-text": [*TEXT_OPTIONS, "--max-target-length", "16"], "image-classification": [],
           "audio-classification": [], "audio-classification --xvector": ["--max-length-seconds", "1"],
           "colorization": [], "speech-ctc": ["--max-duration-seconds", "1"],
           "speech-pretraining": ["--max-duration-seconds", "1"],
           "speech-seq2seq": ["--max-target-length", "16", "--language", "en"]}
UNAVAILABLE = 69
DECODER = "-decoder"


def heads_by_architecture(page):
    """Returns model_type -> names of heads, from the tables of the page."""
    heads, by_name = {}, {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) < 4 or not re.match(r"`[\w-]+`", cells[1]) or cells[0] == "model":
            continue
        name = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", cells[0])
        first = cells[2].split(";")[0]
        other = re.match(r"as ([^,]+)", first)
        names = by_name[other[1]] if other else re.sub(r" \([^)]*\)", "", first).split(", ")
        by_name[name] = heads[cells[1].split("`")[1]] = names
    return heads


def is_decoder(config):
    """Returns whether the model is the decoder of an encoder-decoder model without its encoder."""
    return "decoder_layers" in config and not config.get("is_encoder_decoder", True)


def name_of(config):
    """Returns the model_type, with an ending for a decoder without its encoder."""
    return config["model_type"] + (DECODER if is_decoder(config) else "")


def configs():
    """Returns name_of() -> config.json of the first test case whose model can have every head."""
    found = {}
    for case in [*sorted((DATA / "models").iterdir()), DATA / "coltran" / "colorizer"]:
        config = json.loads((case / "config.json").read_text())
        if not config.get("add_adapter"):
            found.setdefault(name_of(config), config)
    return found


def preprocessor(config):
    """Returns preprocessor_config.json, which may be empty, for a model of images or sounds; None for one of texts."""
    if is_decoder(config):
        return None
    if config["model_type"] == "coltran":
        return {}
    if "image_size" in config:
        size = config["image_size"]
        height, width = size if isinstance(size, list) else (size, size)
        vit = json.loads((DATA / "image" / "processors" / "vit.json").read_text())
        return {**vit, "size": {"height": height, "width": width}}
    if "num_mel_bins" in config:
        return {"num_mel_bins": config["num_mel_bins"], "max_length": config["max_length"]}
    return {"feature_extractor_type": "Wav2Vec2FeatureExtractor"} if "conv_kernel" in config else None


def write_model(folder, config):
    """Writes a folder without weights, whose model reads texts of 512 tokens."""
    if name_of(config) == "whisper":  # with the tokens of its languages
        shutil.copytree(DATA / "speech_seq2seq", folder)
        return
    folder.mkdir()
    positions = {key: 512 for key in config.keys() & {"max_position_embeddings", "max_target_positions", "n_positions"}}
    (folder / "config.json").write_text(json.dumps({**config, **positions}))
    if (prepared := preprocessor(config)) is not None:
        (folder / "preprocessor_config.json").write_text(json.dumps(prepared))
        return
    for file in (DATA / "tiny_bert").glob("*token*"):
        shutil.copy(file, folder)
    shutil.copy(DATA / "tiny_bert" / "vocab.txt", folder)


def compiled(command, folder, task, target):
    """Compiles one step. Returns (seconds, ""), or (None, the reason), and whether the compiler is missing."""
    words = [command, "plan", "--from-config", "--model", folder, "--task", *task.split(), "--on", target,
             "--dtype", "bfloat16", "--batch-size", "2", *OPTIONS.get(task, TEXT_OPTIONS), "--json", "--quiet"]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if not done.stdout:
        return None, done.stderr.strip(), False
    (plan,) = json.loads(done.stdout)["targets"]
    if plan.get("compiles"):
        return plan["compile_seconds"], "", False
    return None, plan.get("unavailable") or json.dumps(plan), "unavailable" in plan


def steps_of(models, targets, only):
    """Returns (name_of(), task, target) of every step, the targets of a task one after the other."""
    heads = heads_by_architecture((ROOT / "docs" / "models" / "models.md").read_text())
    heads |= {model: ["causal LM"] for model in models if model.endswith(DECODER)}
    if missing := heads.keys() ^ models.keys():
        sys.exit(f"compile_matrix: docs/models/models.md and tests/data/models differ in {', '.join(sorted(missing))}")
    return [(model, TASKS[head], target) for model, names in sorted(heads.items()) if model in (only or heads)
            for head in names if head in TASKS for target in targets]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", default=str(ROOT / "build" / "portatune"), help="the command [build/portatune]")
    parser.add_argument("--targets", default=",".join(TARGETS), help="accelerators, as of plan --on")
    parser.add_argument("--only", action="append", metavar="MODEL_TYPE", help="only this architecture; repeatable")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="compile each Nth step [1]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers at once [number of cores]")
    options = parser.parse_args()

    models = configs()
    steps = steps_of(models, options.targets.split(","), options.only)[::options.sample]
    failed, missing = 0, 0
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folder = pathlib.Path(temporary)
        for model in {model for model, _, _ in steps}:
            write_model(folder / model, models[model])
        outcomes = pool.map(lambda step: compiled(options.command, folder / step[0], *step[1:]), steps)
        for step, (seconds, reason, is_missing) in zip(steps, outcomes):
            print(f"{' '.join(step):<68}", f"{seconds:6.1f} s" if seconds is not None else reason, flush=True)
            missing += is_missing
            failed += seconds is None and not is_missing
    print(f"{len(steps) - failed - missing} of {len(steps)} steps compile")
    return 1 if failed else UNAVAILABLE if missing else 0


if __name__ == "__main__":
    sys.exit(main())
