"""Damaged inputs: each is read, or refused with a message. A damaged checkpoint never changes a result."""

import dataclasses
import gzip
import re
import shutil
import struct
import zlib

import chains
import lab
import settings

# Exit codes that README.md names for invalid inputs. 1 is out of memory, 74 a failed read.
REFUSED = {0, 1, 2, 65, 66, 74, 76}
MOST_BYTES = 2 << 30  # maximum of resident memory; Arrow alone may take 1 GB
NUMBERS = (b"-1", b"0", b"1e999", b"NaN", b"2147483648", b"18446744073709551616", b"-9223372036854775809", b"null",
           b'""', b"[]")

ONE_STEP = "--max-length 16 --batch-size 16 --max-steps 1 --output out"


@dataclasses.dataclass(frozen=True)
class Input:
    """A file of the toys, and a command that reads it."""

    name: str
    files: tuple  # patterns below the toys
    words: str


INPUTS = (
    Input("safetensors", ("bert/model.safetensors",), f"fit --model toys/bert --train toys/train.csv {ONE_STEP}"),
    Input("shards and index", ("bert_shards/*.safetensors", "bert_shards/*.index.json"),
          f"fit --model toys/bert_shards --train toys/train.csv {ONE_STEP}"),
    Input("tokenizer.json", ("bert/tokenizer.json", "bert/tokenizer_config.json"),
          "tokenize --tokenizer toys/bert --input toys/train.csv --output out"),
    Input("vocab.txt", ("plain/vocab.txt", "plain/tokenizer_config.json"),
          "tokenize --tokenizer toys/plain --input toys/train.csv --output out"),
    Input("config.json", ("bert/config.json",), f"fit --model toys/bert --train toys/train.csv {ONE_STEP}"),
    Input("a trained model", ("tuned/config.json", "tuned/portatune.json", "tuned/model.safetensors"),
          "predict --model toys/tuned --data toys/validation.csv --output out"),
    Input("CSV", ("train.csv",), "tokenize --tokenizer toys/bert --input toys/train.csv --output out"),
    Input("CSV to train on", ("train.csv",), f"fit --model toys/bert --train toys/train.csv {ONE_STEP}"),
    Input("JSON Lines", ("train.jsonl",), "tokenize --tokenizer toys/bert --input toys/train.jsonl --output out"),
    Input("gzip", ("train.jsonl.gz",), "tokenize --tokenizer toys/bert --input toys/train.jsonl.gz --output out"),
    Input("CoNLL", ("train.conll",), "fit --task token-classification --model toys/bert --train toys/train.conll "
          f"{ONE_STEP}"),
    Input("TFRecord", ("train.tfrecord", "train.tfrecord.index"), "tfrecord inspect toys/train.tfrecord --verify"),
    Input("TFRecord to train on", ("train.tfrecord", "train.tfrecord.index"),
          f"fit --model toys/bert --train toys/train.tfrecord {ONE_STEP}"),
    Input("PNG", ("images/*/*.png",), "fit --task image-classification --model toys/vit --train toys/images "
          "--batch-size 8 --max-steps 1 --output out"),
    Input("JPEG", ("photos/*.jpg",), "tfrecord write --input toys/photos.csv --image-column image --output out"),
    Input("JPEG to train on", ("photos/*.jpg",), "fit --task image-classification --model toys/vit "
          "--train toys/photos.csv --image-column image --batch-size 4 --max-steps 1 --output out"),
    Input("WebP to train on", ("webp/*.webp",), "fit --task image-classification --model toys/vit "
          "--train toys/webp.csv --image-column image --batch-size 4 --max-steps 1 --output out"),
    Input("archive of JPEG", ("photos.tar",), "fit --task image-classification --model toys/vit "
          "--train toys/photos.tar --image-column jpg --label-column cls --batch-size 4 --max-steps 1 --output out"),
    Input("WAV", ("speech/*.wav", "speech.csv"), "fit --task speech-ctc --model toys/wav2vec2 --from-config "
          "--train toys/speech.csv --batch-size 4 --max-steps 1 --output out"),
    Input("recordings", ("recordings/*",), "fit --task audio-classification --model toys/wav2vec2 --from-config "
          "--train toys/recordings.csv --audio-column audio --label-column label --batch-size 4 --max-steps 1 "
          "--output out"),
    Input("SQuAD", ("questions.json",), "fit --task question-answering --model toys/bert --train toys/questions.json "
          f"{ONE_STEP}"),
    Input("adapter", ("adapter/adapter_config.json", "adapter/adapter_model.safetensors", "adapter/portatune.json"),
          "predict --model toys/adapter --data toys/validation.csv --output out"),
    Input("stages", ("stages.yaml",), "fit --task masked-lm --model toys/bert_mlm --train toys/corpus.txt "
          "--max-length 16 --batch-size 16 --grow toys/stages.yaml --output out"),
    Input("Arrow", ("data-00000-of-00001.arrow",), "fit --model toys/bert --train toys/data-00000-of-00001.arrow "
          f"{ONE_STEP}"),
    Input("Parquet", ("rows.parquet",), f"fit --model toys/bert --train toys/rows.parquet {ONE_STEP}"),
    Input("recipe", ("recipe.yaml",),
          "fit --recipe toys/recipe.yaml --model toys/bert --train toys/train.csv --output out"),
)


def mutants(the_lab, index, rng):
    """A damaged input, or a damaged checkpoint."""
    inputs = the_lab.some(INPUTS)
    kind = CHECKPOINT_RUN if index % 5 == 4 else inputs[index % len(inputs)]
    outcome = chains.Outcome(kind.name, tried=1)
    try:
        if kind is CHECKPOINT_RUN:
            damaged_checkpoint(the_lab, index, rng, outcome)
        else:
            damaged_input(the_lab, kind, f"mutants-{index}", rng, outcome)
    except lab.Hang:
        outcome.add("hangs", f"no end within {the_lab.timeout} s")
    return outcome


