"""transformers loads what portatune grow writes, and NumPy copies layers and features to the same places.

    python3 tests/models/grow/transformers_test.py build/portatune

Needs the packages torch and transformers. Without them the tests are skipped.
"""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

HAS_PACKAGES = all(importlib.util.find_spec(name) for name in ("numpy", "safetensors", "torch", "transformers"))
if HAS_PACKAGES:
    import numpy
    import torch
    import transformers
    from safetensors.numpy import load_file

COMMAND = sys.argv.pop(1)
CASES = pathlib.Path(__file__).resolve().parents[2] / "data" / "models"


def grow(case, output, *words):
    subprocess.run([COMMAND, "grow", "--model", CASES / case, "--output", output, "-q", *words], check=True)


def load(folder):
    """The model of the class in config.json; fails for weights that are missing or left over."""
    config = transformers.AutoConfig.from_pretrained(folder)
    model_class = getattr(transformers, config.architectures[0])
    model, report = model_class.from_pretrained(folder, output_loading_info=True)
    assert not report["missing_keys"] and not report["unexpected_keys"], report
    return model.eval()


def logits(model):
    torch.manual_seed(0)
    ids = torch.randint(5, 20, (2, 7))
    with torch.no_grad():
        return model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits.numpy()


@unittest.skipUnless(HAS_PACKAGES, "no torch and transformers")
class Grow(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.output = pathlib.Path(temporary.name) / "big"

    def test_all_weights_have_a_place(self):
        for case in ["bert_softmax", "distilbert_softmax", "debertav3_softmax", "modernbert_softmax", "gpt2_lm",
                     "opt_lm", "llama_lm", "gemma3_lm", "gptneox_lm", "smollm3_lm", "t5_lm", "umt5_lm", "bart_lm",
                     "vit_softmax", "ast_softmax", "wav2vec2_ctc"]:  # fmt: skip
            with self.subTest(case):
                output = self.output / case
                grow(case, output, "--layers", "5")
                load(output)

    def test_wider_layers_keep_the_logits(self):
        for case in ["bert_softmax", "gpt2_lm", "llama_lm"]:
            with self.subTest(case):
                output = self.output / case
                before = load(CASES / case)
                key = next(k for k in ("n_inner", "intermediate_size") if hasattr(before.config, k))
                width = 2 * (getattr(before.config, key) or 4 * before.config.hidden_size)
                grow(case, output, "--intermediate-size", str(width), "--noise", "0")
                after = load(output)
                self.assertEqual(getattr(after.config, key), width)
                numpy.testing.assert_allclose(logits(after), logits(before), rtol=0, atol=1e-5)

    def test_silent_layers_keep_the_logits(self):
        for case in ["gpt2_lm", "llama_lm", "gemma2_lm", "opt_lm"]:
            with self.subTest(case):
                output = self.output / case
                grow(case, output, "--layers", "4", "--depth", "zero")
                numpy.testing.assert_array_equal(logits(load(output)), logits(load(CASES / case)))

    def test_layers_are_those_of_an_index(self):
        small = load_file(CASES / "bert_softmax" / "model.safetensors")
        old, new = 2, 7
        for depth, index in [("stack", lambda i: i % old), ("interpolate", lambda i: i * old // new)]:
            with self.subTest(depth):
                output = self.output / depth
                grow("bert_softmax", output, "--layers", str(new), "--depth", depth)
                big = load_file(output / "model.safetensors")
                for i in range(new):
                    for name in small:
                        prefix = f"encoder.layer.{index(i)}."
                        if prefix in name:
                            numpy.testing.assert_array_equal(
                                big[name.replace(prefix, f"encoder.layer.{i}.")], small[name]
                            )

    def test_features_are_tiled(self):
        small = load_file(CASES / "gpt2_lm" / "model.safetensors")
        width = small["transformer.h.0.mlp.c_proj.weight"].shape[0]
        grow("gpt2_lm", self.output, "--intermediate-size", str(3 * width), "--noise", "0")
        big = load_file(self.output / "model.safetensors")
        for name, kernel in small.items():
            if name.endswith("mlp.c_fc.weight"):
                kernel = numpy.tile(kernel, (1, 3))
            elif name.endswith("mlp.c_fc.bias"):
                kernel = numpy.tile(kernel, 3)
            elif name.endswith("mlp.c_proj.weight"):
                kernel = numpy.tile(kernel, (3, 1)) / numpy.float32(3)
            numpy.testing.assert_allclose(big[name], kernel, rtol=1e-7, atol=0)


if __name__ == "__main__":
    unittest.main()
