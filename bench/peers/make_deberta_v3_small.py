"""bench/peers/make_deberta_v3_small.py FOLDER TOKENIZER: a DeBERTa v3 of the small size with random weights.

It is as fast as the real one but for its vocabulary, which is that of the folder TOKENIZER: BERT's 30,522 tokens.
"""

import pathlib
import shutil
import sys

from transformers import DebertaV2Config, DebertaV2Model

folder, tokenizer = map(pathlib.Path, sys.argv[1:])
config = DebertaV2Config(
    vocab_size=30522, hidden_size=768, num_hidden_layers=6, num_attention_heads=12, intermediate_size=3072,
    relative_attention=True, position_buckets=256, norm_rel_ebd="layer_norm", share_att_key=True,
    pos_att_type="p2c|c2p", position_biased_input=False)
DebertaV2Model(config).save_pretrained(folder)
for name in ("tokenizer.json", "tokenizer_config.json"):
    shutil.copy(tokenizer / name, folder / name)
