"""tests/oracle/models/make_tiny_bert.py: makes tests/data/tiny_bert, a random BERT small enough to train in a second.

An encoder without a head, with a tokenizer, like a downloaded one. Needs torch and transformers 5.23.0; the tests only
read what it wrote.
"""

import pathlib

import torch
from transformers import BertConfig, BertModel, BertTokenizer

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "data" / "tiny_bert"

WORDS = """good fine great lovely bad poor awful dreary the a film play book was is it and very quite story
actor music end we they saw liked thought of in""".split()
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *"abcdefghijklmnopqrstuvwxyz", ".", ","]


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    BertTokenizer(str(FOLDER / "vocab.txt")).save_pretrained(FOLDER)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
    )
    BertModel(config).save_pretrained(FOLDER)


if __name__ == "__main__":
    main()
