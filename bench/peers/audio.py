"""The peer of bench/audio_input.py: soundfile, soxr and a feature extractor of transformers, on one thread.

    python audio.py FOLDER PASSES
FOLDER: preprocessor_config.json and files.txt, the names of audio files. Prints for each file the CPU milliseconds of
its fastest pass, and writes the features of the last file to FOLDER/peer.features.
"""

import pathlib
import sys
import time

import numpy
import torch
from transformers import AutoFeatureExtractor
from transformers.audio_utils import _load_audio_soundfile

folder, passes = pathlib.Path(sys.argv[1]), int(sys.argv[2])
torch.set_num_threads(1)
extractor = AutoFeatureExtractor.from_pretrained(folder)
for name in (folder / "files.txt").read_text().split():
    file, best = (folder / name).read_bytes(), float("inf")
    for _ in range(passes):
        start = time.process_time()
        samples = _load_audio_soundfile(file, extractor.sampling_rate)
        features = extractor(samples, sampling_rate=extractor.sampling_rate)
        best = min(best, time.process_time() - start)
    print(f"{1e3 * best:.4f}")
numpy.asarray(features[extractor.model_input_names[0]][0], numpy.float32).tofile(folder / "peer.features")
