"""peft loads the adapters that portatune fit saves, and computes the logits of portatune predict.

    python3 tests/hub/peft_test.py build/portatune

Needs the packages torch, transformers, peft and Pillow. Without them the tests are skipped.
"""

import importlib.util
import json
import math
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import wave

HAS_PACKAGES = all(importlib.util.find_spec(name) for name in ("torch", "transformers", "peft", "PIL"))
if HAS_PACKAGES:
    import peft
    import torch
    import transformers
    from PIL import Image

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()

COMMAND = sys.argv.pop(1)
HAS_AUDIO = (pathlib.Path(COMMAND).parent / "libportatune_audio.so").exists()
DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
TEXTS = ["the film was wonderful", "a dull and boring story, too long", "great"]
# A rate at which six steps move the logits by far more than the tolerance.
STEPS = ["--max-steps", "6", "--learning-rate", "1e-2", "--per-device-train-batch-size", "4", "--quiet"]
LORA = ["--adapter", "lora", "--lora-rank", "3"]
TOLERANCE = 2e-5


def portatune(*words):
    """Runs the command and returns its stdout."""
    return subprocess.run([COMMAND, *map(str, words)], check=True, stdout=subprocess.PIPE, text=True).stdout


def predicted_logits(*words):
    lines = portatune("predict", *words, "--quiet").splitlines()
    return torch.tensor([json.loads(line)["logits"] for line in lines])


def load(model_class, base, adapter):
    """The adapter on its model. Loads it a second time, because from_pretrained() only warns of missing weights, and
    does not mention those that are left over.
    """
    model = model_class.from_pretrained(base)
    loaded = peft.PeftModel.from_pretrained(model, adapter)
    result = loaded.load_adapter(adapter, "default")
    assert not result.missing_keys and not result.unexpected_keys, result
    return loaded.eval()


def logits(model, inputs):
    with torch.no_grad():
        return model(**inputs).logits


