#!/usr/bin/env python3
"""Checks Portatune on a device in one command, for machines with a GPU and without a network.

usage: tools/gpu_check.py [--command build/portatune] [--device cuda] [--budget 600] [--jobs 8] [--output gpu_check]

The most important checks run first, until the seconds of --budget are used: the device is found, small models give
transformers' results, each task trains as on the CPU, texts and cuDNN's attention are right, a killed run resumes to
the same bits, and a run needs the memory that `plan` predicts. Then the time of training steps of models of real sizes,
beside torch in --python where it is installed. Writes OUTPUT.json (every command with its exit code and, if it failed,
its last lines) and OUTPUT.md (tables). Exit code: 0 if no check failed, 1 otherwise.

--command   the command; it and the folders tests/data, tools and bench/peers of this repository are all that is needed
--only      checks whose name contains this text; may be given several times
--jobs      number of checks at the same time; speeds are measured alone. By default half the CPUs, at most 8
--folder    a folder for toy data, runs and compiled programs, which is kept; by default a temporary one
--plugin    the XLA plugin; by default the installed one, or the newest jax_plugins/xla_cuda*/xla_cuda_plugin.so of
            --python
--python    a Python with torch and transformers for the comparison of speeds
"""

import argparse
import concurrent.futures
import contextlib
import copy
import dataclasses
import datetime
import hashlib
import itertools
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import page_data  # noqa: E402, of this folder

CASES = ROOT / "tests" / "data" / "models"
# Cases that go first: a model of each kind of layers.
FIRST_CASES = ("bert_softmax", "gpt2_lm", "llama_lm", "vit_softmax", "t5_lm", "bart_lm", "modernbert_mlm", "gemma2_lm")
PEER = ROOT / "bench" / "peers" / "train_step.py"
# Options of `fit` for each task on the toy data.
TASKS = {
    "text-classification": "--model bert --train train.csv",
    "next-sentence-prediction": "--task next-sentence-prediction --model bert --train train.csv --text-pair-column sent2",
    "token-classification": "--task token-classification --model bert --train train.conll",
    "replaced-token-detection": "--task replaced-token-detection --model electra --train replaced.jsonl",
    "question-answering": "--task question-answering --model bert --train train-v2.0.json --version-2-with-negative",
    "multiple-choice": "--task multiple-choice --model bert --train swag.csv",
    "masked-lm": "--task masked-lm --model bert --train corpus.txt",
    "causal-lm": "--task causal-lm --model gpt2 --train corpus.txt",
    "summarization": "--task summarization --model bart --train articles.csv",
    "image-classification": "--task image-classification --model vit --train photos/train",
    "audio-classification": "--task audio-classification --model ast --train speech/train",
    "speech-ctc": "--task speech-ctc --model wav2vec2-pretrained --train talks/train.csv",
    "speech-seq2seq": "--task speech-seq2seq --model whisper --language en --train talks/train.csv",
}
# Dense FLOPs per second in bfloat16 by a word in the name of the device; from the data sheets of NVIDIA.
PEAKS = {"H200": 989.4e12, "H100": 989.4e12, "A100": 312e12, "L40S": 362e12, "L40": 181e12, "L4": 121e12, "A10": 125e12, "T4": 65e12}
BERT = {"architectures": ["BertForSequenceClassification"], "model_type": "bert", "vocab_size": 30522,
        "max_position_embeddings": 512, "type_vocab_size": 2, "hidden_act": "gelu", "pad_token_id": 0}
