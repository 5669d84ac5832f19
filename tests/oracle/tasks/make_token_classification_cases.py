"""Makes tests/data/tasks/token_classification.json: words encoded and labelled by transformers, and seqeval's scores.

Run by hand from the root of the repository, with transformers 5.23.0 and seqeval 1.2.2:
    python tests/oracle/tasks/make_token_classification_cases.py
The tokenizers are tests/data/tiny_bert and the byte-level ones of tests/data/tokenizer/components.json, loaded with
add_prefix_space, which GPT-2 and RoBERTa need for words.
"""

import json
import pathlib
import random
import tempfile
import warnings

import seqeval.metrics
import transformers

warnings.simplefilter("ignore")
DATA = pathlib.Path("tests/data")

SENTENCES = [
    ["the", "film", "was", "good"],
    ["The", "Film-Book", "was", "unbelievable", "."],
    ["good", "", "bad", "\u200b", "book"],
    ["it's", "don't", " space", "é́", "日本", "[MASK]"],
    [],
    ["a-b", "x y", "🙂", "don't", "12"],
    ["the"] * 30,
]


def aligned(encoding, words):
    """run_ner.py's rule: the first piece of a word has its label (here the index of the word), the others have -100."""
    labels, previous = [], None
    for word in encoding.word_ids():
        labels.append(-100 if word is None or word == previous else word)
        previous = word
    return labels


def encode(name, tokenizer):
    for words in SENTENCES:
        for max_length in (12, 64):
            encoding = tokenizer(words, is_split_into_words=True, truncation=True, max_length=max_length)
            ids = [-1 if word is None else word for word in encoding.word_ids()]
            yield {
                "tokenizer": name,
                "words": words,
                "max_length": max_length,
                "ids": encoding["input_ids"],
                "word_ids": ids,
                "labels": aligned(encoding, words),
            }


def byte_level(name, tokenizer_class, **options):
    components = json.loads((DATA / "tokenizer/components.json").read_text())
    changes = components["tokenizers"][name]
    parts = {**components["plain"], **changes, "model": components["models"][changes["model"]]}
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "tokenizer.json").write_text(json.dumps(parts))
        pathlib.Path(folder, "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": tokenizer_class}))
        return transformers.AutoTokenizer.from_pretrained(folder, **options)


def scores(expected, predicted):
    return {
        "expected": expected,
        "predicted": predicted,
        "precision": float(seqeval.metrics.precision_score(expected, predicted)),
        "recall": float(seqeval.metrics.recall_score(expected, predicted)),
        "f1": float(seqeval.metrics.f1_score(expected, predicted)),
        "accuracy": float(seqeval.metrics.accuracy_score(expected, predicted)),
    }


def metric_cases():
    iob = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    iobes = iob + ["E-PER", "S-PER", "E-LOC", "S-LOC"]
    other = ["O", "B-a-b", "I-a-b", "B", "I", "I-PER"]
    yield scores([["O", "B-PER", "I-PER"], ["B-LOC"]], [["O", "B-PER", "I-PER"], ["O"]])
    yield scores([["I-PER", "I-PER", "I-LOC"]], [["B-PER", "I-PER", "B-LOC"]])
    yield scores([["O", "O"]], [["O", "O"]])
    yield scores([["O", "O"]], [["B-PER", "O"]])
    draw = random.Random(5)
    for tags in (iob, iobes, other):
        for rows in (1, 3, 12):
            expected = [[draw.choice(tags) for _ in range(draw.randint(1, 9))] for _ in range(rows)]
            predicted = [[tag if draw.random() < 0.7 else draw.choice(tags) for tag in row] for row in expected]
            yield scores(expected, predicted)


tokenizers = {"tiny_bert": transformers.AutoTokenizer.from_pretrained(DATA / "tiny_bert")}
# Computed as in run_ner.py.
tokenizers["GPT-2 False"] = byte_level("GPT-2 False", "GPT2Tokenizer", add_prefix_space=True)
tokenizers["RoBERTa False"] = byte_level("RoBERTa False", "RobertaTokenizer", add_prefix_space=True)
tokenizers["RoBERTa True"] = byte_level("RoBERTa True", "RobertaTokenizer", add_prefix_space=True)
tokenizers["Qwen 2"] = byte_level("Qwen 2", "PreTrainedTokenizerFast")
for name, tokenizer in tokenizers.items():
    print(name, type(tokenizer).__name__, tokenizer(["the", "film"], is_split_into_words=True)["input_ids"])
out = DATA / "tasks/token_classification.json"
out.parent.mkdir(exist_ok=True)
cases = [case for name, tokenizer in tokenizers.items() for case in encode(name, tokenizer)]
out.write_text(
    json.dumps({"versions": {"transformers": transformers.__version__, "seqeval": "1.2.2"},
                "encodings": cases, "metrics": list(metric_cases())}, ensure_ascii=False) + "\n"
)
print(len(cases), "encodings with", list(tokenizers))
