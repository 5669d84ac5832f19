#!/usr/bin/env python3
"""Trains the tiny Llama of tests/data/models/llama_lm by torch and transformers for 200 steps and records losses.

    pip install torch==2.15.0 transformers==5.23.0
    python tests/oracle/train/make_training_curve.py

tests/data/curves/llama_lm.json: `batches`, [12, 4, 16] token ids, used in turn; `losses` and `grad_norms` (before
clipping) of each step. AdamW with a weight decay of matrices, linear decay to 0, gradients clipped to 1. The last
hundred steps show the moments, the schedule and clipping, which one step cannot show.
"""

import json
import pathlib

import torch
from torch.nn.functional import cross_entropy
from transformers import LlamaForCausalLM

DATA = pathlib.Path(__file__).parent.parent.parent / "data"
STEPS, BATCHES, EXAMPLES, LENGTH = 200, 12, 4, 16


def main():
    torch.manual_seed(0)
    model = LlamaForCausalLM.from_pretrained(DATA / "models" / "llama_lm", dtype=torch.float32).train()
    batches = make_batches(model.config.vocab_size)
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    groups = [{"params": matrices, "weight_decay": 0.05}, {"params": vectors, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=3e-3)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / STEPS)
    losses, norms = [], []
    for step in range(STEPS):
        ids = batches[step % BATCHES]
        logits = model(input_ids=ids).logits[:, :-1]
        loss = cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        loss.backward()
        norms.append(float(torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)))
        losses.append(float(loss))
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
    curve = {
        "batches": batches.tolist(),
        "losses": [round(loss, 6) for loss in losses],
        "grad_norms": [round(norm, 6) for norm in norms],
    }
    folder = DATA / "curves"
    folder.mkdir(exist_ok=True)
    (folder / "llama_lm.json").write_text(json.dumps(curve, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"loss {losses[0]:.4f} to {losses[-1]:.4f}, norms {min(norms):.2f} to {max(norms):.2f}")


def make_batches(vocabulary):
    """Tokens that follow from the one before, except every fourth, which is random: learnable only in part."""
    ids = torch.randint(3, vocabulary, (BATCHES, EXAMPLES, LENGTH))
    for t in range(1, LENGTH):
        if t % 4:
            ids[:, :, t] = (ids[:, :, t - 1] * 7) % (vocabulary - 3) + 3
    return ids


if __name__ == "__main__":
    main()
