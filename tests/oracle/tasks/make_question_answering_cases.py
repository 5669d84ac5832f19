"""Makes tests/data/tasks/question_answering.json: windows, scores and answers by transformers.

Run by hand from the root of the repository, with transformers 5.23.0 and two files of older versions of it:
    python tests/oracle/tasks/make_question_answering_cases.py --squad-metrics squad_metrics.py --utils-qa utils_qa.py
squad_metrics.py is transformers/data/metrics/squad_metrics.py of transformers 4.57.1, the official evaluator of SQuAD
2; utils_qa.py is examples/pytorch/question-answering/utils_qa.py of its repository, by which run_qa.py finds answers.
The tokenizers are tests/data/tiny_bert and a byte-level one of tests/data/tokenizer/components.json.
"""

import argparse
import importlib.util
import json
import pathlib
import tempfile
import types

import numpy
import transformers

DATA = pathlib.Path("tests/data")
random = numpy.random.default_rng(17)

# id, question, context, answers with their offsets
ROWS = [
    ("short", "what was good", "the film was very good.", [("very good", 13)]),
    ("long", "  what was it", "the film was good and the book was bad. the play was fine and the music was great.",
     [("the music", 62), ("music", 66)]),
    ("none", "who was it", "the film was good and the book was bad. the play was fine and the music was great.", []),
    ("unicode", "what was é́", "日本 🙂 the film é was naïve; a cafe\u0301 🙂 in the end 日本 was good and very quite lovely.",
     [("naïve", 20)]),
    ("across", "it", "the film was good and the book was bad. the play was fine", [("book was bad. the play", 26)]),
    ("within a word", "it", "we saw unbelievable films in the end of it and the play was quite great and very fine",
     [("believable", 9)]),
    ("end", "what", "the film was good", [("film was", 4)]),
]
SETTINGS = [(24, 8), (16, 3), (64, 16)]


def windows(tokenizer, question, context, answers, max_length, stride):
    """prepare_train_features of run_qa.py. Its search for the first token does not stop where the context ends and so
    runs into padding if the answer begins with the window's last token; here it stops."""
    encoded = tokenizer(
        question.lstrip(), context, truncation="only_second", max_length=max_length, stride=stride,
        return_overflowing_tokens=True, return_offsets_mapping=True, padding="max_length",
    )
    result = []
    for i, offsets in enumerate(encoded["offset_mapping"]):
        sequence_ids = encoded.sequence_ids(i)
        places = [k for k, s in enumerate(sequence_ids) if s == 1]
        start = end = 0
        if answers:
            text, begin = answers[0]
            first, last = places[0], places[-1]
            if offsets[first][0] <= begin and offsets[last][1] >= begin + len(text):
                while first <= places[-1] and offsets[first][0] <= begin:
                    first += 1
                while offsets[last][1] >= begin + len(text):
                    last -= 1
                start, end = first - 1, last + 1
        length = sum(encoded["attention_mask"][i])
        result.append({
            "ids": encoded["input_ids"][i][:length],
            "type_ids": encoded["token_type_ids"][i][:length] if "token_type_ids" in encoded else [],
            "offsets": [list(o) if s == 1 else [-1, -1] for o, s in zip(offsets, sequence_ids)][:length],
            "start": start,
            "end": end,
        })
    return result


def byte_level(name):
    components = json.loads((DATA / "tokenizer/components.json").read_text())
    changes = components["tokenizers"][name]
    parts = {**components["plain"], **changes, "model": components["models"][changes["model"]]}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "tokenizer.json")
        file.write_text(json.dumps(parts))
        return transformers.PreTrainedTokenizerFast(tokenizer_file=str(file), pad_token="<unk>")


def window_cases():
    tokenizers = {
        "tiny_bert": transformers.AutoTokenizer.from_pretrained(DATA / "tiny_bert"),
        "RoBERTa False": byte_level("RoBERTa False"),
    }
    for name, tokenizer in tokenizers.items():
        for key, question, context, answers in ROWS:
            for max_length, stride in SETTINGS if name == "tiny_bert" else [(48, 8)]:
                assert all(context[b : b + len(t)] == t for t, b in answers), key
                yield {
                    "tokenizer": name, "id": key, "question": question, "context": context,
                    "answers": {"text": [t for t, _ in answers], "answer_start": [b for _, b in answers]},
                    "max_length": max_length, "stride": stride,
                    "windows": windows(tokenizer, question, context, answers, max_length, stride),
                }


class Examples(list):
    def __getitem__(self, key):
        return [row["id"] for row in self] if key == "id" else super().__getitem__(key)


