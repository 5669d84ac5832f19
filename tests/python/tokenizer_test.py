"""The tokenizer against `tokenizers`, by its golden file and, where it is installed, itself."""

import json
import pathlib
import tempfile
import unittest

import portatune
import toy

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
MODEL = DATA / "tiny_bert"

TEXTS = ["the film was good", "Ein schöner Film!", "", "a" * 300, "naïve 🎬 film"]


def merged(value, patch):
    """Returns the JSON value with a merge patch (RFC 7386)."""
    if not isinstance(patch, dict):
        return patch
    return {**value, **{key: merged(value.get(key, {}), one) for key, one in patch.items()}}


def or_minus_one(ids):
    return [-1 if index is None else index for index in ids]


class Golden(unittest.TestCase):
    """The encodings that tests/oracle has recorded with `tokenizers`."""

    def test_encodings(self):
        golden = json.loads((DATA / "tokenizer" / "encodings.json").read_text())
        with tempfile.TemporaryDirectory() as folder:
            tokenizers = {}
            for name, patch in golden["patches"].items():
                (pathlib.Path(folder) / "tokenizer.json").write_text(json.dumps(merged(golden["base"], patch)))
                tokenizers[name] = portatune.Tokenizer(folder)
        for name, texts, max_length, truncation, special, expected in golden["cases"]:
            if truncation in (None, "longest_first"):
                encoding = tokenizers[name].encode(*texts, max_length=max_length or 0, add_special_tokens=special)
                offsets = [place for offset in encoding.offsets for place in offset]
                self.assertEqual([encoding.ids, encoding.type_ids, encoding.special_tokens_mask,
                                  or_minus_one(encoding.sequence_ids), or_minus_one(encoding.word_ids), offsets],
                                 expected, f"{name}: {texts}")


class Tokenizer(unittest.TestCase):
    def setUp(self):
        self.tokenizer = portatune.Tokenizer(MODEL)

    def test_it_equals_tokenizers(self):
        try:
            import tokenizers
        except ImportError:
            self.skipTest("tokenizers is not installed")
        theirs = tokenizers.Tokenizer.from_file(str(MODEL / "tokenizer.json"))
        theirs.no_truncation()
        theirs.no_padding()
        for inputs in (TEXTS, [(text, "a pair") for text in TEXTS]):
            for ours, other in zip(self.tokenizer.encode_batch(inputs), theirs.encode_batch(inputs)):
                for name in ("ids", "type_ids", "offsets", "word_ids", "sequence_ids", "special_tokens_mask",
                             "attention_mask"):
                    self.assertEqual(getattr(ours, name), getattr(other, name), name)
                self.assertEqual(self.tokenizer.decode(ours.ids), theirs.decode(other.ids))
        self.assertEqual(self.tokenizer.get_vocab_size(), theirs.get_vocab_size())

    def test_one_text_equals_a_batch(self):
        for text, encoding in zip(TEXTS, self.tokenizer.encode_batch(TEXTS)):
            self.assertEqual(self.tokenizer.encode(text).ids, encoding.ids)

    def test_max_length_truncates(self):
        self.assertEqual(len(self.tokenizer.encode("the film was good", "and bad", max_length=5)), 5)

    def test_tokens_have_ids(self):
        self.assertEqual(self.tokenizer.id_to_token(self.tokenizer.token_to_id("[CLS]")), "[CLS]")
        self.assertIsNone(self.tokenizer.id_to_token(10**6))

    def test_a_folder_without_a_tokenizer_is_an_error(self):
        with self.assertRaises(portatune.NotFoundError):
            portatune.Tokenizer("/nowhere")


if __name__ == "__main__":
    toy.main()
