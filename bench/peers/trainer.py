"""The peer of `portune fit`: the Trainer of transformers on the demo's task with the demo's settings.

Reads the same two TSV files, trains a sigmoid head (BertForSequenceClassification, num_labels=1, binary cross-entropy)
and prints one line of JSON: {"train_seconds": ...}, and with --validation also "validation_auc".
"""

import argparse
import csv
import json
import tempfile
import time

import torch
from sklearn.metrics import roc_auc_score
from transformers import AutoTokenizer, BertForSequenceClassification, Trainer, TrainingArguments


def main():
    options = parse_options()
    torch.manual_seed(options.seed)
    tokenizer = AutoTokenizer.from_pretrained(options.model)
    model = BertForSequenceClassification.from_pretrained(
        options.model, num_labels=1, problem_type="multi_label_classification", attn_implementation="sdpa"
    )
    trainer = Trainer(model, training_arguments(options), train_dataset=Reviews(options.train, tokenizer, options))
    begin = time.perf_counter()
    trainer.train()
    result = {"train_seconds": time.perf_counter() - begin}
    if options.validation:
        predicted = trainer.predict(Reviews(options.validation, tokenizer, options))
        result["validation_auc"] = roc_auc_score(predicted.label_ids[:, 0], predicted.predictions[:, 0])
    print(json.dumps(result), flush=True)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--train", required=True)
    parser.add_argument("--validation")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--max-length", type=int, default=64)
    parser.add_argument("--learning-rate", type=float, default=3e-5)
    parser.add_argument("--max-steps", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


class Reviews(torch.utils.data.Dataset):
    """Rows of a TSV file with the columns label and text; every example is padded to the full length."""

    def __init__(self, path, tokenizer, options):
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        self.labels = torch.tensor([[float(row["label"])] for row in rows])
        self.inputs = tokenizer(
            [row["text"] for row in rows],
            padding="max_length",
            truncation=True,
            max_length=options.max_length,
            return_tensors="pt",
        )

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return {**{name: values[index] for name, values in self.inputs.items()}, "labels": self.labels[index]}


def training_arguments(options):
    return TrainingArguments(
        output_dir=tempfile.mkdtemp(),
        max_steps=options.max_steps,
        per_device_train_batch_size=options.batch_size,
        per_device_eval_batch_size=64,
        learning_rate=options.learning_rate,
        lr_scheduler_type="linear",
        optim="adamw_torch_fused",
        seed=options.seed,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
    )


if __name__ == "__main__":
    main()
