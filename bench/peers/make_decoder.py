"""bench/peers/make_decoder.py FOLDER gpt2|opt|bart|t5: a model that generates text, with random weights, of the size of
GPT-2, OPT-125M, BART-base or T5-small.
"""

import sys

import torch
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    GPT2Config,
    GPT2LMHeadModel,
    OPTConfig,
    OPTForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
)

# Other defaults of the configurations have these sizes.
BART_BASE = {
    "d_model": 768,
    "encoder_layers": 6,
    "decoder_layers": 6,
    "encoder_attention_heads": 12,
    "decoder_attention_heads": 12,
    "encoder_ffn_dim": 3072,
    "decoder_ffn_dim": 3072,
}
MODELS = {
    "gpt2": lambda: GPT2LMHeadModel(GPT2Config()),
    "opt": lambda: OPTForCausalLM(OPTConfig()),
    "bart": lambda: BartForConditionalGeneration(BartConfig(**BART_BASE)),
    "t5": lambda: T5ForConditionalGeneration(T5Config(decoder_start_token_id=0)),
}

torch.manual_seed(0)
folder, kind = sys.argv[1:]
MODELS[kind]().save_pretrained(folder)
