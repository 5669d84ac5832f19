"""Other packages with large libraries in the same process: any order of imports works, with the same weights."""

import hashlib
import importlib.util
import json
import subprocess
import sys
import unittest

import toy
from cells import page_data
from portatune import _words

# Packages of which some have copies of libraries that the module has, too: OpenMP, zstd, JPEG, PNG, WebP, libsndfile.
PACKAGES = [name for name in ("torch", "numpy", "pandas", "pyarrow", "sklearn", "PIL.Image", "soundfile")
            if importlib.util.find_spec(name.partition(".")[0])]
# Uses each package before and after the runs of the module.
SCRIPT = """
import hashlib, importlib, io, json, sys
for name in sys.argv[2:]:
    importlib.import_module(name)
import portatune

def use_packages():
    if "torch" in sys.modules:
        import torch
        torch.nn.Linear(4, 4)(torch.ones(2, 4) @ torch.ones(4, 4)).sum().backward()
        threads.add(torch.get_num_threads())
    if "pyarrow" in sys.modules:
        import pyarrow, pyarrow.parquet
        file = io.BytesIO()
        pyarrow.parquet.write_table(pyarrow.table({"a": [1, 2]}), file, compression="zstd")
        assert pyarrow.parquet.read_table(pyarrow.BufferReader(file.getvalue())).column("a").to_pylist() == [1, 2]
    if "PIL.Image" in sys.modules:
        from PIL import Image
        for kind in ("JPEG", "PNG", "WEBP"):
            file = io.BytesIO()
            Image.new("RGB", (8, 8), (255, 0, 0)).save(file, kind)
            assert Image.open(file).convert("RGB").getpixel((4, 4))[0] > 200
    if "soundfile" in sys.modules:
        import numpy, soundfile
        for kind in ("FLAC", "OGG", "MP3"):
            file = io.BytesIO()
            soundfile.write(file, numpy.zeros(1600), 16000, format=kind)
            file.seek(0)
            assert len(soundfile.read(file)[0]) >= 1600

threads = set()
use_packages()
for options in json.loads(sys.argv[1]):
    run = portatune.fit(**options, quiet=True)
    print(hashlib.sha256((run.model / "model.safetensors").read_bytes()).hexdigest())
use_packages()
assert len(threads) < 2, "torch has another number of threads"
"""


@unittest.skipUnless(PACKAGES, "no other package is installed")
class Coexistence(toy.InFolder):
    def runs(self):
        """The options of runs that read texts, images and recordings."""
        few = {"batch_size": 4, "max_steps": 4}
        page_data.image_model(self.folder / "vit")
        images = [toy.DATA / "image" / "decode" / name for name in ("444.jpg", "palette.png", "lossy.webp", "gray.jpg")]
        page_data.file_model(self.folder / "ast", "ast_softmax", {"num_mel_bins": 12, "max_length": 24})
        recordings = [toy.DATA / "audio" / "decode" / name for name in ("22k.flac", "16k.mp3", "48k.opus", "16k.wav")]
        return [{"model": str(toy.MODEL), "train": str(toy.TRAIN), "max_length": 16, **few},
                {"model": str(self.folder / "vit"), "train": str(self.table("image", images)),
                 "task": "image-classification", **few},
                {"model": str(self.folder / "ast"), "train": str(self.table("audio", recordings)),
                 "task": "audio-classification", **few}]

    def table(self, column, files):
        path = self.folder / f"{column}.csv"
        lines = [f"{file},{'ab'[number % 2]}" for number, file in enumerate(files * 4)]
        path.write_text("\n".join([f"{column},label", *lines]) + "\n", encoding="utf-8")
        return path

    def test_any_order_of_imports(self):
        runs, expected = self.runs(), []
        for number, options in enumerate(runs):
            toy.command(*_words.words("fit", {**options, "output": self.folder / str(number)}))
            expected.append(hashlib.sha256(toy.weights(self.folder / str(number))).hexdigest())
        for order in (["portatune", "portatune._native", *PACKAGES], [*PACKAGES, "portatune"]):
            with self.subTest(order=order):
                done = subprocess.run([sys.executable, "-c", SCRIPT, json.dumps(runs), *order], check=False,
                                      capture_output=True, text=True)
                self.assertEqual(done.stdout.split(), expected, done.stderr)


if __name__ == "__main__":
    toy.main()