BERT_BASE = {**BERT, "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072}
BERT_LARGE = {**BERT, "hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}
GPT2 = {"architectures": ["GPT2ForSequenceClassification"], "model_type": "gpt2", "vocab_size": 50257, "pad_token_id": 0,
        "n_positions": 1024, "n_embd": 768, "n_layer": 12, "n_head": 12}
LLAMA = {"architectures": ["LlamaForSequenceClassification"], "model_type": "llama", "vocab_size": 32000,
         "pad_token_id": 0, "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32,
         "num_key_value_heads": 8, "intermediate_size": 8192, "max_position_embeddings": 2048}
# (name, config, rows of a step, tokens of a row, options). cuDNN's attention has no dropout of attention weights.
SPEEDS = (
    ("BERT-base", BERT_BASE, 256, 128, ""),
    ("BERT-base cuDNN", {**BERT_BASE, "attention_probs_dropout_prob": 0}, 256, 128, "--cudnn-attention"),
    ("BERT-large", BERT_LARGE, 32, 384, ""),
    ("BERT-large cuDNN", {**BERT_LARGE, "attention_probs_dropout_prob": 0}, 32, 384, "--cudnn-attention"),
    ("GPT-2 cuDNN", {**GPT2, "attn_pdrop": 0}, 16, 1024, "--cudnn-attention"),
    ("Llama 1B cuDNN", LLAMA, 4, 1024, "--cudnn-attention"),
)
# Targets of `plan` by a word in the name of the device.
PLANNED = {"H200": "cuda:h200", "H100": "cuda:h100", "L4": "cuda:l4"}
SHORTEST = 5  # seconds that a command needs at least


class Failure(Exception):
    """A check whose result is wrong."""


class Skip(Exception):
    """A check that does not concern this device."""


class NoTime(Exception):
    """The budget is used."""


@dataclasses.dataclass
class Result:
    """The outcome of a check, with all that it ran."""

    name: str
    outcome: str = "passed"
    why: str = ""
    seconds: float = 0
    commands: list = dataclasses.field(default_factory=list)
    figures: dict = dataclasses.field(default_factory=dict)


class Lab:
    """A folder with toy data, in which the commands of a check run within the budget."""

    def __init__(self, options, folder):
        self.command, self.device, self.python = options.command.resolve(), options.device, options.python
        self.folder, self.end = folder, time.monotonic() + options.budget
        self.has_gpu = self.device.startswith("cuda")
        self.environment = {**os.environ, "HF_HUB_OFFLINE": "1", "XDG_CACHE_HOME": str(folder / "cache"),
                            "PORTATUNE_CPU_PLUGIN": str(cpu_plugin(self.command))}
        if options.plugin:
            self.environment["PORTATUNE_CUDA_PLUGIN"] = str(options.plugin)
        self.result = None
        folder.mkdir(parents=True, exist_ok=True)
        page_data.write_all(folder)

    def remaining(self):
        return self.end - time.monotonic()

    def run(self, text, *more, allowed=(0,), program=None):
        """Runs the command with the words of `text` and `more`; returns its standard output."""
        words = [str(program or self.command), *text.split(), *map(str, more)]
        if self.remaining() < SHORTEST:
            raise NoTime
        begin = time.monotonic()
        try:
            done = subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=self.remaining(), check=False)
        except subprocess.TimeoutExpired as error:
            self.record(words, "stopped at the end of the budget", begin, error.stderr)
            raise NoTime from None
        self.record(words, done.returncode, begin, None if done.returncode in allowed else done.stderr)
        if done.returncode not in allowed:
            raise Failure(f"exit code {done.returncode}: {last_lines(done.stderr, 3)}")
        return done.stdout

    def record(self, words, code, begin, stderr):
        entry = {"command": " ".join(words), "exit_code": code, "seconds": round(time.monotonic() - begin, 3)}
        if stderr:
            entry["last_lines"] = last_lines(stderr if isinstance(stderr, str) else stderr.decode(errors="replace"), 20)
        self.result.commands.append(entry)

    def json(self, text, *more, **settings):
        return json.loads([line for line in self.run(text, *more, **settings).splitlines() if line.startswith("{")][-1])

    @property
    def on(self):
        """The device's options for a command beside others."""
        return f"--device {self.device}" + (" --no-gpu-preallocate" if self.has_gpu else "")


def main():
    options = parse_options()
    chosen = [check for check in checks() if any(text in check.name for text in options.only or [""])]
    with contextlib.nullcontext(options.folder) if options.folder else tempfile.TemporaryDirectory() as folder:
        results = run_all(Lab(options, pathlib.Path(folder).resolve()), chosen, options.jobs)
    outcomes = [result.outcome for result in results]
    counts = ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in dict.fromkeys(outcomes)) or "no check"
    print(counts)
    write_results(options, [result for result in results if result.outcome != "no time" or result.commands], counts)
    sys.exit("failed" in outcomes)


def run_all(lab, chosen, jobs):
    results = []
    for alone, group in itertools.groupby(chosen, lambda check: check.alone):
        with concurrent.futures.ThreadPoolExecutor(1 if alone else jobs) as pool:
            for result in pool.map(lambda check: measure(lab, check), group):
                results.append(result)
                if result.outcome != "no time" or result.commands:
                    print(f"{result.outcome:8} {result.seconds:7.1f} s  {result.name}  {result.why}", flush=True)
    return results