class OfEachKind:
    """Compares the logits of peft and Portatune for adapters with several options."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def check(self, *options):
        adapter = self.folder / "adapter"
        shutil.rmtree(adapter, ignore_errors=True)
        portatune(*self.fit(adapter), *STEPS, *LORA, *options)
        expected = predicted_logits("--model", adapter, *self.rows())
        model = load(self.model_class(), self.base, adapter)
        found = logits(model, self.inputs())
        torch.testing.assert_close(found, expected, rtol=0, atol=TOLERANCE)
        with model.disable_adapter():  # which also restores the modules that the adapter has saved
            self.assertGreater((logits(model, self.inputs()) - expected).abs().max().item(), 100 * TOLERANCE)


@unittest.skipUnless(HAS_PACKAGES, "no torch, transformers, peft and Pillow")
class TextClassification(OfEachKind, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.base = DATA / "tiny_bert"

    def fit(self, adapter):
        train = DATA / "toy" / "train.csv"
        return ["fit", "--model", self.base, "--train", train, "--max-length", "16", "--output", adapter]

    def rows(self):
        return [word for text in TEXTS for word in ("--text", text)]

    def model_class(self):
        return transformers.AutoModelForSequenceClassification

    def inputs(self):
        tokenizer = transformers.AutoTokenizer.from_pretrained(self.base)
        return tokenizer(TEXTS, padding=True, truncation=True, max_length=16, return_tensors="pt")

    def test_query_and_value(self):
        self.check()

    def test_all_linear_layers_with_rslora(self):
        self.check("--lora-target-modules", "all-linear", "--use-rslora")

    def test_dora(self):
        self.check("--lora-target-modules", "query,output.dense", "--use-dora")

    def test_biases(self):
        for bias in ["all", "lora_only"]:
            with self.subTest(bias):
                self.check("--lora-bias", bias)

    def test_rank_and_alpha_patterns(self):
        self.check("--lora-target-modules", "all-linear", "--lora-rank-pattern", "query=2,output.dense=5",
                   "--lora-alpha-pattern", "attention.self.key=7")  # fmt: skip

    def test_saved_modules(self):
        self.check("--modules-to-save", "pooler")

    def test_everything_at_once(self):
        self.check("--lora-target-modules", "all-linear", "--use-dora", "--lora-bias", "all", "--modules-to-save",
                   "pooler", "--lora-rank-pattern", "query=2", "--lora-alpha-pattern", "key=7")  # fmt: skip


@unittest.skipUnless(HAS_PACKAGES, "no torch, transformers, peft and Pillow")
class ImageClassification(OfEachKind, unittest.TestCase):
    """The modules of ViT have other names in the memory of transformers than in files."""

    def setUp(self):
        super().setUp()
        self.base = self.folder / "model"
        self.base.mkdir()
        for file in ["config.json", "model.safetensors"]:
            shutil.copy(DATA / "models" / "vit_softmax" / file, self.base)
        processor = json.loads((DATA / "image" / "processors" / "vit.json").read_text())
        processor |= {"size": {"height": 12, "width": 12}, "do_center_crop": False}
        (self.base / "preprocessor_config.json").write_text(json.dumps(processor))
        self.images = []
        for label, colour in {"blue": (20, 20, 200), "green": (20, 200, 20), "red": (200, 20, 20)}.items():
            (self.folder / "pictures" / label).mkdir(parents=True)
            for i in range(4):
                self.images.append(self.folder / "pictures" / label / f"{i}.png")
                Image.new("RGB", (12, 12), tuple(value + 5 * i for value in colour)).save(self.images[-1])

    def fit(self, adapter):
        return ["fit", "--task", "image-classification", "--model", self.base, "--train", self.folder / "pictures",
                "--output", adapter]  # fmt: skip

    def rows(self):
        return ["--data", self.folder / "pictures"]

    def model_class(self):
        return transformers.AutoModelForImageClassification

    def inputs(self):
        processor = transformers.AutoImageProcessor.from_pretrained(self.base)
        return processor([Image.open(image) for image in sorted(self.images)], return_tensors="pt")

    def test_query_and_value(self):
        self.check()

    def test_everything_at_once(self):
        self.check("--lora-target-modules", "all-linear", "--use-dora", "--lora-bias", "all",
                   "--lora-rank-pattern", "query=2", "--lora-alpha-pattern", "key=7")  # fmt: skip


@unittest.skipUnless(HAS_PACKAGES, "no torch, transformers, peft and Pillow")
@unittest.skipUnless(HAS_AUDIO, "built without libsndfile and libsoxr")
class AudioClassification(OfEachKind, unittest.TestCase):
    """The modules of AST have other names in the memory of transformers than in files, too."""

    def setUp(self):
        super().setUp()
        self.base = self.folder / "model"
        self.base.mkdir()
        for file in ["config.json", "model.safetensors"]:
            shutil.copy(DATA / "models" / "ast_softmax" / file, self.base)
        extractor = {"feature_extractor_type": "ASTFeatureExtractor", "num_mel_bins": 12, "max_length": 24}
        (self.base / "preprocessor_config.json").write_text(json.dumps(extractor))
        self.sounds = []
        for label, period in {"high": 5, "low": 50, "middle": 16}.items():
            (self.folder / "tones" / label).mkdir(parents=True)
            for i in range(4):
                samples = [round(9000 * math.sin(2 * math.pi * j / (period + 0.1 * i))) for j in range(2000)]
                self.sounds.append(samples)
                write_wav(self.folder / "tones" / label / f"{i}.wav", samples)

    def fit(self, adapter):
        return ["fit", "--task", "audio-classification", "--model", self.base, "--train", self.folder / "tones",
                "--output", adapter]  # fmt: skip

    def rows(self):
        return ["--data", self.folder / "tones"]

    def model_class(self):
        return transformers.AutoModelForAudioClassification

    def inputs(self):
        extractor = transformers.AutoFeatureExtractor.from_pretrained(self.base)
        sounds = [[sample / 32768 for sample in samples] for samples in self.sounds]
        return extractor(sounds, sampling_rate=16000, return_tensors="pt")

    def test_query_and_value(self):
        self.check()


def write_wav(path, samples):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1), file.setsampwidth(2), file.setframerate(16000)
        file.writeframes(struct.pack(f"<{len(samples)}h", *samples))


if __name__ == "__main__":
    unittest.main()
