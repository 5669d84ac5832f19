"""The peer of train_case_bench: seconds per training step of a case in torch and transformers, as JSON.

    train_case.py CASE float32|bfloat16 STEPS
"""

import json
import pathlib
import sys
import time

import safetensors.torch
import torch
import transformers

WARMUP = 2


def main():
    folder, dtype, steps = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    transformers.logging.set_verbosity_error()
    torch.manual_seed(0)
    classes = getattr(transformers, json.loads((folder / "case.json").read_text())["architecture"])
    model = classes.from_pretrained(folder, dtype=torch.float32)
    model.train()
    batch = safetensors.torch.load_file(folder / "inputs.safetensors")
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5, fused=True)
    seconds = []
    for _ in range(WARMUP + steps):
        begin = time.perf_counter()
        train_step(model, optimizer, batch, dtype)
        seconds.append(time.perf_counter() - begin)
    print(json.dumps({"step_seconds": seconds[WARMUP:]}))


def train_step(model, optimizer, batch, dtype):
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=dtype == "bfloat16"):
        loss = model(**batch).loss
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return loss.item()


if __name__ == "__main__":
    main()
