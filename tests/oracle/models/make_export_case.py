"""tests/oracle/models/make_export_case.py BUILD/portatune: makes tests/data/export_*, models that Portatune has
fine-tuned.

Fine-tunes tests/data/tiny_bert with the command, loads the folder in transformers, and writes beside it, in
expected.json, the logits that transformers computes, and the config and the names and shapes of the weights that
transformers itself would save for this model. Prints the largest difference between the command's logits and these, and
fails if it is too large.
Needs torch, transformers 5.23.0 and safetensors; the tests only read what it wrote.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import torch
from safetensors import safe_open
from transformers import AutoModelForSequenceClassification, AutoTokenizer, BertForSequenceClassification

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "data"
MAX_LENGTH = 12
FIT = ["--max-length", str(MAX_LENGTH), "--batch-size", "16", "--learning-rate", "1e-2", "--max-steps", "60", "--quiet"]
# Known words, pieces of words, unknown characters, upper case, an empty text, and more than MAX_LENGTH tokens.
TEXTS = [
    "the film was good",
    "a dreary and awful book .",
    "It was a LOVELY story , and we liked the music",
    "xylophone ☃ film",
    "",
    "the story was fine and the end was poor and the music was great and we saw it",
]
# Labels of the texts for a model with several labels per text.
LABELS = [["good"], ["bad", "book"], ["good", "music"], [], [], ["good", "bad", "music"]]
TOLERANCE = 1e-5


def main():
    command = pathlib.Path(sys.argv[1]).resolve()
    for head in ("softmax", "sigmoid", "multi_label"):
        folder = DATA / f"export_{head}"
        shutil.rmtree(folder, ignore_errors=True)
        fine_tune(command, head, folder)
        expected = {"max_length": MAX_LENGTH, "texts": TEXTS, "logits": transformers_logits(folder)}
        if head == "multi_label":
            expected.update(row_labels=LABELS, loss=transformers_loss(folder))
        (folder / "expected.json").write_text(json.dumps({**expected, **saved_by_transformers(folder)}, indent=1) + "\n")
        compare(head, expected["logits"], portatune_logits(command, folder))


def fine_tune(command, head, folder):
    rows = (DATA / "toy" / "train.csv").read_text()
    problem = head
    if head == "sigmoid":
        rows = rows.replace(",bad", ",0").replace(",good", ",1")
    if head == "multi_label":
        rows, problem = several_labels(rows), "multi_label_classification"
    with tempfile.TemporaryDirectory() as scratch:
        train = pathlib.Path(scratch) / "train.csv"
        train.write_text(rows)
        fit = [command, "fit", "--model", DATA / "tiny_bert", "--train", train, "--output", folder, "--head", problem]
        subprocess.run([*fit, *FIT], check=True, stdout=subprocess.DEVNULL)


def several_labels(rows):
    """The topics of the text, book and music, as separate labels."""
    header, *lines = rows.splitlines()
    about = [[word for word in ("book", "music") if word in line] for line in lines]
    return "\n".join([header, *(f'{line.rsplit(",", 1)[0]},"{",".join([line.rsplit(",", 1)[1], *more])}"'
                               for line, more in zip(lines, about))]) + "\n"


def transformers_logits(folder):
    return run_transformers(folder).logits.tolist()


def transformers_loss(folder):
    ids = json.loads((folder / "config.json").read_text())["label2id"]
    return run_transformers(folder, torch.tensor([[float(name in row) for name in ids] for row in LABELS])).loss.item()


def run_transformers(folder, labels=None):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model, report = AutoModelForSequenceClassification.from_pretrained(folder, output_loading_info=True)
    assert type(model) is BertForSequenceClassification, type(model)
    assert not any(report.values()), report
    inputs = tokenizer(TEXTS, max_length=MAX_LENGTH, truncation=True, padding="max_length", return_tensors="pt")
    with torch.no_grad():
        return model.eval()(**inputs, labels=labels)


def saved_by_transformers(folder):
    """The config.json and the weights' shapes that save_pretrained() writes."""
    with tempfile.TemporaryDirectory() as again:
        AutoModelForSequenceClassification.from_pretrained(folder).save_pretrained(again)
        config = json.loads((pathlib.Path(again) / "config.json").read_text())
        with safe_open(pathlib.Path(again) / "model.safetensors", "pt") as weights:
            tensors = {name: list(weights.get_slice(name).get_shape()) for name in weights.keys()}
    return {"config": config, "tensors": tensors}


def portatune_logits(command, folder):
    with tempfile.TemporaryDirectory() as scratch:
        rows = pathlib.Path(scratch) / "rows.jsonl"
        rows.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
        predict = [command, "predict", "--model", folder, "--data", rows, "--max-length", str(MAX_LENGTH), "--quiet"]
        lines = subprocess.run(predict, check=True, capture_output=True, text=True).stdout.splitlines()
    return [json.loads(line)["logits"] for line in lines]


def compare(head, wanted, found):
    wanted, found = torch.tensor(wanted), torch.tensor(found)
    difference = (wanted - found).abs().max().item()
    assert wanted.max() - wanted.min() > 1, "a model that says the same of every text proves nothing"
    print(f"{head}: logits from {wanted.min():.3f} to {wanted.max():.3f}, largest difference {difference:.2e}")
    assert difference < TOLERANCE


if __name__ == "__main__":
    main()
