#!/usr/bin/env python3
"""CPU time from an audio file in memory to the input of a model on one thread: Portatune, and soundfile, soxr and the
feature extractors of transformers.

    python3 bench/audio_input.py [--seconds 10] [--rounds 5] [--passes 10]
Makes a recording of tones and noise in several formats. Build with: ninja portatune_audio_bench. Each round starts the
programs one after the other; times are CPU times of the fastest pass. The features of both must agree.

The last lines are `RATIO <extractor> <file> <value>`: how many times faster Portatune is, by the best round of each.
"""

import argparse
import array
import json
import pathlib
import sys
import tempfile

from harness import PEERS, ROOT, peer_python, report_load, run

BENCH = ROOT / "build" / "bench" / "portatune_audio_bench"
PLUGIN = ROOT / "build" / "libportatune_audio.so"
# Name -> rate, channels, format and subtype of soundfile.
FILES = {
    "16k.wav": (16000, 1, "WAV", "PCM_16"),
    "44k-stereo.wav": (44100, 2, "WAV", "PCM_16"),
    "16k.flac": (16000, 1, "FLAC", "PCM_16"),
    "44k-stereo.flac": (44100, 2, "FLAC", "PCM_16"),
    "44k-stereo.ogg": (44100, 2, "OGG", "VORBIS"),
    "48k.opus": (48000, 1, "OGG", "OPUS"),
    "44k-stereo.mp3": (44100, 2, "MP3", "MPEG_LAYER_III"),
}
EXTRACTORS = {"wav2vec2": "Wav2Vec2FeatureExtractor", "ast": "ASTFeatureExtractor", "whisper": "WhisperFeatureExtractor"}
# Whisper's spectrogram of transformers with torch is in float32.
TOLERANCE = 1e-3
WRITE = """
import sys, numpy, soundfile
path, seconds, rate, channels, kind, subtype = sys.argv[1], float(sys.argv[2]), *map(int, sys.argv[3:5]), *sys.argv[5:]
t = numpy.arange(int(seconds * rate)) / rate
tones = sum(numpy.sin(2 * numpy.pi * f * t * (1 + 0.1 * numpy.sin(3 * t))) / f**0.5 for f in (120, 310, 870, 2500))
noise = numpy.random.default_rng(1).normal(0, 0.3, (channels, t.size)) * (1 + numpy.sin(8 * t))
samples = numpy.float32((tones + noise).T)
# The encoder of libsndfile 1.2 needs small blocks.
with soundfile.SoundFile(path, "w", rate, channels, subtype, format=kind) as file:
    for at in range(0, t.size, 4096):
        file.write(samples[at : at + 4096] / 8)
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--passes", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch, python = pathlib.Path(folder), peer_python()
        (scratch / "files.txt").write_text("\n".join(FILES) + "\n")
        for name, settings in FILES.items():
            run(python, "-c", WRITE, scratch / name, options.seconds, *settings)
        report_load(f"{options.seconds:g} seconds of audio, ms of one thread; ")
        ratios = [line for extractor in EXTRACTORS for line in measure(options, scratch, python, extractor)]
    print("\n".join(ratios))


def measure(options, folder, python, extractor):
    """Prints the times of an extractor; returns the lines of ratios."""
    (folder / "preprocessor_config.json").write_text(json.dumps({"feature_extractor_type": EXTRACTORS[extractor]}))
    sides = {"portatune": [BENCH], "peer": [python, PEERS / "audio.py"]}
    best = {side: [float("inf")] * len(FILES) for side in sides}
    for _ in range(options.rounds):
        for side, command in sides.items():
            printed = run(*command, folder, options.passes, environment={"PORTATUNE_AUDIO_PLUGIN": str(PLUGIN)})[0]
            best[side] = list(map(min, best[side], map(float, printed.split())))
    check_features(folder, extractor)
    print(f"{extractor:18}{'portatune':>12}{'peer':>10}")
    for name, own, peer in zip(FILES, best["portatune"], best["peer"]):
        print(f"  {name:16}{own:12.2f}{peer:10.2f}", flush=True)
    return [f"RATIO {extractor} {name} {peer / own:.2f}" for name, own, peer in zip(FILES, *best.values())]


def check_features(folder, extractor):
    own, peer = (array.array("f", (folder / f"{side}.features").read_bytes()) for side in ("portatune", "peer"))
    if len(own) != len(peer) or max(abs(a - b) for a, b in zip(own, peer)) > TOLERANCE:
        sys.exit(f"{extractor}: the features of both sides differ")


if __name__ == "__main__":
    main()
