"""Compares Portatune's tokenizer with tokenizers 0.23.3 on real and on random text: ids (both ways to get them), type
ids, masks, sequence ids, word ids, offsets, and decoded texts; for several flags and truncations.

    python tests/oracle/text/compare_tokenizer.py build/tests/text/portatune_tokenizer_dump DATA [NAME ...]
DATA is the folder PORTATUNE_SHARED_DATA of the tests. A NAME is a folder in its tokenizers/, or "components" for small
tokenizers with each component, or "older files" for files without tokenizer.json; the default is all. The environment
variable EXAMPLES sets the number of random texts (60000). Prints for each source the number of examples compared and of
those that differ, and exits with 1 if any does.
"""

import array
import itertools
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import tokenizers

from tokenizer_cases import PAIRS, TEXTS, random_cases, small_tokenizers

DUMP, DATA = sys.argv[1], pathlib.Path(sys.argv[2])
TOKENIZERS = DATA / "tokenizers"
STRATEGIES = ["longest_first", "only_first", "only_second"]
assert tokenizers.__version__ == "0.23.3"


def lines(path, column=None):
    with open(path, encoding="utf-8", newline="\n") as file:
        rows = [line.rstrip("\n") for line in file]
    return rows if column is None else [row.split("\t")[column] for row in rows]


def real_texts():
    yield "cola", [line for path in sorted((DATA / "cola").glob("*.tsv")) for line in lines(path, 3)]
    yield "movie_reviews", lines(DATA / "movie_reviews" / "movie_reviews.tsv", 3)
    yield "sst2", [line for name in ("train.tsv", "dev.tsv") for line in lines(DATA / "sst2" / name, 1)]
    for path in sorted((DATA / "text").glob("*.txt")):
        yield f"text/{path.name}", lines(path)
    yield "wikitext2", lines(DATA / "wikitext2" / "valid.txt")


def random_texts(count, seed=7):
    """Strings of letters and of characters that are difficult for normalizers."""
    rng = random.Random(seed)
    marks = [chr(c) for c in itertools.chain(range(0x300, 0x370), range(0x591, 0x5C8), range(0x1DC0, 0x1E00),
                                             range(0xF71, 0xF85), range(0x302A, 0x3030), range(0x1D165, 0x1D16E))]
    pools = [
        [chr(c) for c in range(0x80)],
        list("abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789     .,!-'"),
        marks,
        [chr(c) for c in range(0xA0, 0x250)],
        [chr(c) for c in range(0x1E00, 0x2100)],
        [chr(c) for c in range(0x4E00, 0x4E80)] + [chr(c) for c in range(0xF900, 0xFA80)],
        [chr(c) for c in range(0xAC00, 0xAC80)] + [chr(c) for c in range(0x1100, 0x1180)],
        [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000],
        ["<s>", "</s>", "<mask>", "<|endoftext|>", " <mask>", "'s", "'LL", "'\u017f", "\r\n", "  ", "\u2581", "<0x41>", "123"],
        [chr(c) for c in itertools.chain(range(0x600, 0x606), range(0x900, 0x980), range(0xE00, 0xE40), range(0x2100, 0x2200))],
        ["[CLS]", "[MASK]", "[SEP]", "[UNK]", "[mask]", "\ufffd", "\u200b", "\u200d", "\u00ad", "\u0130", "\u0344", "\0"],
    ]
    for _ in range(count):
        chosen = rng.sample(pools, rng.randint(1, 3))
        yield "".join(rng.choice(rng.choice(chosen)) for _ in range(rng.randint(0, 60)))


def write_tokenizer(folder, change, model="minilm_bert_uncased"):
    """A copy of the model's tokenizer.json without truncation and padding, changed by `change`."""
    config = json.loads((TOKENIZERS / model / "tokenizer.json").read_text())
    config["truncation"] = config["padding"] = None
    change(config)
    (folder / "tokenizer.json").write_text(json.dumps(config))
    return tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))


def ask(folder, examples, max_length, strategy, add_special_tokens):
    with tempfile.NamedTemporaryFile() as requests:
        for texts in examples:
            requests.write(len(texts).to_bytes(4, "little"))
            for text in texts:
                data = text.encode()
                requests.write(len(data).to_bytes(4, "little") + data)
        requests.flush()
        arguments = [DUMP, folder, requests.name, max_length, strategy, int(add_special_tokens)]
        return array.array("i", subprocess.run(map(str, arguments), stdout=subprocess.PIPE, check=True).stdout)


def text_as_numbers(text):
    data = text.encode()
    return [len(data), *array.array("i", data + bytes(-len(data) % 4))]


