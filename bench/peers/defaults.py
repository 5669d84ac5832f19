"""The peer of bench/defaults.py: one epoch by the Trainer of transformers, padding each batch to its longest text.

    defaults.py TASK MODEL [--seed N] [--bf16]

TASK is a JSON object of bench/defaults.py: task, score, train, validation, max_length, and for text-classification
columns and text. Prints one line of JSON: {"train_seconds": ..., "score": ...}.
"""

import argparse
import csv
import json
import tempfile
import time

import torch
import transformers
from sklearn.metrics import accuracy_score, matthews_corrcoef
from transformers import Trainer, TrainingArguments

IGNORED = -100


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", type=json.loads)
    parser.add_argument("model")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bf16", action="store_true")
    options = parser.parse_args()
    task = options.task
    torch.manual_seed(options.seed)
    tokenizer = transformers.AutoTokenizer.from_pretrained(options.model)
    encode, model_class, labels, collator = KINDS[task["task"]]
    train, validation = encode(tokenizer, [task["train"]], task), encode(tokenizer, task["validation"], task)
    model = model_class.from_pretrained(options.model, attn_implementation="sdpa", **labels(train))
    trainer = Trainer(
        model, training_arguments(options), train_dataset=train, eval_dataset=validation, data_collator=collator(tokenizer)
    )
    begin = time.perf_counter()
    trainer.train()
    seconds = time.perf_counter() - begin
    print(json.dumps({"train_seconds": seconds, "score": score_of(trainer, validation, task["score"])}), flush=True)


def training_arguments(options):
    return TrainingArguments(
        output_dir=tempfile.mkdtemp(),
        num_train_epochs=1,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=32,
        bf16=options.bf16,
        seed=options.seed,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
    )


def score_of(trainer, validation, name):
    if name == "loss":
        return trainer.evaluate()["eval_loss"]
    predicted = trainer.predict(validation)
    metric = matthews_corrcoef if name == "matthews_correlation" else accuracy_score
    return float(metric(predicted.label_ids, predicted.predictions.argmax(-1)))


def json_rows(paths):
    return [json.loads(line) for path in paths for line in open(path, encoding="utf-8")]


def classified(tokenizer, paths, task):
    rows = []
    for path in paths:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows += csv.DictReader(file, task["columns"], delimiter="\t", quoting=csv.QUOTE_NONE)
    inputs = tokenizer([row[task["text"]] for row in rows], truncation=True, max_length=task["max_length"])
    return [{**{k: v[i] for k, v in inputs.items()}, "labels": int(row["label"])} for i, row in enumerate(rows)]


def tagged(tokenizer, paths, task):
    rows = json_rows(paths)
    ids = {tag: i for i, tag in enumerate(sorted({tag for row in rows for tag in row["ner"]}))}
    examples = []
    for row in rows:
        encoded = tokenizer(row["words"], is_split_into_words=True, truncation=True, max_length=task["max_length"])
        labels, last = [], None
        for word in encoded.word_ids():
            labels.append(IGNORED if word is None or word == last else ids[row["ner"][word]])
            last = word
        examples.append({**encoded, "labels": labels})
    return examples


def answered(tokenizer, paths, task):
    examples = []
    for row in json_rows(paths):
        windows = tokenizer(
            row["question"],
            row["context"],
            truncation="only_second",
            max_length=task["max_length"],
            stride=128,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
        )
        for i, offsets in enumerate(windows["offset_mapping"]):
            start, end = span_of(row["answers"], offsets, windows.sequence_ids(i))
            inputs = {name: windows[name][i] for name in ("input_ids", "token_type_ids", "attention_mask")}
            examples.append({**inputs, "start_positions": start, "end_positions": end})
    return examples


def span_of(answers, offsets, sequence_ids):
    """The first and last token of the first answer; (0, 0) if the window does not hold all of it."""
    if not answers["answer_start"]:
        return 0, 0
    begin = answers["answer_start"][0]
    end = begin + len(answers["text"][0])
    inside = [
        i for i, (a, b) in enumerate(offsets) if sequence_ids[i] == 1 and a < end and b > begin
    ]
    if not inside or offsets[inside[0]][0] > begin or offsets[inside[-1]][1] < end:
        return 0, 0
    return inside[0], inside[-1]


def chosen(tokenizer, paths, task):
    examples = []
    for row in json_rows(paths):
        seconds = [f"{row['sent2']} {row[f'ending{i}']}" for i in range(4)]
        inputs = tokenizer([row["sent1"]] * 4, seconds, truncation=True, max_length=task["max_length"])
        examples.append({**inputs, "labels": row["label"]})
    return examples


def class_count(examples):
    return {"num_labels": 1 + max(example["labels"] for example in examples)}


def tag_count(examples):
    return {"num_labels": 1 + max(label for example in examples for label in example["labels"])}


def nothing(_):
    return {}


KINDS = {
    "text-classification": (
        classified,
        transformers.AutoModelForSequenceClassification,
        class_count,
        transformers.DataCollatorWithPadding,
    ),
    "token-classification": (
        tagged,
        transformers.AutoModelForTokenClassification,
        tag_count,
        transformers.DataCollatorForTokenClassification,
    ),
    "question-answering": (
        answered,
        transformers.AutoModelForQuestionAnswering,
        nothing,
        transformers.DataCollatorWithPadding,
    ),
    "multiple-choice": (
        chosen,
        transformers.AutoModelForMultipleChoice,
        nothing,
        transformers.DataCollatorForMultipleChoice,
    ),
}

if __name__ == "__main__":
    main()
