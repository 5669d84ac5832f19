"""Makes tests/data/tokenizer/vocab_txt.json: ids that transformers' BertTokenizer and
MPNetTokenizer give with small vocab.txt files.

Run by hand from the root of the repository, with transformers 5.23.0 and tokenizers 0.23.3:
    python tests/oracle/text/make_vocab_txt_goldens.py
"""

import json
import pathlib
import tempfile

import transformers

TARGET = pathlib.Path("tests/data/tokenizer/vocab_txt.json")
TEXTS = ["The cats' caf\u00e9 [MASK] <m> <e1> \u4e2d\u6587 New new unaffable", "[SEP]x the\u0301", "the <mask> cat</s>"]
WORDS = "the\ncat\n##s\nCat\nThe\ncaf\u00e9\ncafe\n\u4e2d\n'\n<\n>\nnew\nun\n##affable\n"
MPNET = "<s>\n<pad>\n</s>\n[UNK]\n<mask>\n"
BERT = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"
FLAGS = dict(lstrip=False, rstrip=False, single_word=False, normalized=False, special=True)
CASES = [
    (BERT + WORDS, {}),
    (BERT + WORDS, {"do_lower_case": False}),
    (BERT + WORDS, {"do_lower_case": False, "strip_accents": True, "tokenize_chinese_chars": False}),
    (BERT + WORDS, {"strip_accents": False, "model_max_length": 1000000000000000019884624838656}),
    ((BERT + WORDS).replace("\n", "\r\n"), {}),
    (BERT + WORDS + "the\n\ncat", {}),
    ("<p>\n<u>\n<c>\n<s>\n<m>\n" + WORDS, {"pad_token": "<p>", "unk_token": dict(content="<u>", __type="AddedToken", **FLAGS), "cls_token": "<c>",
                                       "sep_token": "<s>", "mask_token": "<m>", "do_lower_case": True}),
    (BERT + WORDS, {"additional_special_tokens": ["<e1>", "cat"]}),
    ("[PAD]\n[UNK]\n[CLS]\n[SEP]\n" + WORDS, {}),
    (BERT + WORDS, {"added_tokens_decoder": {
        "0": dict(content="[PAD]", **FLAGS),
        "19": dict(content="New", **(FLAGS | dict(normalized=True, lstrip=True, special=False))),
        "20": dict(content="<e1>", **(FLAGS | dict(rstrip=True)))}}),
    (MPNET + WORDS, {"tokenizer_class": "MPNetTokenizer"}),
    (MPNET + WORDS, {"tokenizer_class": "MPNetTokenizerFast", "do_lower_case": False, "mask_token": "cat"}),
]


def ids(vocabulary, config):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "vocab.txt").write_bytes(vocabulary.encode())
        pathlib.Path(folder, "tokenizer_config.json").write_text(json.dumps(config))
        kind = config.get("tokenizer_class", "BertTokenizer").removesuffix("Fast")
        tokenizer = getattr(transformers, kind).from_pretrained(folder)
        return [tokenizer(text)["input_ids"] for text in TEXTS]


assert transformers.__version__ == "5.23.0"
TARGET.write_text(json.dumps({"texts": TEXTS, "cases": [[*case, ids(*case)] for case in CASES]}, indent=0) + "\n")
