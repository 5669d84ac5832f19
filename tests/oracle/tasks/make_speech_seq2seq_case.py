#!/usr/bin/env python3
"""Makes tests/data/speech_seq2seq: a tiny Whisper of several languages with its processor, two recordings, and what
run_speech_recognition_seq2seq.py makes of them in transformers: labels, loss, and generated texts; also texts with
times, in a detected language, and of longer recordings, which generate() hears window by window.

Needs torch and transformers 5.23.0; the tests only read what it wrote.
"""

import json
import pathlib
import shutil
import sys
import wave

import numpy
import torch
from tokenizers import AddedToken, pre_tokenizers
from transformers import WhisperConfig, WhisperFeatureExtractor, WhisperForConditionalGeneration, WhisperProcessor
from transformers import WhisperTokenizer

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
FOLDER = ROOT / "tests" / "data" / "speech_seq2seq"
sys.path.insert(0, str(ROOT / "tools"))

from make_reference import randomise  # noqa: E402

ROWS = {"short.wav": "Four, five!", "long.wav": "九、七。"}
SAMPLES = {"short.wav": 4000, "long.wav": 14000}
# The ids of languages follow the first token, in the order of all languages.
SPECIAL = ["<|startoftranscript|>", "<|en|>", "<|zh|>", "<|translate|>", "<|transcribe|>", "<|startoflm|>",
           "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]
TIMES = [f"<|{i * 0.02:.2f}|>" for i in range(51)]
CASES = {
    "chinese": {"language": "Chinese", "task": "transcribe"},
    "translation": {"language": "en", "task": "translate"},
    "beams": {"language": "zh", "task": "transcribe", "num_beams": 3},
}
MAX_LENGTH = 12
# Longer recordings, made of the two, and how generate() hears them.
TALKS = {
    "talk": (["long.wav", "short.wav", "long.wav", "short.wav"], CASES["chinese"]),
    "detected_talk": (["short.wav", "long.wav", "long.wav"], {"task": "transcribe"}),
    "translated_talk": (["long.wav", "long.wav", "short.wav"], CASES["translation"]),
    "talk_of_beams": (["long.wav", "short.wav"], CASES["beams"]),
}


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    tokenizer = make_tokenizer()
    extractor = WhisperFeatureExtractor(feature_size=10, chunk_length=1)
    model = make_model(tokenizer)
    WhisperProcessor(feature_extractor=extractor, tokenizer=tokenizer).save_pretrained(FOLDER)
    (FOLDER / "processor_config.json").unlink()
    extractor.save_pretrained(FOLDER)  # the name that published folders have
    model.save_pretrained(FOLDER)
    samples = [write_wav(name) for name in ROWS]
    features = extractor(samples, sampling_rate=16000, return_tensors="pt").input_features
    golden = {"rows": ROWS, "cases": {name: run(model, tokenizer, features, case) for name, case in CASES.items()},
              "detected": texts_of(model, tokenizer, features, {"task": "transcribe"}),
              "timed": timed(model, tokenizer, features, CASES["chinese"])}
    recordings = dict(zip(ROWS, samples))
    golden["talks"] = {name: talk(model, tokenizer, extractor, [recordings[part] for part in parts], case)
                       | {"parts": parts, "options": case} for name, (parts, case) in TALKS.items()}
    (FOLDER / "golden.json").write_text(json.dumps(golden, indent=1) + "\n")


def make_tokenizer():
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = WhisperTokenizer(vocab={letter: i for i, letter in enumerate(letters)}, merges=[])
    tokenizer.add_special_tokens({"additional_special_tokens": SPECIAL})
    tokenizer.add_tokens([AddedToken(time, normalized=False, special=False) for time in TIMES])
    tokenizer.pad_token = tokenizer.eos_token  # as in published files
    return tokenizer


def make_model(tokenizer):
    end, start = tokenizer.convert_tokens_to_ids(["<|endoftext|>", SPECIAL[0]])
    config = WhisperConfig(
        vocab_size=len(tokenizer), num_mel_bins=10, d_model=16, encoder_layers=1, decoder_layers=1,
        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=24, decoder_ffn_dim=24,
        max_source_positions=50, max_target_positions=24, pad_token_id=end, bos_token_id=end, eos_token_id=end,
        decoder_start_token_id=start, begin_suppress_tokens=None,
    )
    model = WhisperForConditionalGeneration(config).eval()
    positions = model.model.encoder.embed_positions.weight.clone()
    randomise(model, 3)
    model.model.encoder.embed_positions.weight.data = positions
    ids = tokenizer.convert_tokens_to_ids
    settings = model.generation_config
    settings._from_model_config = False  # otherwise transformers ignores the file
    settings.is_multilingual = True
    settings.lang_to_id = {token: ids(token) for token in SPECIAL[1:3]}
    settings.task_to_id = {"translate": ids("<|translate|>"), "transcribe": ids("<|transcribe|>")}
    settings.no_timestamps_token_id = ids("<|notimestamps|>")
    settings.suppress_tokens = [i for i in range(257, len(tokenizer))] + list(range(93, 256))  # texts of ASCII letters
    settings.begin_suppress_tokens = [end]
    return model


def write_wav(name):
    """A tone that rises, with noise."""
    count = SAMPLES[name]
    random = numpy.random.default_rng(count)
    time = numpy.arange(count) / 16000
    values = numpy.round(8000 * numpy.sin(2 * numpy.pi * (300 + 2000 * time) * time) + random.normal(0, 500, count))
    values = values.astype("<i2")
    with wave.open(str(FOLDER / name), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(values.tobytes())
    return values.astype(numpy.float32) / 32768


def run(model, tokenizer, features, case):
    """As main() and DataCollatorSpeechSeq2SeqWithPadding of the script."""
    tokenizer.set_prefix_tokens(language=case["language"], task=case["task"])
    padded = tokenizer.pad([{"input_ids": tokenizer(text).input_ids} for text in ROWS.values()], return_tensors="pt")
    labels = padded["input_ids"].masked_fill(padded.attention_mask.ne(1), -100)
    assert (labels[:, 0] == model.config.decoder_start_token_id).all()
    labels = labels[:, 1:]
    with torch.no_grad():
        loss = model(input_features=features, labels=labels).loss.item()
    texts = texts_of(model, tokenizer, features, case)
    return {"options": case, "labels": labels.tolist(), "loss": loss, "texts": texts}


def texts_of(model, tokenizer, features, case):
    tokens = generate(model, features, case)
    return [text.strip() for text in tokenizer.batch_decode(tokens, skip_special_tokens=True)]


def generate(model, features, case):
    mask = torch.ones(len(features), features.shape[2], dtype=torch.long)
    with torch.no_grad():
        return model.generate(features, attention_mask=mask, max_length=MAX_LENGTH, **case)


def timed(model, tokenizer, features, case):
    """The texts of recordings with their parts, if times are not suppressed."""
    settings = model.generation_config
    settings.suppress_tokens = [i for i in settings.suppress_tokens if i <= settings.no_timestamps_token_id]
    outputs = generate(model, features, case | {
        "return_timestamps": True, "return_segments": True, "force_unique_generate_call": True})

    rows = [line_of(tokenizer, parts) for parts in outputs["segments"]]
    return {"suppress_tokens": settings.suppress_tokens, "rows": rows}


def line_of(tokenizer, parts):
    def text_of(tokens):
        return tokenizer.decode(tokens, skip_special_tokens=True).strip()

    segments = [{"start": round(float(part["start"]), 6), "end": round(float(part["end"]), 6),
                 "text": text_of(part["tokens"])} for part in parts]
    return {"text": text_of(torch.cat([part["tokens"] for part in parts])), "segments": segments}


def talk(model, tokenizer, extractor, parts, case):
    """A recording of several windows, after timed() has allowed times."""
    features = extractor(numpy.concatenate(parts), sampling_rate=16000, return_tensors="pt", truncation=False,
                         padding="longest", return_attention_mask=True)
    with torch.no_grad():
        outputs = model.generate(**features, max_new_tokens=MAX_LENGTH, return_timestamps=True, return_segments=True,
                                 **case)
    return line_of(tokenizer, outputs["segments"][0])


if __name__ == "__main__":
    main()
