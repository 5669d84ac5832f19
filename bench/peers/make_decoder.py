"""bench/peers/make_decoder.py FOLDER gpt2|opt: a decoder of the size of GPT-2 or OPT-125M with random weights."""

import sys

import torch
from transformers import GPT2Config, GPT2LMHeadModel, OPTConfig, OPTForCausalLM

torch.manual_seed(0)
folder, kind = sys.argv[1:]
# The defaults of the configurations have these sizes.
model = GPT2LMHeadModel(GPT2Config()) if kind == "gpt2" else OPTForCausalLM(OPTConfig())
model.save_pretrained(folder)
