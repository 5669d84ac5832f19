"""bench/peers/make_bert_base.py FOLDER: a BERT of the base size with random weights; its speed is the real one's."""

import sys

from transformers import BertConfig, BertModel

BertModel(BertConfig()).save_pretrained(sys.argv[1])
