"""Makes tests/data/tokenizer/components.json: small tokenizers, one or more for each component, and digests of
their encodings of texts by tokenizers 0.23.3.

Run by hand from the root of the repository, with tokenizers 0.23.3:
    python tests/oracle/text/make_component_goldens.py
A digest is the lower half of a 64-bit FNV-1a of the encoding as JSON (ids, type ids, special tokens mask, sequence ids,
word ids, offsets) and of the texts decoded with and without special tokens. compare_tokenizer.py shows the differences.
"""

import json
import pathlib

import tokenizers

from tokenizer_cases import PAIRS, PLAIN, TEXTS, small_tokenizers

TARGET = pathlib.Path("tests/data/tokenizer/components.json")
assert tokenizers.__version__ == "0.23.3"


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value & 0xFFFFFFFF:08x}"


def digest(tokenizer, texts):
    try:
        e = tokenizer.encode(*texts)
        decoded = [tokenizer.decode(e.ids, skip_special_tokens=skip) for skip in (False, True)]
    except BaseException:  # panics are not even an Exception
        return "error"
    none = lambda values: [-1 if v is None else v for v in values]
    encoding = [e.ids, e.type_ids, e.special_tokens_mask, none(e.sequence_ids), none(e.word_ids),
                [x for pair in e.offsets for x in pair]]
    return fnv1a("\n".join([json.dumps(encoding, separators=(",", ":")), *decoded]).encode())


def without_shared(made):
    """The tokenizers with their models in a separate table, as many have the same, and only the fields that differ from
    PLAIN.
    """
    model_list, cut = [], {}
    for name, spec in made.items():
        if spec["model"] not in model_list:
            model_list.append(spec["model"])
        cut[name] = {key: value for key, value in spec.items() if value != PLAIN[key] and key != "model"}
        cut[name]["model"] = model_list.index(spec["model"])
    return model_list, cut


if __name__ == "__main__":
    made = small_tokenizers()
    cases = [[text] for text in TEXTS] + [list(pair) for pair in PAIRS]
    digests = {name: [digest(tokenizers.Tokenizer.from_str(json.dumps(spec)), case) for case in cases]
               for name, spec in made.items()}
    model_list, cut = without_shared(made)
    lines = [f"{json.dumps(name)}:{json.dumps(values, separators=(',', ':'))}" for name, values in digests.items()]
    dumped = json.dumps({"cases": cases, "plain": PLAIN | {"model": None}, "models": model_list, "tokenizers": cut}, separators=(",", ":"), ensure_ascii=False)
    TARGET.write_text(dumped[:-1] + ',"digests":{\n' + ",\n".join(lines) + "\n}}\n", encoding="utf-8")
