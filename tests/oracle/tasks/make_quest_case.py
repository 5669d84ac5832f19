"""tests/oracle/tasks/make_quest_case.py BUILD/portatune: makes tests/data/quest, a model of --task qa-regression.

Fine-tunes tests/data/tiny_bert on made-up questions and answers, then computes the ratings of other pairs with
transformers' BertModel, its tokenizer and heads written in torch, and writes them to expected.json. scipy computes the
mean column-wise Spearman correlations of these ratings. Needs torch, transformers 5.23.0, safetensors and scipy; the
tests only read what it wrote.
"""

import csv
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import warnings

import torch
from safetensors.torch import load_file
from scipy.stats import spearmanr
from transformers import AutoTokenizer, BertModel

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
QUEST = ROOT / "tests" / "data" / "quest"
MAX_LENGTH = 24
PRAISE, BLAME = ["good", "fine", "great", "lovely"], ["bad", "poor", "awful", "dreary"]


def target_names():
    source = (ROOT / "examples" / "qa_regression.cpp").read_text()
    return re.findall(r'"((?:question|answer)_[a-z_]+)"', source.split("kTargets[]")[1].split("kCount")[0])


def text_of(rng, share, words):
    return " ".join(rng.choice(PRAISE if rng.random() < share else BLAME) for _ in range(words))


def write_rows(path, count, seed, names):
    rng = random.Random(seed)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question_title", "question_body", "answer", *names])
        for i in range(count):
            question, answer = rng.random(), rng.random()
            share = {"question": question, "answer": answer}
            ratings = [f"{round(3 * share[name.split('_')[0]]) / 3:.3f}" for name in names]
            title = "was the film very good" if i % 2 else "is it a play"
            body = text_of(rng, question, rng.randrange(1, 20))
            writer.writerow([title, body, text_of(rng, answer, rng.randrange(1, 30)), *ratings])


def ids_of(tokenizer, parts):
    """[CLS], the part and [SEP] for each part, cut to half of the remaining length; the last part, to all of it."""
    ids = []
    for i, part in enumerate(parts):
        left = MAX_LENGTH - len(ids) - 2 * (len(parts) - i)
        room = left // 2 if i + 1 < len(parts) else left
        words = tokenizer(part, add_special_tokens=False)["input_ids"][: max(room, 0)]
        ids += [tokenizer.cls_token_id, *words, tokenizer.sep_token_id]
    return ids


def pooled(bert, ids):
    return bert(input_ids=torch.tensor([ids])).last_hidden_state.mean(1)


def head(weights, name, x):
    def linear(layer, y):
        return y @ weights[f"{name}.{layer}.weight"].T + weights[f"{name}.{layer}.bias"]

    return linear("classifier", torch.sigmoid(linear("gate", x)) * x)


def ratings_of(bert, tokenizer, weights, row):
    question = pooled(bert, ids_of(tokenizer, ["question", row["question_title"], row["question_body"]]))
    answer = pooled(bert, ids_of(tokenizer, ["answer", row["answer"]]))
    alone = torch.cat([head(weights, "question_head", question), head(weights, "answer_head", answer)], 1)
    joint = head(weights, "joint_head", torch.cat([question, answer, question * answer], 1))
    return ((alone.sigmoid() + joint.sigmoid()) / 2)[0].tolist()


def main():
    command, names = pathlib.Path(sys.argv[1]).resolve(), target_names()
    shutil.rmtree(QUEST, ignore_errors=True)
    QUEST.mkdir()
    write_rows(QUEST / "train.csv", 32, 1, names)
    write_rows(QUEST / "rows.csv", 10, 2, names)
    fit = "fit --task qa-regression --max-steps 30 --learning-rate 1e-2 --batch-size 16 --quiet".split()
    files = ["--model", ROOT / "tests/data/tiny_bert", "--train", QUEST / "train.csv", "--output", QUEST / "model"]
    subprocess.run([command, *fit, *files, "--max-length", str(MAX_LENGTH)], check=True, stdout=subprocess.DEVNULL)

    tokenizer, bert = AutoTokenizer.from_pretrained(QUEST / "model"), BertModel.from_pretrained(QUEST / "model").eval()
    weights = load_file(QUEST / "model" / "model.safetensors")
    rows = list(csv.DictReader((QUEST / "rows.csv").open()))
    with torch.no_grad():
        ratings = [ratings_of(bert, tokenizer, weights, row) for row in rows]
    warnings.simplefilter("ignore")
    correlations = [spearmanr([r[t] for r in ratings], [float(row[n]) for row in rows])[0] for t, n in enumerate(names)]
    spearman = sum(correlations) / len(correlations)
    expected = {"max_length": MAX_LENGTH, "ratings": [dict(zip(names, r)) for r in ratings], "spearman": spearman}
    (QUEST / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
