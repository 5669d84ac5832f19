#!/usr/bin/env python3
"""Trains a causal language model by torch on blocks of ids, and prints the held-out loss after each epoch as JSON.

--train, --validation: files of `portatune tokenize`, one text per line. AdamW without weight decay, linear decay to 0,
gradients clipped to 1: Portatune's defaults.
"""

import argparse
import json

import torch
from torch.nn.functional import cross_entropy
from transformers import AutoModelForCausalLM


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("model", "train", "validation"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("epochs", "batch_size", "max_length", "seed"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, required=True)
    parser.add_argument("--learning-rate", type=float, required=True)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    train, validation = (blocks_of(file, options.max_length) for file in (options.train, options.validation))
    model = AutoModelForCausalLM.from_pretrained(options.model, dtype=torch.float32)
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.learning_rate, weight_decay=0)
    steps = options.epochs * -(-len(train) // options.batch_size)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    losses = [mean_loss(model, validation, options.batch_size)]
    for _ in range(options.epochs):
        model.train()
        for indices in torch.randperm(len(train)).split(options.batch_size):
            loss, labels = summed_loss(model, [train[i] for i in indices])
            (loss / labels).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        losses.append(mean_loss(model, validation, options.batch_size))
    print(json.dumps({"losses": losses}))


def blocks_of(file, size):
    with open(file, encoding="utf-8") as lines:
        ids = [i for line in lines for i in json.loads(line)["ids"]]
    return [torch.tensor(ids[i : i + size]) for i in range(0, len(ids), size)]


def summed_loss(model, blocks):
    ids = torch.nn.utils.rnn.pad_sequence(blocks, batch_first=True)
    labels = torch.nn.utils.rnn.pad_sequence(blocks, batch_first=True, padding_value=-100)[:, 1:]
    logits = model(input_ids=ids).logits[:, :-1]
    loss = cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100, reduction="sum")
    return loss, int((labels != -100).sum())


def mean_loss(model, blocks, batch_size):
    model.eval()
    with torch.no_grad():
        sums = [summed_loss(model, blocks[i : i + batch_size]) for i in range(0, len(blocks), batch_size)]
    return sum(float(loss) for loss, _ in sums) / sum(labels for _, labels in sums)


if __name__ == "__main__":
    main()
