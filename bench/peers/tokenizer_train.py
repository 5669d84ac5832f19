"""bench/peers/tokenizer_train.py TEXT TYPE VOCAB_SIZE OUTPUT: trains a tokenizer with `tokenizers` on lines of a text."""

import sys

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
ALBERT = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def main(text, kind, vocab_size, output):
    settings = {"vocab_size": int(vocab_size), "show_progress": False}
    if kind == "wordpiece":
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer = trainers.WordPieceTrainer(special_tokens=BERT, limit_alphabet=1000, min_frequency=2, **settings)
    elif kind == "unigram":
        tokenizer = Tokenizer(models.Unigram())
        spaces = normalizers.Replace(Regex(" {2,}"), " ")
        tokenizer.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), spaces])
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
        trainer = trainers.UnigramTrainer(special_tokens=ALBERT, unk_token="<unk>", **settings)
    else:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(special_tokens=ROBERTA, initial_alphabet=alphabet, min_frequency=2, **settings)
    with open(text, encoding="utf-8", newline="\n") as file:
        tokenizer.train_from_iterator((line.rstrip("\n") for line in file), trainer)
    tokenizer.save(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
