"""bench/peers/make_bert_base.py FOLDER TOKENIZER: a BERT of the base size with random weights, as fast as the real one.

The tokenizer is copied from the folder TOKENIZER, whose vocabulary must have BERT's 30,522 tokens.
"""

import pathlib
import shutil
import sys

from transformers import BertConfig, BertModel

folder, tokenizer = map(pathlib.Path, sys.argv[1:])
BertModel(BertConfig()).save_pretrained(folder)
for name in ("tokenizer.json", "tokenizer_config.json"):
    shutil.copy(tokenizer / name, folder / name)