def answer_cases(utils_qa):
    tokenizer = transformers.AutoTokenizer.from_pretrained(DATA / "tiny_bert")
    max_length, stride = 24, 8
    for version_2, n_best, longest, threshold in [(False, 20, 30, 0.0), (False, 3, 2, 0.0), (True, 20, 30, 0.0),
                                                  (True, 5, 4, 1.5), (True, 4, 30, -2.0)]:
        examples = Examples({"id": key, "question": q, "context": c} for key, q, c, _ in ROWS)
        features, start_logits, end_logits = [], [], []
        for key, question, context, _ in ROWS:
            for window in windows(tokenizer, question, context, [], max_length, stride):
                features.append({
                    "example_id": key,
                    "offset_mapping": [o if o[0] >= 0 else None for o in window["offsets"]],
                })
                for logits in (start_logits, end_logits):
                    row = numpy.round(2 * random.normal(size=max_length), 3).astype(numpy.float32)
                    row[0] += 2 if version_2 else 0
                    logits.append(row)
        with tempfile.TemporaryDirectory() as folder:
            texts = utils_qa.postprocess_qa_predictions(
                examples, features, (numpy.array(start_logits), numpy.array(end_logits)), version_2, n_best, longest,
                threshold, folder)
            best = json.loads(pathlib.Path(folder, "nbest_predictions.json").read_text())
            odds = json.loads(pathlib.Path(folder, "null_odds.json").read_text()) if version_2 else {}
        yield {
            "version_2_with_negative": version_2, "n_best_size": n_best, "max_answer_length": longest,
            "null_score_diff_threshold": threshold, "max_length": max_length, "stride": stride,
            "start_logits": [[float(str(x)) for x in row] for row in start_logits],
            "end_logits": [[float(str(x)) for x in row] for row in end_logits],
            "answers": [{
                "id": key, "text": texts[key], "null_score_diff": odds.get(key),
                # Without any span, it invents one of score 0 with the text "empty".
                "has_span": all(b["text"] != "empty" for b in best[key]),
                "probability": next(b["probability"] for b in best[key] if b["text"] == texts[key]),
            } for key, *_ in ROWS],
        }


GIVEN = [
    ("Denver Broncos", ["The Denver Broncos!", "Broncos"]),
    ("the", ["a"]), ("", []), ("x", []), ("a the an", []), ("", ["x"]), ("x", ["the", "!"]),
    ("an apple a day", ["apple day", "a day"]), ("10th  and 11th", ["10th and 11th centuries", "in the 10th"]),
    ("U.S.A.", ["USA", "U S A"]), ("naïve CAFÉ", ["Naïve café"]), ("the-theatre", ["theatre", "thetheatre"]),
    ("ÀÉ ẞ İx", ["àé ß i̇x", "y"]), ("a\u0301b", ["\u00e1b", "b"]), ("b b c", ["b c c"]), ("a\u00a0b\u2003c", ["b c"]),
    ("日本 the", ["日本"]), ("x_a", ["x a", "xa"]), ("$5 – the", ["5 –"]), ("a’s", ["s", "’s"]),
]


def score_cases(metrics):
    for given, expected in GIVEN:
        example = types.SimpleNamespace(qas_id="q", answers=[{"text": text} for text in expected])
        exact, f1 = metrics.get_raw_scores([example], {"q": given})
        yield {"given": given, "expected": expected, "exact": float(exact["q"]), "f1": float(f1["q"]),
               "normalized": metrics.normalize_answer(given)}


def load_metrics(path):
    """The file without its imports from the rest of transformers, which only get_final_text and logging need."""
    source = pathlib.Path(path).read_text()
    source = source.replace("from ...models.bert import BasicTokenizer", "BasicTokenizer = None")
    source = source.replace("from ...utils import logging", "import logging").replace("logging.get_logger", "logging.getLogger")
    module = types.ModuleType("squad_metrics")
    exec(compile(source, path, "exec"), module.__dict__)
    return module


def load(path):
    spec = importlib.util.spec_from_file_location("utils_qa", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


parser = argparse.ArgumentParser()
parser.add_argument("--squad-metrics", required=True)
parser.add_argument("--utils-qa", required=True)
arguments = parser.parse_args()
cases = {
    "windows": list(window_cases()),
    "answers": list(answer_cases(load(arguments.utils_qa))),
    "scores": list(score_cases(load_metrics(arguments.squad_metrics))),
}
out = DATA / "tasks/question_answering.json"
out.write_text(json.dumps({"transformers": transformers.__version__, **cases}, ensure_ascii=False) + "\n")
print({name: len(rows) for name, rows in cases.items()}, out.stat().st_size, "bytes")
