"""Makes tests/data/tokenizer/marian.json: small files of MarianTokenizer, with the ids and texts that transformers
computes by them.

Run by hand from the root of the repository, with transformers 5.23.0, sentencepiece 0.2.x:
    python tests/oracle/text/make_marian_goldens.py
With the program portatune_tokenizer_dump it compares the ids of many texts, also random ones, by models with the whole
table of nmt_nfkc, in place of making the file:
    python tests/oracle/text/make_marian_goldens.py build/tests/text/portatune_tokenizer_dump [FILE_WITH_LINES ...]
"""

import array
import base64
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import sentencepiece
import transformers

from tokenizer_cases import TEXTS

TARGET = pathlib.Path("tests/data/tokenizer/marian.json")
assert transformers.__version__ == "5.23.0"

SOURCE_SENTENCES = [
    "The quick brown fox jumps over the lazy dog, and it's 1234 o'clock.",
    "The other dog sees the fox and the fox sees the dogs over there.",
    "We see them: the fox, the dogs, the clock; another clock is there.",
]
TARGET_SENTENCES = [
    "Le renard brun saute par-dessus le chien paresseux, et il est 1234 heures.",
    "L'autre chien voit le renard et le renard voit les chiens l\u00e0-bas.",
    "Nous les voyons\u00a0: le renard, les chiens, l'horloge\u00a0; une autre horloge est l\u00e0.",
]
# Sequences that are replaced: spaces, a removed character, parts of longer sequences, a text of several characters.
RULES = {"\t": " ", "\u00a0": " ", "\u3000": " ", "\u2019": "'", "\ufb01": "fi", "e\u0301": "\u00e9", "\u0301": "",
         "e\u0301\u0301": "\u00ea", "\u200b": "", "\u00bd": " 1/2", "A\u030a": "\u00c5"}
CODES = [">>fr<<", ">>de<<"]
MORE_TEXTS = [
    ">>fr<< The fox sees the dog.", ">>fr<<The fox", ">>xx<< the fox", " >>fr<< the fox", ">>fr<<", ">> the << fox", ">>fr the fox",
    "the >>fr<< fox", ">>fr<< >>de<< the fox", ">>fr<< the fox</s>>>de<< the dog", "the</s> fox <pad><unk> dog</s>", "<s> the fox </s>",
    "the \u2581fox \u2581 dog \u2581", "\u2581", "\u2581\u2581the", "xyz \u4e2d\u6587 the \U0001f600\U0001f600dog", "q\u017c\u017cq zz", "e\u0301\u0301 e\u0301 \u0301e \u0301",
    "the\u200b dog \u200b", "\u200bthe", "1\u00bd dogs", "le renard voit l'horloge l\u00e0-bas", "renardrenard", ">>fr<<\u00a0the",
]


def model_of(sentences, vocab_size, rules):
    model = io.BytesIO()
    options = {"normalization_rule_name": rules} if isinstance(rules, str) else {"normalization_rule_tsv": tsv_of(rules)}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences * 4), model_writer=model, model_type="unigram", hard_vocab_limit=False,
        minloglevel=2, num_threads=1, vocab_size=vocab_size, **options)
    return model.getvalue()


def tsv_of(rules):
    def codes(text):
        return " ".join(f"{ord(c):04X}" for c in text)

    file = pathlib.Path(tempfile.mkdtemp()) / "rules.tsv"
    file.write_text("".join(f"{codes(a)}\t{codes(b)}\n" for a, b in rules.items()))
    return str(file)


def pieces_of(model):
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [processor.IdToPiece(i) for i in range(processor.GetPieceSize()) if not processor.IsControl(i)]


def ids_of(pieces, first):
    """A vocabulary that lacks a few of the pieces. Published ones have their padding at the end."""
    kept = [piece for i, piece in enumerate(dict.fromkeys(pieces)) if piece != "<unk>" and i % 11 != 7]
    return {token: i for i, token in enumerate(dict.fromkeys([*first, *kept, *CODES, "<pad>"]))}


def folders(source, target):
    of_source, of_target = pieces_of(source), pieces_of(target)
    files = {"source.spm": source, "target.spm": target}
    one = {"vocab.json": ids_of(of_source + of_target, ["</s>", "<unk>"])}
    special = ["</s>", "<unk>", "<pad>"]  # transformers gives them the same ids in both vocabularies
    two = {"vocab.json": ids_of(of_source, special), "target_vocab.json": ids_of(of_target[::-1], special)}
    yield files | dumped(one), {"tokenizer_class": "MarianTokenizer", "source_lang": "en", "target_lang": "fr"}
    yield files | dumped(two), {"tokenizer_class": "MarianTokenizer", "separate_vocabs": True}