def measure(lab, check):
    lab = copy.copy(lab)
    lab.result = result = Result(check.name)
    begin = time.monotonic()
    try:
        if lab.remaining() < SHORTEST:
            raise NoTime
        check.function(lab, result)
    except Failure as failure:
        result.outcome, result.why = "failed", str(failure)
    except Skip as reason:
        result.outcome, result.why = "skipped", str(reason)
    except NoTime:
        result.outcome, result.why = "no time", "the budget was used"
    result.seconds = round(time.monotonic() - begin, 3)
    return result


@dataclasses.dataclass
class Check:
    """A function of the lab and the result, which raises Failure or Skip. Nothing runs beside a check that is alone."""

    name: str
    function: object
    alone: bool = False


def checks():
    """Yields each Check, the most important first."""
    yield Check("device", check_device, alone=True)
    yield from (Check(f"case {name}", case_check(name)) for name in FIRST_CASES[:1])
    yield Check("fit, evaluate, predict", check_fit)
    yield from (Check(f"case {name}", case_check(name)) for name in FIRST_CASES[1:])
    yield from (Check(f"task {name}", task_check(name)) for name in TASKS)
    yield Check("generation", check_generation)
    yield Check("cuDNN attention", check_cudnn_attention)
    yield Check("kill and resume", check_resume)
    yield Check("memory", check_memory, alone=True)
    yield from (Check(f"speed {name}", speed_check(name, *setting), alone=True) for name, *setting in SPEEDS)
    others = sorted(path.name for path in CASES.iterdir() if path.name not in FIRST_CASES)
    yield from (Check(f"case {name}", case_check(name)) for name in others)


def check_device(lab, result):
    found = lab.json(f"devices --json {lab.on}")
    result.figures = {key: found.get(key) for key in ("platform", "version", "devices", "memory")}
    if not found["devices"]:
        raise Failure("the plugin found no device")


def case_check(name):
    def check(lab, result):
        report = lab.json(f"parity --json {lab.on} --case", CASES / name, allowed=(0, 1))
        beyond = [tensor["tensor"] for tensor in report["tensors"] if not tensor["passed"]]
        result.figures = {"tensors": len(report["tensors"]), "beyond": beyond}
        if not report["passed"]:
            raise Failure(f"{len(beyond)} of {len(report['tensors'])} tensors differ: {', '.join(beyond[:3])}")

    return check


def task_check(name):
    def check(lab, result):
        report = lab.json(f"parity --json {lab.on} --against cpu --steps 4 --batch-size 8 {TASKS[name]}",
                          allowed=(0, 1))
        result.figures = {key: report[key] for key in ("loss_apart_max", "first_drift")}
        if not report["passed"]:
            raise Failure(f"the runs differ: {report['first_drift']}")

    return check


def check_fit(lab, result):
    lab.run(f"fit --model bert --train train.csv --validation dev.csv --epochs 2 --output tuned {lab.on}")
    here, there = (lab.json(f"evaluate --json --model tuned --data dev.csv {device}")
                   for device in (lab.on, "--device cpu"))
    lab.run(f"predict --model tuned --data new.csv --output new.jsonl {lab.on}")
    result.figures = {"loss": here["loss"], "loss_on_cpu": there["loss"]}
    if abs(here["loss"] - there["loss"]) > 1e-3 * max(1, abs(there["loss"])):
        raise Failure(f"the loss is {here['loss']}, and {there['loss']} on the CPU")


def check_generation(lab, result):
    for model, search in (("gpt2", ""), ("gpt2", "--num-beams 3"), ("bart", "")):
        words = f"generate --model {model} --max-new-tokens 12 --min-new-tokens 12 --no-do-sample {search}"
        here, there = (lab.run(f"{words} {device} --prompt", "the film was good") for device in (lab.on, "--device cpu"))
        result.figures[f"{model} {search}".strip()] = here
        if here != there:
            raise Failure(f"{model} {search}: {here!r}, and {there!r} on the CPU")