def expected(tokenizer, texts, add_special_tokens):
    try:
        e = tokenizer.encode(*texts, add_special_tokens=add_special_tokens)
        decoded = [x for skip in (False, True)
                   for x in text_as_numbers(tokenizer.decode(e.ids, skip_special_tokens=skip))]
    except Exception:  # the binding has no narrower class
        return [-1, -1]
    except BaseException:  # a panic, where Portatune may do better
        return None
    none = lambda values: [-1 if v is None else v for v in values]
    offsets = [x for pair in e.offsets for x in pair]
    return [len(e.ids), *e.ids, *e.type_ids, *e.special_tokens_mask, *none(e.sequence_ids), *none(e.word_ids),
            *offsets, len(e.ids), *e.ids, *decoded]


def end_of_answer(answers, at):
    at += 1 + 7 * max(answers[at], 0)
    if answers[at] < 0:
        return at + 1
    at += 1 + answers[at]
    for _ in range(2):
        at += 1 + (answers[at] + 3) // 4
    return at


def compare(name, folder, tokenizer, examples, max_length=0, strategy=0, add_special_tokens=True):
    """Number of examples that differ; prints the first."""
    if max_length:
        tokenizer.enable_truncation(max_length, strategy=STRATEGIES[strategy])
    else:
        tokenizer.no_truncation()
    answers, at, different = ask(folder, examples, max_length, strategy, add_special_tokens), 0, 0
    for texts in examples:
        want = expected(tokenizer, texts, add_special_tokens)
        got = answers[at:end_of_answer(answers, at)].tolist()
        at += len(got)
        if want is not None and got != want:
            different += 1
            if different == 1:
                print("first difference:", texts, "\n  want", want, "\n  got ", got)
    print(f"{name:45} {len(examples):7} compared {different:5} different", flush=True)
    return different


def with_added_tokens(config):
    flags = dict(special=False, normalized=False, single_word=False, lstrip=False, rstrip=False)
    tokens = [("<x>", {}), ("<xy>", {}), ("<left>", dict(lstrip=True)), ("<right>", dict(rstrip=True)),
              ("<both>", dict(lstrip=True, rstrip=True)), ("word", dict(single_word=True)),
              ("Caf\u00e9", dict(normalized=True)), ("day", dict(normalized=True, single_word=True)),
              ("\u732b\u72ac", dict(normalized=True)), ("the", dict(normalized=True, lstrip=True))]
    for content, changed in tokens:
        config["added_tokens"].append(dict(id=30522 + len(config["added_tokens"]), content=content, **(flags | changed)))


def added_token_texts(count):
    rng = random.Random(3)
    parts = ["<x>", "<xy>", "<left>", "<right>", "<both>", "word", "Cafe", "CAF\u00c9", "day", "Day", "\u732b\u72ac", " ", "  ",
             "\t", "\u3000", "a", "\u00e9", "_", "9", "\u0301", "The", "the", "[MASK]", ".", "<", "x>"]
    return [("".join(rng.choice(parts) for _ in range(rng.randint(0, 14))),) for _ in range(count)]


def normalizer(**flags):
    return lambda config: config["normalizer"].update(flags)