def damaged_input(the_lab, kind, name, rng, outcome):
    setting = settings.Setting(f"damaged {kind.name}", tuple(kind.words.split()))  # not the name of another command
    trial = lab.Trial(the_lab, setting, the_lab.folder / "trials" / name, the_lab.baseline(setting).cache)
    own_toys(trial)
    files = sorted(file for pattern in kind.files for file in (trial.folder / "toys").glob(pattern))
    outcome.what += ", " + "; ".join(damage(rng.choice(files), rng) for _ in range(rng.choice((1, 1, 1, 2, 3))))
    ended = trial.run()
    check(ended, REFUSED, trial, outcome)
    if any(ended.codes) and not re.search("^(portatune|  corrupt):", trial.log(), re.MULTILINE):
        outcome.add("exit codes", f"refused without a message: {chains.tail(trial)}")


def own_toys(trial):
    """Replaces the link to the toys by copies, which the trial may damage."""
    (trial.folder / "toys").unlink()
    shutil.copytree(trial.lab.toys, trial.folder / "toys")


def check(ended, allowed, trial, outcome):
    if not set(ended.codes) <= allowed:
        outcome.add("exit codes", f"{ended.codes}: {chains.tail(trial)}")
    if ended.peak_bytes > MOST_BYTES:
        outcome.add("exit codes", f"it took {ended.peak_bytes >> 20} MB")


CHECKPOINT_RUN = settings.fit("run with a damaged checkpoint", f"{settings.TABLE} --keep-checkpoints 9")


def damaged_checkpoint(the_lab, index, rng, outcome):
    """Damages the newest of two checkpoints: the run must resume, from the older one if need be, to the same bits."""
    baseline = the_lab.baseline(CHECKPOINT_RUN)
    trial = the_lab.trial(CHECKPOINT_RUN, f"mutants-{index}")
    for step in (2, 4):
        shutil.copytree(baseline.folder / "out" / f"checkpoint-{step}", trial.folder / "out" / f"checkpoint-{step}")
    files = sorted((trial.folder / "out" / "checkpoint-4").iterdir())
    outcome.what += ", " + "; ".join(damage(rng.choice(files), rng) for _ in range(rng.choice((1, 1, 2))))
    ended = trial.run()
    check(ended, {0}, trial, outcome)
    chains.compare(trial, baseline, outcome)
    if "resuming from" not in trial.log():
        outcome.add("lost", "the run ignores both checkpoints")


def damage(file, rng):
    """Changes a file at random, unless it was removed before; returns a description of the change."""
    if not file.exists():
        return f"{file.name} removed"
    content = file.read_bytes()
    inflated = decompressed(content) if file.suffix == ".gz" and rng.random() < 0.5 else None
    change = rng.choice(CHANGES)
    changed = change(content if inflated is None else inflated, rng)
    if changed is None:
        file.unlink()
    else:
        file.write_bytes(changed if inflated is None else gzip.compress(changed))
    return f"{file.name} {change.__name__}"


def decompressed(content):
    """The content of a gzip file, or None if earlier damage keeps it from being read."""
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return None


def with_flipped_bits(content, rng):
    flipped = bytearray(content or b"\0")
    for _ in range(rng.choice((1, 1, 2, 8))):
        # Headers are small but important, so they get more of the flips.
        at = rng.randrange(len(flipped) if rng.random() < 0.6 else min(len(flipped), 64))
        flipped[at] ^= 1 << rng.randrange(8)
    return bytes(flipped)


def cut_short(content, rng):
    return content[:rng.randrange(len(content) + 1)]


def with_bytes_removed(content, rng):
    at = rng.randrange(len(content) + 1)
    return content[:at] + content[at + rng.choice((1, 4, 8, 100)):]


def with_bytes_inserted(content, rng):
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice((b"\0", b"\n", b'"', b"{", b"]", b",", b"\xff\xfe", b"\x1b[31m", b"a" * 5000,
                                      rng.randbytes(16))) + content[at:]


def with_a_part_repeated(content, rng):
    at = rng.randrange(len(content) + 1)
    part = content[at:at + rng.choice((1, 8, 64, 1000))]
    return content[:at] + part * rng.choice((2, 3, 1000)) + content[at:]


def with_another_number(content, rng):
    """Replaces a number in a text, or eight bytes that may be one in binary data."""
    digits = [i for i in range(len(content)) if content[i:i + 1].isdigit() and not content[i - 1:i].isdigit()]
    if rng.random() < 0.3 or not digits:
        at = rng.randrange(max(1, len(content) - 8))
        value = rng.choice((0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1, len(content)))
        return content[:at] + struct.pack("<Q", value) + content[at + 8:]
    begin = end = rng.choice(digits)
    while content[end:end + 1].isdigit():
        end += 1
    return content[:begin] + rng.choice(NUMBERS) + content[end:]


def with_zeros(content, rng):
    at = rng.randrange(len(content) + 1)
    return content[:at] + bytes(len(content[at:at + 512])) + content[at + 512:]


def of_garbage(content, rng):
    return rng.randbytes(rng.choice((0, 1, 8, 300)))


def removed(content, rng):
    return None


CHANGES = (with_flipped_bits, with_flipped_bits, with_flipped_bits, cut_short, with_bytes_removed, with_bytes_inserted,
           with_a_part_repeated, with_another_number, with_another_number, with_zeros, of_garbage, removed)
