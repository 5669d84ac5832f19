#!/usr/bin/env python3
"""Makes tests/data/speech_generation.json: the tokens that generate() of WhisperForConditionalGeneration makes for the
recordings of tests/data/models/whisper_lm, with the tokens that begin each text, and the codes of all languages.

Needs torch and transformers 5.23.0; the tests only read what it wrote.
"""

import json
import pathlib

import torch
from safetensors.torch import load_file
from transformers import WhisperForConditionalGeneration
from transformers.models.whisper.tokenization_whisper import TO_LANGUAGE_CODE

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "data"
MODEL = DATA / "models" / "whisper_lm"

SETTINGS = {
    "decoder_start_token_id": 58,
    "pad_token_id": 57,
    "eos_token_id": 57,
    "max_length": 20,
    "no_timestamps_token_id": 99,  # the last one: those behind it are times
}
MULTILINGUAL = SETTINGS | {
    "is_multilingual": True,
    "lang_to_id": {"<|en|>": 59, "<|hi|>": 60, "<|yue|>": 61},
    "task_to_id": {"transcribe": 62, "translate": 63},
}
SUPPRESSED = {"suppress_tokens": [99, 93, 48], "begin_suppress_tokens": [57, 88, 97]}

# name: settings of the file, arguments of generate()
CASES = {
    "plain": ({}, {}),
    "one_language": (SETTINGS, {}),
    "english": (MULTILINGUAL, {"language": "english"}),
    "translation": (MULTILINGUAL, {"language": "Hindi", "task": "translate"}),
    "settings_of_file": (MULTILINGUAL | {"language": "yue", "task": "translate"}, {}),
    "suppressed": (MULTILINGUAL | SUPPRESSED, {"language": "en"}),
    "beams": (MULTILINGUAL | SUPPRESSED, {"language": "hi", "num_beams": 3}),
    "beams_penalty": (MULTILINGUAL, {"language": "hi", "num_beams": 4, "length_penalty": 2.0, "no_repeat_ngram_size": 2}),
    "early_end": (MULTILINGUAL | {"eos_token_id": 18}, {"language": "hi"}),
    "beams_early_end": (MULTILINGUAL | SUPPRESSED | {"eos_token_id": 18}, {"language": "hi", "num_beams": 3}),
    "max_length": (MULTILINGUAL | SUPPRESSED, {"language": "en", "max_length": 6}),
    "max_new_tokens": (MULTILINGUAL, {"language": "en", "max_new_tokens": 5, "repetition_penalty": 1.4}),
}


def main():
    features = load_file(MODEL / "inputs.safetensors")["input_features"]
    entries = {name: run(features, *case) for name, case in CASES.items()}
    lines = [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items()]
    codes = f'"languages": {json.dumps(TO_LANGUAGE_CODE)}'
    (DATA / "speech_generation.json").write_text("{" + ",\n".join([codes, *lines]) + "}\n")


def run(features, settings, arguments):
    model = WhisperForConditionalGeneration.from_pretrained(MODEL, dtype=torch.float32).eval()
    for name, value in settings.items():
        setattr(model.generation_config, name, value)
    recorder = Recorder(model)
    with torch.no_grad():
        outputs = model.generate(features, attention_mask=torch.ones(len(features), features.shape[2]), **arguments)
    return {
        "settings": settings,
        "arguments": arguments,
        "first_tokens": recorder.first_tokens,
        "outputs": [without_padding(row) for row in outputs.tolist()],
    }


class Recorder:
    """Keeps the tokens with which the decoder begins, which the result does not contain."""

    def __init__(self, model):
        self.first_tokens = None
        self.model_forward = model.forward
        model.forward = self.forward

    def forward(self, *positional, **named):
        if self.first_tokens is None:
            self.first_tokens = named["decoder_input_ids"][0].tolist()
        return self.model_forward(*positional, **named)


def without_padding(tokens):
    """generate() drops the end of each text."""
    return tokens[: tokens.index(57)] if 57 in tokens else tokens


if __name__ == "__main__":
    main()
