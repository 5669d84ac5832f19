"""Makes tests/data/audio: short recordings in several formats with the samples that transformers reads from them, and
the results of its feature extractors.

Run by hand from the root of the repository, with transformers 5.23.0, soundfile 0.14.0 and soxr 1.1.0:
    python tests/oracle/data/make_audio_goldens.py
"""

import json
import pathlib
import shutil

import numpy
import soundfile
import transformers.models.audio_spectrogram_transformer.feature_extraction_audio_spectrogram_transformer as ast
from safetensors.numpy import save_file
from transformers import ASTFeatureExtractor, Wav2Vec2FeatureExtractor, WhisperFeatureExtractor
from transformers.audio_utils import load_audio

FOLDER = pathlib.Path("tests/data/audio")
random = numpy.random.default_rng(7)


def recording(rate, seconds, channels=1):
    """Gliding tones with some noise, and silence at the beginning."""
    t = numpy.arange(int(rate * seconds)) / rate
    tones = [numpy.sin(2 * numpy.pi * (180 + 90 * c) * t * (1 + 2 * t)) for c in range(channels)]
    samples = 0.4 * numpy.stack(tones, axis=-1) * numpy.exp(-2 * t)[:, None]
    samples += random.normal(0, 0.01, samples.shape)
    samples[: rate // 100] = 0
    return samples.astype(numpy.float32)


# ---- files: name -> rate, channels, format, subtype

FILES = {
    "16k.wav": (16000, 1, "WAV", "PCM_16"),
    "8k_stereo.wav": (8000, 2, "WAV", "PCM_16"),
    "22k_24_bits.wav": (22050, 1, "WAV", "PCM_24"),
    "16k_float.wav": (16000, 1, "WAV", "FLOAT"),
    "8k_ulaw.wav": (8000, 1, "WAV", "ULAW"),
    "44k_stereo.aiff": (44100, 2, "AIFF", "PCM_16"),
    "16k_3_channels.flac": (16000, 3, "FLAC", "PCM_16"),
    "22k.flac": (22050, 1, "FLAC", "PCM_16"),
    "22k_stereo.ogg": (22050, 2, "OGG", "VORBIS"),
    "48k.opus": (48000, 1, "OGG", "OPUS"),
    "44k_stereo.mp3": (44100, 2, "MP3", "MPEG_LAYER_III"),
    "16k.mp3": (16000, 1, "MP3", "MPEG_LAYER_III"),
}


def write_files():
    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "decode").mkdir(parents=True)
    decoded = {}
    for name, (rate, channels, kind, subtype) in FILES.items():
        path = FOLDER / "decode" / name
        soundfile.write(path, recording(rate, 0.12, channels), rate, format=kind, subtype=subtype)
        decoded[name] = load_audio(str(path), backend="soundfile")
    save_file(decoded, FOLDER / "decoded.safetensors")


# ---- features

EXTRACTORS = {
    "wav2vec2": Wav2Vec2FeatureExtractor(),
    "wav2vec2_plain": Wav2Vec2FeatureExtractor(do_normalize=False),
    "whisper": WhisperFeatureExtractor(),
    "whisper_128": WhisperFeatureExtractor(feature_size=128),
    "whisper_8k": WhisperFeatureExtractor(chunk_length=1, sampling_rate=8000, n_fft=240, hop_length=80),
    "ast": ASTFeatureExtractor(max_length=64),
    "ast_small": ASTFeatureExtractor(num_mel_bins=40, max_length=20, do_normalize=False),
}


def features_of(extractor, samples):
    """The NumPy code, which is in double precision; with torch transformers prefers a float32 transform for Whisper."""
    if isinstance(extractor, WhisperFeatureExtractor):
        padded = numpy.zeros(extractor.n_samples, numpy.float32)
        padded[: len(samples)] = samples[: extractor.n_samples]
        return extractor._np_extract_fbank_features([padded], "cpu")[0]
    return extractor(samples, sampling_rate=extractor.sampling_rate)["input_values"][0]


def end_of_long_recording(extractor, samples):
    """The last frames of a recording of 1.3 seconds, of which the model hears one at a time."""
    samples = numpy.tile(samples, 3)[:10400]
    return numpy.ascontiguousarray(extractor._np_extract_fbank_features([samples], "cpu")[0][:, -20:], numpy.float32)


def write_features():
    assert not ast.is_speech_available(), "torchaudio is installed: AST would not use its NumPy code"
    features = {"samples": recording(16000, 0.3)[:, 0]}
    (FOLDER / "extractors").mkdir()
    for name, extractor in EXTRACTORS.items():
        config = {key: value for key, value in extractor.to_dict().items() if not isinstance(value, numpy.ndarray)}
        (FOLDER / "extractors" / f"{name}.json").write_text(json.dumps(config, indent=1) + "\n")
        result = numpy.asarray(features_of(extractor, features["samples"]), numpy.float32)
        if name.startswith("whisper"):  # frames of silence follow
            features[f"{name}.last"] = numpy.ascontiguousarray(result[:, -1])
            result = result[:, :60]
        features[name] = numpy.ascontiguousarray(result)
    features["whisper_8k.long"] = end_of_long_recording(EXTRACTORS["whisper_8k"], features["samples"])
    save_file(features, FOLDER / "features.safetensors")


write_files()
write_features()
