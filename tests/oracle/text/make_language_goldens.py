"""Makes tests/data/tokenizer/languages.json: small tokenizers of several languages, with the ids that transformers
computes for sources and targets in some of them, and the texts of the latter.

Run by hand from the root of the repository, with transformers 5.23.0:
    python tests/oracle/text/make_language_goldens.py
"""

import json
import pathlib
import tempfile

import transformers

TARGET = pathlib.Path("tests/data/tokenizer/languages.json")
assert transformers.__version__ == "5.23.0"

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
PIECES = ["\u2581", "a", "b", "c", "d", "\u2581a", "\u2581b", "ab", "cd", "\u2581ab"]
TEXTS = ["ab cd", "a", "", "cd ab d  b", "en_XX a", "x ab"]
CODES = ["en_XX", "ro_RO", "de_DE"]
NLLB_CODES = ["eng_Latn", "fra_Latn", "ron_Latn"]


def unigram(tokenizer_class, codes):
    scores = [(token, 0.0) for token in SPECIAL] + [(piece, -1.0 - len(piece) % 3) for piece in PIECES]
    return tokenizer_class(vocab=[*scores, *((code, 0.0) for code in codes)])


def bpe(codes, **options):
    vocab = {token: i for i, token in enumerate([*SPECIAL, *PIECES])}
    merges = [("\u2581", "a"), ("\u2581", "b"), ("a", "b"), ("c", "d"), ("\u2581a", "b")]
    return transformers.NllbTokenizer(vocab=vocab, merges=merges, extra_special_tokens=codes, **options)


def saved(tokenizer):
    """The files of a tokenizer, where only a few of the languages are left of its class's long list."""
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save_pretrained(folder)
        read = lambda name: json.loads((pathlib.Path(folder) / name).read_text())
        config = {k: v for k, v in read("tokenizer_config.json").items() if k != "extra_special_tokens"}
        return read("tokenizer.json"), config


def ids_of(tokenizer, files, source, target):
    """For each text its ids as a source and as a target, and the text of the latter."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in zip(("tokenizer.json", "tokenizer_config.json"), files):
            (pathlib.Path(folder) / name).write_text(json.dumps(content))
        languages = {"src_lang": source, "tgt_lang": target} if source else {}
        loaded = type(tokenizer).from_pretrained(folder, **languages)
    rows = []
    for text in TEXTS:
        ids = loaded(text_target=text)["input_ids"]
        rows.append([loaded(text)["input_ids"], ids, loaded.decode(ids, skip_special_tokens=True)])
    return rows


def case(tokenizer, codes):
    tokenizer_json, config = saved(tokenizer)
    runs = []
    for source, target in [(None, None), (codes[0], codes[1]), (codes[2], codes[0])]:
        runs.append({"source": source or "", "target": target or "",
                     "rows": ids_of(tokenizer, (tokenizer_json, config), source, target)})
    return {"tokenizer_json": tokenizer_json, "tokenizer_config": config, "runs": runs}


def main():
    cases = [
        case(unigram(transformers.MBartTokenizer, CODES), CODES),
        case(unigram(transformers.MBart50Tokenizer, CODES), CODES),
        case(bpe(NLLB_CODES), NLLB_CODES),
        case(bpe(NLLB_CODES, legacy_behaviour=True), NLLB_CODES),
    ]
    head = json.dumps({"texts": TEXTS}, ensure_ascii=False)
    lines = ",\n".join(json.dumps(c, ensure_ascii=False, separators=(",", ":")) for c in cases)
    TARGET.write_text(head[:-1] + ',"cases":[\n' + lines + "\n]}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