def compare_bert_flags(folder, strange):
    different = 0
    for clean, cjk, strip, lower in itertools.product((True, False), (True, False), (None, True, False), (True, False)):
        flags = dict(clean_text=clean, handle_chinese_chars=cjk, strip_accents=strip, lowercase=lower)
        tokenizer = write_tokenizer(folder, normalizer(**flags))
        different += compare(f"random, flags {clean} {cjk} {strip} {lower}", folder, tokenizer, strange[: len(strange) // 7])
    return different


def compare_truncations(folder, tokenizer, strange):
    different = 0
    strange = strange[: len(strange) // 10]
    half = len(strange) // 2
    pairs = [(a[0], b[0]) for a, b in zip(strange[:half], strange[half:])]
    for strategy, length, special in itertools.product(range(3), (3, 4, 7, 8, 20, 33), (True, False)):
        if special and length < tokenizer.num_special_tokens_to_add(True):
            continue  # Portatune refuses; there the difference wraps around, and nothing is cut
        different += compare(f"random pairs, {STRATEGIES[strategy]} {length} {special}", folder, tokenizer, pairs,
                             length, strategy, special)
    for strategy, length in itertools.product(range(2), (2, 3, 9)):
        different += compare(f"random, {STRATEGIES[strategy]} {length}", folder, tokenizer, strange, length,
                             strategy)
    return different


def compare_components(folder, count):
    """The small tokenizers of tokenizer_cases.py, one or more for each component."""
    different = 0
    examples = [(text,) for text in TEXTS] + PAIRS + [(text,) for text in random_cases(count // 60)]
    for name, spec in small_tokenizers().items():
        (folder / "tokenizer.json").write_text(json.dumps(spec))
        tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        different += compare(f"component {name}", folder, tokenizer, examples)
    return different


# Folder of the shared tokenizers, the file in it and its name in a model folder, tokenizer_config.json.
OLDER = [
    ("gpt2", "vocab.json", "vocab.json", {"tokenizer_class": "GPT2Tokenizer"}),
    ("gpt2", "vocab.json", "vocab.json", {"tokenizer_class": "GPT2Tokenizer", "add_bos_token": True, "add_prefix_space": True}),
    ("roberta_rules", "vocab.json", "vocab.json", {"tokenizer_class": "RobertaTokenizer"}),
    ("roberta_rules", "vocab.json", "vocab.json", {"tokenizer_class": "RobertaTokenizer", "add_prefix_space": True,
                                                   "mask_token": {"content": "<mask>", "lstrip": True, "rstrip": False, "single_word": False,
                                                                  "normalized": False, "__type": "AddedToken"}}),
    ("albert_base", "spiece.model", "spiece.model", {"tokenizer_class": "AlbertTokenizer"}),
    ("albert_base", "spiece.model", "spiece.model", {"tokenizer_class": "AlbertTokenizer", "do_lower_case": False, "keep_accents": True}),
    ("albert_base", "spiece.model", "sentencepiece.bpe.model", {"tokenizer_class": "XLMRobertaTokenizer"}),
    ("t5_rules_unigram1k", "spiece.model", "spiece.model", {"tokenizer_class": "T5Tokenizer"}),
    ("t5_rules_unigram1k", "spiece.model", "tokenizer.model", {}),
    ("spm_bpe_1k", "sentencepiece.bpe.model", "tokenizer.model", {}),
    ("spm_bytefallback_1k", "tokenizer.model", "tokenizer.model", {}),
    ("spm_bytefallback_1k", "tokenizer.model", "tokenizer.model", {"tokenizer_class": "LlamaTokenizer", "add_bos_token": True}),
    ("spm_bytefallback_1k", "tokenizer.model", "tokenizer.model", {"tokenizer_class": "LlamaTokenizer", "legacy": True}),
    ("mistral_v1_metaspace_first", "tokenizer.model", "tokenizer.model", {"tokenizer_class": "LlamaTokenizer", "add_bos_token": True}),
]


def compare_older_files(folder, examples):
    """Files without tokenizer.json, as transformers 5.23.0 reads them; needs sentencepiece and protobuf, too."""
    import transformers
    assert transformers.__version__ == "5.23.0"
    different = 0
    for i, (source, name, target, config) in enumerate(OLDER):
        model = folder / f"older{i}"
        model.mkdir()
        shutil.copy(TOKENIZERS / source / name, model / target)
        if name == "vocab.json":
            shutil.copy(TOKENIZERS / source / "merges.txt", model / "merges.txt")
        (model / "tokenizer_config.json").write_text(json.dumps(config))
        (model / "config.json").write_text(json.dumps({}))
        made = getattr(transformers, config.get("tokenizer_class", "TokenizersBackend"))
        tokenizer = made.from_pretrained(model)._tokenizer
        different += compare(f"{source}/{target} {json.dumps(config)[:60]}", model, tokenizer, examples)
    return different


def main():
    names = sys.argv[3:] or ["components", "older files"] + sorted(path.parent.name for path in TOKENIZERS.glob("*/tokenizer.json"))
    count = int(os.environ.get("EXAMPLES", 60_000))
    strange = [(text,) for text in random_texts(count)]
    different = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        if "components" in names:
            different += compare_components(folder, count)
            names.remove("components")
        if "older files" in names:
            examples = [(line,) for _, texts in itertools.islice(real_texts(), 3, None) for line in texts[:600]]
            different += compare_older_files(folder, examples + strange[: count // 10] + added_token_texts(count // 30))
            names.remove("older files")
        for model in names:
            tokenizer = write_tokenizer(folder, lambda config: None, model)
            for name, texts in real_texts():
                different += compare(f"{model}: {name}", folder, tokenizer, [(text,) for text in texts])
            whole = [(path.read_text(encoding="utf-8"),) for path in sorted((DATA / "text").glob("*.txt"))]
            different += compare(f"{model}: whole files", folder, tokenizer, whole)
            different += compare(f"{model}: random", folder, tokenizer, strange)
            different += compare_truncations(folder, tokenizer, strange)
            tokenizer = write_tokenizer(folder, with_added_tokens, model)
            different += compare(f"{model}: added tokens", folder, tokenizer, added_token_texts(count // 3))
            different += compare(f"{model}: added tokens, truncated", folder, tokenizer, added_token_texts(count // 3), 6)
            if model == "minilm_bert_uncased":
                different += compare_bert_flags(folder, strange)
    return different != 0


if __name__ == "__main__":
    sys.exit(main())
