#!/usr/bin/env python3
"""Makes a small Llama of random weights:  make_small_llama.py TOKENIZER.model VOCABULARY FOLDER"""

import pathlib
import shutil
import sys

import torch
from transformers import LlamaConfig, LlamaForCausalLM


def main():
    tokenizer, vocabulary, folder = sys.argv[1:]
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=int(vocabulary),
        hidden_size=256,
        intermediate_size=704,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=256,
        tie_word_embeddings=False,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    shutil.copy(tokenizer, pathlib.Path(folder) / "tokenizer.model")


if __name__ == "__main__":
    main()
