"""The peer of bench/defaults.py: the Trainer of transformers with its own defaults, on the JSON Lines of Portatune.

The options have the names that `portatune fit` has for them. Prints one line of JSON: {"train_seconds": ...,
"validation": {"loss": ..., metric: value}}.
"""

import argparse
import json
import tempfile
import time

import numpy as np
import torch
from sklearn.metrics import matthews_corrcoef
from transformers import (
    AutoModelForMultipleChoice,
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    AutoTokenizer,
    DataCollatorForTokenClassification,
    Trainer,
    TrainingArguments,
)
from transformers.data.data_collator import DataCollatorForMultipleChoice

STRIDE = 128  # tokens that two windows of a context share, as in run_qa.py


def main():
    options = parse_options()
    torch.manual_seed(options.seed)
    tokenizer = AutoTokenizer.from_pretrained(options.model)
    train, validation = (rows_of(path) for path in (options.train, options.validation))
    task = TASKS[options.task](tokenizer, train, options)
    model = task.model.from_pretrained(options.model, attn_implementation="sdpa", **task.settings)
    trainer = Trainer(
        model,
        training_arguments(options),
        train_dataset=task.examples(train),
        processing_class=tokenizer,  # with which the Trainer pads each batch to its longest example
        data_collator=task.collator,
        compute_metrics=task.metrics,
    )
    begin = time.perf_counter()
    trainer.train()
    seconds = time.perf_counter() - begin
    scores = trainer.evaluate(task.examples(validation))
    validation = {name.removeprefix("eval_"): value for name, value in scores.items()}
    print(json.dumps({"train_seconds": seconds, "validation": validation}), flush=True)


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class TextClassification:
    model = AutoModelForSequenceClassification
    collator = None

    def __init__(self, tokenizer, train, options):
        self.encode = lambda text: tokenizer(text, truncation=True, max_length=options.max_length)
        self.settings = {"num_labels": len({row["label"] for row in train})}

    def examples(self, rows):
        return [{**self.encode(row["text"]), "labels": row["label"]} for row in rows]

    @staticmethod
    def metrics(predicted):
        classes = predicted.predictions.argmax(-1)
        return {**accuracy(predicted), "matthews_correlation": matthews_corrcoef(predicted.label_ids, classes)}


class TokenClassification:
    model = AutoModelForTokenClassification

    def __init__(self, tokenizer, train, options):
        self.encode = lambda words: tokenizer(
            words, truncation=True, max_length=options.max_length, is_split_into_words=True
        )
        self.tags = sorted({tag for row in train for tag in row["ner_tags"]})
        self.settings = {"num_labels": len(self.tags)}
        self.collator = DataCollatorForTokenClassification(tokenizer)

    def examples(self, rows):
        return [self.example(row) for row in rows]

    # The first piece of a word has its tag, as in run_ner.py.
    def example(self, row):
        encoded = self.encode(row["tokens"])
        words = encoded.word_ids()
        labels = [
            -100 if word is None or word == before else self.tags.index(row["ner_tags"][word])
            for before, word in zip([None, *words], words)
        ]
        return {**encoded, "labels": labels}

    @staticmethod
    def metrics(predicted):
        return accuracy(predicted)


class QuestionAnswering:
    model = AutoModelForQuestionAnswering
    collator = None
    metrics = None
    settings = {}

    def __init__(self, tokenizer, train, options):
        self.tokenizer = tokenizer
        self.max_length = options.max_length

    def examples(self, rows):
        return [window for row in rows for window in self.windows(row)]

    def windows(self, row):
        encoded = self.tokenizer(
            row["question"].lstrip(),
            row["context"],
            truncation="only_second",
            max_length=self.max_length,
            stride=STRIDE,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
        )
        for window, offsets in enumerate(encoded["offset_mapping"]):
            start, end = span_of(row["answers"], offsets, encoded.sequence_ids(window))
            example = {name: encoded[name][window] for name in ("input_ids", "token_type_ids", "attention_mask")}
            yield {**example, "start_positions": start, "end_positions": end}


def span_of(answers, offsets, sequence_ids):
    """The tokens of the first answer; [CLS] if the window lacks a part of it."""
    if not answers["text"]:
        return 0, 0
    begin = answers["answer_start"][0]
    end = begin + len(answers["text"][0])
    context = [token for token, sequence in enumerate(sequence_ids) if sequence == 1]
    if offsets[context[0]][0] > begin or offsets[context[-1]][1] < end:
        return 0, 0
    first = max(token for token in context if offsets[token][0] <= begin)
    last = min(token for token in context if offsets[token][1] >= end)
    return first, last


class MultipleChoice:
    model = AutoModelForMultipleChoice
    settings = {}

    def __init__(self, tokenizer, train, options):
        self.encode = lambda first, second: tokenizer(first, second, truncation=True, max_length=options.max_length)
        self.collator = DataCollatorForMultipleChoice(tokenizer)

    def examples(self, rows):
        return [self.example(row) for row in rows]

    def example(self, row):
        endings = [f"{row['sent2']} {row[f'ending{i}']}" for i in range(4)]
        return {**self.encode([row["sent1"]] * 4, endings), "labels": row["label"]}

    @staticmethod
    def metrics(predicted):
        return accuracy(predicted)


TASKS = {
    "text-classification": TextClassification,
    "token-classification": TokenClassification,
    "question-answering": QuestionAnswering,
    "multiple-choice": MultipleChoice,
}


def accuracy(predicted):
    labelled = predicted.label_ids != -100
    return {"accuracy": float(np.mean((predicted.predictions.argmax(-1) == predicted.label_ids)[labelled]))}


def training_arguments(options):
    return TrainingArguments(
        output_dir=tempfile.mkdtemp(),
        num_train_epochs=options.epochs,
        per_device_train_batch_size=options.batch_size,
        per_device_eval_batch_size=options.batch_size,
        learning_rate=options.learning_rate,
        bf16=options.bf16,
        seed=options.seed,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
    )


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", choices=list(TASKS), required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--train", required=True)
    parser.add_argument("--validation", required=True)
    parser.add_argument("--max-length", type=int, default=128)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--learning-rate", type=float, default=5e-5)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--bf16", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
