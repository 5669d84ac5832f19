"""tests/oracle/text/make_tokenizer_training.py: makes tests/data/tokenizer_training, tokenizers that `tokenizers`
trains.

Needs tokenizers 0.23.3. text.txt has made-up words with the frequencies of a natural language. NAME.json is the
tokenizer.json of a case, without line breaks.
"""

import json
import pathlib
import random

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "data" / "tokenizer_training"
BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
ALBERT = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
SYLLABLES = "ba be bi bo ca ce da de di do en er es fa ge ha in ing is ka la le li ma me na ne on or ra re sa se ta te ti to un"


def make_text():
    random.seed(7)
    words = ["".join(random.choices(SYLLABLES.split(), k=random.choice([1, 1, 2, 2, 3]))) for _ in range(600)]
    words += ["Übung", "café", "naïve", "don't", "3.14", "2024", "日本語", "こんにちは", "привет", "🙂", "e\u0301t\u00e9", "x\u200by"]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    lines = []
    for _ in range(300):
        line = random.choices(words, weights, k=random.randint(3, 15))
        line = [word.capitalize() if random.random() < 0.1 else word for word in line]
        lines.append(random.choice(["", "", "  "]).join([" ".join(line), random.choice([".", "?", " !", ""])]))
    return lines


def added(tokens):
    return [AddedToken(token, lstrip=token == "<mask>", normalized=False, special=True) for token in tokens]


def wordpiece(lines, name, *, lowercase, limit=1000, **options):
    """The ids of "##" and a character depend on a hash table. As special tokens they get fixed ones."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    words = [word for line in lines for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(line))]
    counts = {}
    for word in words:
        for c in word:
            counts[c] = counts.get(c, 0) + 1
    ranked = sorted(counts, key=lambda c: (-counts[c], c))
    kept = ranked[:limit]
    assert limit >= len(ranked) or counts[ranked[limit - 1]] > counts[ranked[limit]], "a tie that a hash table decides"
    inside = {c for word in words for c in word[1:]} & set(kept)
    fixed = BERT + sorted(kept) + ["##" + c for c in sorted(inside)]
    trainer = trainers.WordPieceTrainer(show_progress=False, special_tokens=fixed, limit_alphabet=limit, **options)
    tokenizer.train_from_iterator(lines, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    save(tokenizer, name, BERT)


def bpe(lines, name, *, special, lowercase=False, **options):
    tokenizer = Tokenizer(models.BPE())
    if lowercase:
        tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        show_progress=False, special_tokens=added(special), initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), **options
    )
    tokenizer.train_from_iterator(lines, trainer)
    if "<s>" in special:
        ids = [(token, special.index(token)) for token in ("</s>", "<s>")]
        tokenizer.post_processor = processors.RobertaProcessing(*ids, trim_offsets=True, add_prefix_space=False)
    else:
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    save(tokenizer, name, special)


def unigram(lines, name, *, lowercase=False, **options):
    tokenizer = Tokenizer(models.Unigram())
    parts = [normalizers.Nmt(), normalizers.NFKC(), *([normalizers.Lowercase()] if lowercase else [])]
    tokenizer.normalizer = normalizers.Sequence([*parts, normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    trainer = trainers.UnigramTrainer(show_progress=False, special_tokens=added(ALBERT), unk_token="<unk>", **options)
    tokenizer.train_from_iterator(lines, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    save(tokenizer, name, ALBERT)


def save(tokenizer, name, special):
    """Without the tokens that are special for their ids alone."""
    content = json.loads(tokenizer.to_str())
    content["added_tokens"] = [token for token in content["added_tokens"] if token["content"] in special]
    (DATA / f"{name}.json").write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n")


def main():
    DATA.mkdir(exist_ok=True)
    lines = make_text()
    (DATA / "text.txt").write_text("\n".join(lines) + "\n")
    wordpiece(lines, "wordpiece", lowercase=False, vocab_size=400, min_frequency=2)
    wordpiece(lines, "wordpiece_lowercase", lowercase=True, vocab_size=2000, min_frequency=0, limit=26)
    bpe(lines, "bpe", special=ROBERTA, vocab_size=500, min_frequency=2)
    bpe(lines, "bpe_gpt2", special=["<|endoftext|>"], lowercase=True, vocab_size=100000, min_frequency=5)
    unigram(lines, "unigram", vocab_size=200)
    unigram(lines, "unigram_lowercase", lowercase=True, vocab_size=400)


if __name__ == "__main__":
    main()
