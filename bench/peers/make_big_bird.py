"""bench/peers/make_big_bird.py FOLDER ATTENTION TOKENIZER: a small Big Bird with random weights.

ATTENTION is block_sparse or original_full. The tokenizer is that of the folder TOKENIZER, and not used.
"""

import pathlib
import shutil
import sys

from transformers import BigBirdConfig, BigBirdForSequenceClassification

folder, tokenizer = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[3])
config = BigBirdConfig(
    vocab_size=8000, hidden_size=256, num_hidden_layers=4, num_attention_heads=4, intermediate_size=1024,
    attention_type=sys.argv[2], num_labels=2)
BigBirdForSequenceClassification(config).save_pretrained(folder)
for name in ("tokenizer.json", "tokenizer_config.json"):
    shutil.copy(tokenizer / name, folder / name)