def check_cudnn_attention(lab, result):
    if not lab.has_gpu:
        raise Skip("cuDNN is for GPUs")
    config = {**BERT_BASE, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128,
              "attention_probs_dropout_prob": 0}
    report = lab.json(f"parity --json {lab.on} --dtype bfloat16 --against cudnn-attention --steps 4 --batch-size 8 "
                      "--from-config --train train.csv --padding max_length --max-length 32 --model",
                      make_config(lab, "cuDNN", config), allowed=(0, 1))
    result.figures = {key: report[key] for key in ("loss_apart_max", "first_drift")}
    result.figures["gradients_apart"] = max(step.get("gradients_apart", 0) for step in report["steps"])
    if result.figures["gradients_apart"] == 0:
        raise Failure("both runs have the same bits: cuDNN was not used")
    if not report["passed"]:
        raise Failure(f"the runs differ: {report['first_drift']}")


def check_resume(lab, result):
    """A run is killed after its second checkpoint and resumed; it must end with the bits of an undisturbed run."""
    words = f"fit --model bert --train train.csv --batch-size 4 --epochs 8 --checkpoint-every 4 {lab.on} --output"
    lab.run(words, "whole")
    begin = time.monotonic()
    run = subprocess.Popen([lab.command, *words.split(), "broken"], cwd=lab.folder, env=lab.environment,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while run.poll() is None and not (lab.folder / "broken" / "checkpoint-8").exists() and lab.remaining() > SHORTEST:
        time.sleep(0.002)
    is_killed = run.poll() is None
    run.send_signal(signal.SIGKILL)
    lab.record([str(word) for word in run.args], run.wait(), begin, None)
    lab.run(words, "broken", "--resume")
    hashes = [hashlib.sha256((lab.folder / name / "model.safetensors").read_bytes()).hexdigest()
              for name in ("whole", "broken")]
    result.figures = {"killed": is_killed, "sha256": hashes}
    if hashes[0] != hashes[1]:
        raise Failure("the resumed run has other weights")


def check_memory(lab, result):
    """A run needs at most the memory that `plan` predicts for this device, within 10 %."""
    if not lab.has_gpu:
        raise Skip("the memory of a process on a CPU has other parts")
    target = of_device(lab, PLANNED)
    if target is None:
        raise Skip(f"this check has targets of plan for {', '.join(PLANNED)} only")
    rows = lab.folder / "rows.csv"
    rows.write_text("text,label\n" + "".join(f"the film was good,{row % 2}\n" for row in range(256)))
    words = (f"--from-config --model {make_config(lab, 'memory', BERT_BASE)} --train {rows} --dtype bfloat16 "
             "--batch-size 64 --max-length 128 --padding max_length")
    lab.run(f"fit {words} --max-steps 4 --logging-steps 1 --output memory-run {lab.on}")
    records = map(json.loads, (lab.folder / "memory-run" / "metrics.jsonl").read_text().splitlines())
    measured = max(record.get("device_memory_bytes", 0) for record in records)
    if not measured:
        raise Failure("the plugin reports no memory of the device")
    (planned,) = (one["memory"]["total"] for one in lab.json(f"plan {words} --json --quiet --on {target}")["targets"])
    result.figures = {"planned_bytes": planned, "measured_bytes": measured}
    if measured > 1.1 * planned:
        raise Failure(f"{measured:,} bytes, and {planned:,} by plan")


def speed_check(name, config, batch_size, length, options):
    def check(lab, result):
        if not lab.has_gpu:
            raise Skip("sizes for GPUs; bench/train_step.py has those for CPUs")
        words = ["--from-config", "--model", make_config(lab, name, config), "--batch-size", batch_size, "--max-length",
                 length, "--dtype", "bfloat16", "--steps", 20, "--device", lab.device]
        timed = lab.json("bench", *words, *options.split())
        seconds = min(timed["step_seconds"])
        result.figures = {"step_seconds": seconds, "compile_seconds": timed["compile_seconds"],
                          "flops_utilization": utilization(lab, config, batch_size, length, seconds)}
        for mode in ("eager", "compile") if lab.python else ():
            peer = lab.json(str(PEER), *words, *(["--compile"] if mode == "compile" else []), program=lab.python)
            result.figures[f"torch_{mode}_step_seconds"] = min(peer["step_seconds"])

    return check


def make_config(lab, name, config):
    """Makes a folder with this config and the toy tokenizer."""
    folder = lab.folder / name.replace(" ", "-")
    folder.mkdir()
    for file in (lab.folder / "bert").glob("*token*"):
        shutil.copy(file, folder)
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def utilization(lab, config, batch_size, length, seconds):
    """Share of the device's peak, or None if that is unknown. A step has 6 FLOPs for each token and weight of the layers,
    and 12 for each pair of tokens of a row and feature (scores and their use, forward and backward), of which causal
    models need half."""
    tokens = batch_size * length
    flops = tokens * (6 * layer_weights(config) + 12 * attended_features(config) * length)
    peak = of_device(lab, PEAKS)
    return flops / seconds / peak if peak else None


def of_device(lab, table):
    """The value of the word in a table that the device has in its name, or None."""
    names = " ".join(lab.json(f"devices --json {lab.on}")["devices"])
    return next((value for word, value in table.items() if re.search(rf"\b{word}\b", names)), None)


def layer_weights(config):
    if config["model_type"] == "gpt2":
        return 12 * config["n_layer"] * config["n_embd"] ** 2
    hidden, layers, inner = (config[key] for key in ("hidden_size", "num_hidden_layers", "intermediate_size"))
    if config["model_type"] == "llama":
        shared = config["num_key_value_heads"] / config["num_attention_heads"]
        return layers * hidden * (2 * hidden * (1 + shared) + 3 * inner)
    return layers * hidden * (4 * hidden + 2 * inner)


def attended_features(config):
    if config["model_type"] == "gpt2":
        return config["n_layer"] * config["n_embd"] / 2
    features = config["num_hidden_layers"] * config["hidden_size"]
    return features / 2 if config["model_type"] == "llama" else features


def write_results(options, results, counts):
    facts = {"time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
             "machine": f"{platform.machine()}, {os.cpu_count()} CPUs", "device": options.device,
             "command": str(options.command), "plugin": str(options.plugin or ""),
             "budget_seconds": options.budget, "outcome": counts}
    options.output.parent.mkdir(parents=True, exist_ok=True)
    report = {**facts, "checks": [dataclasses.asdict(result) for result in results]}
    options.output.with_suffix(".json").write_text(json.dumps(report, indent=1))
    lines = ["# Check of a device", "", *(f"- {key}: {value}" for key, value in facts.items()), "",
             "| check | outcome | seconds | figures |", "| --- | --- | --- | --- |"]
    lines += [f"| {result.name} | {result.outcome} {result.why} | {result.seconds:.1f} | "
              f"{json.dumps(result.figures)[:300]} |".replace("\n", " ") for result in results]
    failed = [command for result in results if result.outcome == "failed" for command in result.commands]
    lines += ["", *(f"Command of a failed check: `{command['command']}` ended with {command['exit_code']}\n"
                    for command in failed)]
    options.output.with_suffix(".md").write_text("\n".join(lines) + "\n")


def last_lines(text, count):
    return " | ".join(text.strip().splitlines()[-count:])


def cpu_plugin(command):
    """The plugin beside the command, or that of the user's cache: the checks have a cache of their own."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache", "portatune", "deps")
    found = [command.parent / "xla_cpu_pjrt.so", *sorted(cache.glob("xla_cpu_pjrt-*/xla_cpu_pjrt.so"))]
    return next((file.resolve() for file in found if file.exists()), "")


def cuda_plugin(python):
    """The newest CUDA plugin of a Python, or None."""
    code = "import jax_plugins; print(*jax_plugins.__path__, sep='\\n')"
    done = subprocess.run([python or sys.executable, "-c", code], capture_output=True, text=True, check=False)
    found = [file for folder in done.stdout.split()
             for file in pathlib.Path(folder).glob("xla_cuda*/xla_cuda_plugin.so")]
    return max(found, default=None)


def has_torch(python):
    done = subprocess.run([python, "-c", "import torch, transformers"], capture_output=True, check=False)
    return done.returncode == 0


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", type=pathlib.Path, default=ROOT / "build" / "portatune")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--plugin", type=pathlib.Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--budget", type=float, default=600)
    parser.add_argument("--only", action="append")
    parser.add_argument("--jobs", type=int, default=max(1, min(8, (os.cpu_count() or 1) // 2)))
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("gpu_check"))
    options = parser.parse_args()
    if not options.command.exists():
        parser.error(f"{options.command} is missing: run `make build`, or give --command")
    if not options.plugin and options.device.startswith("cuda"):
        options.plugin = cuda_plugin(options.python)
    if not has_torch(options.python):
        options.python = None
    return options


if __name__ == "__main__":
    main()
