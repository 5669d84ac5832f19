"""The peer of `portatune fit`: the Trainer of transformers on the same TSV files with the same settings.

The options have the names that `portatune fit` has for them.

Trains BertForSequenceClassification with a sigmoid head (num_labels=1, binary cross-entropy) or a softmax over two
classes, and prints one line of JSON: {"train_seconds": ...}, and with --validation also {"validation": {metric:
value}}.
"""

import argparse
import csv
import json
import tempfile
import time

import torch
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef, roc_auc_score
from transformers import (
    AutoTokenizer,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)

HEADS = {
    "sigmoid": {"num_labels": 1, "problem_type": "multi_label_classification"},
    "softmax": {"num_labels": 2, "problem_type": "single_label_classification"},
}


def main():
    options = parse_options()
    torch.manual_seed(options.seed)
    tokenizer = AutoTokenizer.from_pretrained(options.model)
    model = BertForSequenceClassification.from_pretrained(
        options.model, attn_implementation="sdpa", **HEADS[options.head]
    )
    train = Rows([options.train], tokenizer, options)
    collator = DataCollatorWithPadding(tokenizer) if options.padding != "max_length" else None
    trainer = Trainer(model, training_arguments(options), train_dataset=train, data_collator=collator)
    begin = time.perf_counter()
    trainer.train()
    result = {"train_seconds": time.perf_counter() - begin}
    if options.validation:
        predicted = trainer.predict(Rows(options.validation, tokenizer, options))
        result["validation"] = scores(predicted.predictions, predicted.label_ids.ravel())
    print(json.dumps(result), flush=True)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--train", required=True)
    parser.add_argument("--validation", nargs="+")
    parser.add_argument("--column-names", type=lambda names: names.split(","), help="of files without a header")
    parser.add_argument("--text-column", default="text")
    parser.add_argument("--text-pair-column")
    parser.add_argument("--label-column", default="label")
    parser.add_argument("--head", choices=list(HEADS), default="sigmoid")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--max-length", type=int, default=64)
    parser.add_argument("--learning-rate", type=float, default=3e-5)
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--max-steps", type=int, default=-1)
    length.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--checkpoint-every", type=int, help="steps; no checkpoints without it")
    parser.add_argument(
        "--padding",
        choices=["max_length", "longest", "grouped"],
        default="max_length",
        help="to --max-length; to the longest of a batch; so with texts of similar length together",
    )
    return parser.parse_args()


class Rows(torch.utils.data.Dataset):
    """Rows of TSV files; every example is padded to the full length, or (without --padding max_length) not at all."""

    def __init__(self, paths, tokenizer, options):
        rows = [row for path in paths for row in read(path, options.column_names)]
        labels = [int(row[options.label_column]) for row in rows]
        self.labels = torch.tensor(labels) if options.head == "softmax" else torch.tensor(labels).float()[:, None]
        pair = options.text_pair_column
        fixed = options.padding == "max_length"
        self.inputs = tokenizer(
            [row[options.text_column] for row in rows],
            [row[pair] for row in rows] if pair else None,
            padding="max_length" if fixed else False,
            truncation=True,
            max_length=options.max_length,
            return_tensors="pt" if fixed else None,
        )

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return {**{name: values[index] for name, values in self.inputs.items()}, "labels": self.labels[index]}


def read(path, column_names):
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, column_names, delimiter="\t", quoting=csv.QUOTE_NONE))


def scores(logits, labels):
    """Scores of label 1; a sigmoid head has only its logit."""
    of_one = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
    predicted = of_one >= 0
    return {
        "accuracy": accuracy_score(labels, predicted),
        "f1": f1_score(labels, predicted),
        "matthews_correlation": matthews_corrcoef(labels, predicted),
        "roc_auc": roc_auc_score(labels, of_one),
    }


def training_arguments(options):
    return TrainingArguments(
        output_dir=tempfile.mkdtemp(),
        num_train_epochs=options.epochs,
        max_steps=options.max_steps,
        per_device_train_batch_size=options.batch_size,
        per_device_eval_batch_size=64,
        learning_rate=options.learning_rate,
        lr_scheduler_type="linear",
        bf16=options.bf16,
        train_sampling_strategy="group_by_length" if options.padding == "grouped" else "random",
        optim="adamw_torch_fused",
        seed=options.seed,
        save_strategy="steps" if options.checkpoint_every else "no",
        save_steps=options.checkpoint_every or 500,
        save_total_limit=1,
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
    )


if __name__ == "__main__":
    main()
