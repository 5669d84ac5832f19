"""Makes tests/data/tasks/ctc_tokenizer.json: vocabularies of characters with the labels and texts of transformers'
Wav2Vec2CTCTokenizer.

Run by hand from the root of the repository, with transformers 5.23:
    python tests/oracle/tasks/make_ctc_tokenizer_cases.py
"""

import json
import pathlib
import random
import tempfile

from transformers import Wav2Vec2CTCTokenizer

random.seed(7)

UPPER = ["<pad>", "<s>", "</s>", "<unk>", "|", *"ETAONIHSRDLUMWCFGYPBVK'XJQZ"]  # of wav2vec2-base-960h


def made_from(texts):
    """The vocabulary of run_speech_recognition_ctc.py."""
    ids = {token: i for i, token in enumerate(sorted(set(" ".join(text.lower() + " " for text in texts))))}
    ids["|"] = ids.pop(" ")
    ids["[UNK]"] = len(ids)
    ids["[PAD]"] = len(ids)
    return ids


TRAINED = ["One two, three", "Ça été là", "ΟΔΟΣ ΣΑΣ", "it's 5 o'clock"]
CASES = {
    "upper": ({t: i for i, t in enumerate(UPPER)}, {}),
    "lower_case": ({t: i for i, t in enumerate(UPPER)}, {"do_lower_case": True}),
    "made": (made_from(TRAINED), {"unk_token": "[UNK]", "pad_token": "[PAD]"}),
    "digraphs": (
        {"ch": 0, "c": 1, "h": 2, "cha": 3, "a": 4, "|": 5, "<unk>": 6, "_": 7},
        {"pad_token": "_", "replace_word_delimiter_char": "-"},
    ),
}
TEXTS = [
    *TRAINED,
    *(text.upper() for text in TRAINED),
    "",
    " ",
    " two  spaces ",
    "HELLO WORLD",
    "hello world ",
    "a [UNK] b",
    "A <unk> B<s> C",
    " <pad> ",
    "cha ch ac hcha cchh",
    "a|b",
    "naïve ß",
]


def golden(vocabulary, options):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
        tokenizer = Wav2Vec2CTCTokenizer.from_pretrained(folder, **options)
        tokenizer.save_pretrained(folder)
        files = {path.name: path.read_text(encoding="utf-8") for path in sorted(pathlib.Path(folder).iterdir())}
    frames = [[random.randrange(len(tokenizer)) for _ in range(20)] for _ in range(8)]
    frames += [[id_ for id_ in row[:6] for _ in range(random.randint(1, 3))] for row in frames]
    frames += [[], [tokenizer.pad_token_id] * 4, [len(tokenizer) + 5, 1, 1]]
    return {
        "vocabulary": vocabulary,
        "options": options,
        "files": files,
        "size": len(tokenizer),
        "blank": tokenizer.pad_token_id,
        "labels": [tokenizer(text).input_ids for text in TEXTS],
        "frames": frames,
        "texts": [tokenizer.decode(row) for row in frames],
        "spelled": [tokenizer.decode(row, group_tokens=False) for row in frames],
    }


path = pathlib.Path("tests/data/tasks/ctc_tokenizer.json")
result = {
    "texts": TEXTS,
    "trained": TRAINED,
    "lower": [text.lower() for text in TEXTS],
    "upper": [text.upper() for text in TEXTS],
    "cases": {name: golden(*case) for name, case in CASES.items()},
}
path.write_text(json.dumps(result, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
