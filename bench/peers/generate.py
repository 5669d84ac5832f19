"""The peer of generate_bench: seconds of transformers to read random prompts and to generate tokens.

Prints {"prefill_s": [...], "decode_s": [...]}. prefill_s is the time of generate() for one token; decode_s is the
remaining time of generate() for all tokens.
"""

import argparse
import json
import time

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM


def main():
    options = parse_options()
    torch.manual_seed(0)
    is_encoder_decoder = AutoConfig.from_pretrained(options.model).is_encoder_decoder
    auto_class = AutoModelForSeq2SeqLM if is_encoder_decoder else AutoModelForCausalLM
    model = auto_class.from_pretrained(options.model, dtype=getattr(torch, options.dtype)).eval()
    ids = torch.randint(model.config.vocab_size, (options.prompts, options.tokens))
    prefill, decode = [], []
    for turn in range(options.rounds + 1):
        first = seconds(model, ids, 1, options)
        whole = seconds(model, ids, options.new_tokens, options)
        if turn > 0:  # the first warms up
            prefill.append(first)
            decode.append(whole - first)
    print(json.dumps({"prefill_s": prefill, "decode_s": decode}))


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--prompts", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--new-tokens", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dtype", choices=["float32", "bfloat16"], default="float32")
    parser.add_argument("--search", choices=["greedy", "beams"], default="greedy")
    parser.add_argument("--cache", choices=["dynamic", "static"], default="dynamic")
    return parser.parse_args()


@torch.inference_mode()
def seconds(model, ids, new_tokens, options):
    begin = time.perf_counter()
    output = model.generate(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        max_new_tokens=new_tokens,
        min_new_tokens=new_tokens,
        do_sample=False,
        num_beams=4 if options.search == "beams" else 1,
        pad_token_id=0,
        eos_token_id=None,
        cache_implementation=None if options.cache == "dynamic" else options.cache,
        disable_compile=True,
    )
    first = 1 if model.config.is_encoder_decoder else ids.shape[1]
    assert output.shape[1] == first + new_tokens
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
