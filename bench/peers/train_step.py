"""The peer of `portatune bench`: seconds per training step of a text classifier in torch and transformers.

Prints one line, {"step_seconds": [...]}, as `portatune bench` does. A step is forward, backward and an AdamW update on a
batch of full length whose rows hold between half and all real tokens (so that no library may skip the mask), with
dropout.
"""

import argparse
import json
import time

import torch
from transformers import AutoConfig, AutoModelForSequenceClassification


def main():
    options = parse_options()
    torch.manual_seed(0)
    # transformers has no other attention for them.
    is_eager = AutoConfig.from_pretrained(options.model).model_type in ("deberta-v2", "big_bird")
    attention = "eager" if is_eager else "sdpa"
    if options.from_config:
        config = AutoConfig.from_pretrained(options.model, num_labels=2)
        model = AutoModelForSequenceClassification.from_config(config, attn_implementation=attention)
    else:
        model = AutoModelForSequenceClassification.from_pretrained(options.model, num_labels=2,
                                                                   attn_implementation=attention)
    if options.lora:
        import peft  # noqa: PLC0415, which only this case needs

        model = peft.get_peft_model(model, peft.LoraConfig(task_type="SEQ_CLS", r=8, lora_alpha=16))
    model.to(options.device).train()
    batch = make_batch(model.config, options.batch_size, options.max_length)
    batch = {name: values.to(options.device) for name, values in batch.items()}
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=2e-5, fused=True)
    if options.compile:
        model = torch.compile(model)
    for _ in range(options.warmup_steps):
        train_step(model, optimizer, batch, options.dtype)
    seconds = []
    for _ in range(options.steps):
        begin = time.perf_counter()
        train_step(model, optimizer, batch, options.dtype)
        seconds.append(time.perf_counter() - begin)
    print(json.dumps({"step_seconds": seconds}))


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--from-config", action="store_true", help="random weights")
    parser.add_argument("--batch-size", type=int, required=True)
    parser.add_argument("--max-length", type=int, required=True)
    parser.add_argument("--dtype", choices=["float32", "bfloat16"], default="float32")
    parser.add_argument("--lora", action="store_true", help="train an adapter of peft")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--compile", action="store_true", help="compile the model by torch.compile")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--warmup-steps", type=int, default=2)
    return parser.parse_args()


def make_batch(config, batch_size, max_length):
    lengths = torch.randint(max_length // 2, max_length + 1, (batch_size, 1))
    return {
        "input_ids": torch.randint(1000, config.vocab_size, (batch_size, max_length)),
        "attention_mask": (torch.arange(max_length) < lengths).long(),
        "labels": torch.randint(0, 2, (batch_size,)),
    }


def train_step(model, optimizer, batch, dtype):
    with torch.autocast(batch["labels"].device.type, dtype=torch.bfloat16, enabled=dtype == "bfloat16"):
        loss = model(**batch).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return loss.item()


if __name__ == "__main__":
    main()