def dumped(vocabularies):
    return {name: json.dumps(ids, ensure_ascii=False).encode() for name, ids in vocabularies.items()}


def written(folder, files, config):
    for name, data in files.items():
        (folder / name).write_bytes(data)
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    (folder / "config.json").write_text(json.dumps({"model_type": "marian"}))
    return transformers.MarianTokenizer.from_pretrained(folder)


def results(files, config, texts):
    """For each text the ids as a source and as a target, and the texts of the latter with and without special tokens."""
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = written(pathlib.Path(folder), files, config)
        rows = []
        for text in texts:
            ids = tokenizer(text_target=text)["input_ids"]
            decoded = [tokenizer.decode(ids, skip_special_tokens=skip) for skip in (False, True)]
            rows.append([tokenizer(text)["input_ids"], ids, *decoded])
    return rows


def make():
    texts = [*TEXTS, *SOURCE_SENTENCES, *TARGET_SENTENCES, *MORE_TEXTS]
    source, target = model_of(SOURCE_SENTENCES, 90, RULES), model_of(TARGET_SENTENCES, 90, "identity")
    cases, stored = [], {"source.spm": source, "target.spm": target}
    for files, config in folders(source, target):
        own = {name: data.decode() for name, data in files.items() if name not in stored}
        cases.append([own, config, results(files, config, texts)])
    encoded = {name: base64.b64encode(data).decode() for name, data in stored.items()}
    lines = ",\n".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in cases)
    head = json.dumps({"texts": texts, "files": encoded}, ensure_ascii=False)
    TARGET.write_text(head[:-1] + ',"cases":[\n' + lines + "\n]}\n", encoding="utf-8")


def random_texts(count):
    """Words and strange characters, each of Unicode's at least once."""
    rng = random.Random(5)
    words = " ".join(SOURCE_SENTENCES + TARGET_SENTENCES).split(" ") + ["\u00bd", "\u0301", "\u2581", " ", "\u200b", "\ufb01", ">>fr<<"]
    for _ in range(count):
        parts = [rng.choice(words) if rng.random() < 0.7 else chr(rng.randrange(1, 0xD800)) for _ in range(rng.randrange(1, 12))]
        yield (" " if rng.random() < 0.7 else "").join(parts)
    everything = [chr(c) for c in range(1, 0x30000) if not 0xD800 <= c < 0xE000]
    for i in range(0, len(everything), 24):
        yield "x ".join(everything[i : i + 24])
        yield "".join(everything[i : i + 24])


def dumped_ids(dump, folder, texts):
    requests = folder / "requests"
    with open(requests, "wb") as file:
        for text in texts:
            data = text.encode()
            file.write(array.array("i", [1, len(data)]).tobytes() + data)
    answers = array.array("i", subprocess.run([dump, folder, requests, "0", "longest_first", "1"], check=True, capture_output=True).stdout)
    at = 0
    for _ in texts:
        count = answers[at]
        if count < 0:
            yield None
            at += 1
            continue
        yield answers[at + 1 : at + 1 + count].tolist()
        at += 1 + 7 * count  # ids, types, masks, sequences, words, offsets
        at += 1 + answers[at]  # of IdEncoder
        for _ in range(2):
            at += 1 + (answers[at] + 3) // 4


def compare(dump, paths):
    texts = [*TEXTS, *MORE_TEXTS, *random_texts(6_000)]
    for path in paths:
        texts += pathlib.Path(path).read_text(encoding="utf-8").split("\n")
    texts = [text for text in texts if "\x00" not in text]
    training = SOURCE_SENTENCES + [line for path in paths for line in pathlib.Path(path).read_text(encoding="utf-8").split("\n")[:4000]]
    source, target = model_of(training, 2000, "nmt_nfkc"), model_of(TARGET_SENTENCES, 90, "identity")
    different = 0
    for (files, config), swaps in [(case, swaps) for case in folders(source, target) for swaps in (False, True)]:
        if swaps:  # the targets' tokenizer as that of sources
            files = files | {"source.spm": target, "target.spm": source}
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            tokenizer = written(folder, files, config)
            for text, ids in zip(texts, dumped_ids(dump, folder, texts), strict=True):
                wanted = tokenizer(text)["input_ids"]
                different += wanted != ids
                if wanted != ids and different < 20:
                    print(repr(text), wanted, ids)
    print(f"{4 * len(texts)} encodings compared, {different} differ")
    return different > 0


if __name__ == "__main__":
    sys.exit(compare(sys.argv[1], sys.argv[2:]) if len(sys.argv) > 1 else make())
