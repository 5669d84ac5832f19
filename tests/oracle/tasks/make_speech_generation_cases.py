#!/usr/bin/env python3
"""Makes tests/data/speech_generation.json: the tokens that generate() of WhisperForConditionalGeneration makes for the
recordings of tests/data/models/whisper_lm, with the tokens that begin each text; the parts of texts with times; the
tokens before texts that earlier texts precede; and the codes of all languages.

Needs torch and transformers 5.23.0; the tests only read what it wrote.
"""

import json
import pathlib
import random
import types

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
TIMES = MULTILINGUAL | {"no_timestamps_token_id": 75, "suppress_tokens": list(range(58, 75))}
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
    "detection": (MULTILINGUAL, {"task": "transcribe"}),
    "detection_beams": (MULTILINGUAL | SUPPRESSED, {"task": "translate", "num_beams": 3}),
    "times": (TIMES, {"language": "en", "return_timestamps": True}),
    "times_initial": (TIMES | {"max_initial_timestamp_index": 3}, {"language": "hi", "return_timestamps": True}),
    "times_beams": (TIMES | {"max_initial_timestamp_index": 3},
                    {"language": "hi", "num_beams": 3, "return_timestamps": True}),
    "times_detection": (TIMES, {"task": "transcribe", "return_timestamps": True}),
}
# The new tokens of texts with times from 76 on.
TIMED = [
    [76, 3, 4, 80],
    [76, 3, 4, 80, 80, 5, 85],
    [78, 3, 80, 80, 5, 85, 85],
    [76, 3, 80, 81, 5, 6],
    [77, 3, 4],
    [76, 3, 4],
    [],
    [79],
]


def main():
    features = load_file(MODEL / "inputs.safetensors")["input_features"]
    entries = {name: run(features, *case) for name, case in CASES.items()}
    entries["segments"] = [{"tokens": tokens, "segments": segments_of(tokens)} for tokens in TIMED]
    entries["histories"] = histories()
    lines = [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items()]
    codes = f'"languages": {json.dumps(TO_LANGUAGE_CODE)}'
    (DATA / "speech_generation.json").write_text("{" + ",\n".join([codes, *lines]) + "}\n")


def run(features, settings, arguments):
    model = WhisperForConditionalGeneration.from_pretrained(MODEL, dtype=torch.float32).eval()
    for name, value in settings.items():
        setattr(model.generation_config, name, value)
    first_tokens = recorded_first_tokens(model)
    mask = torch.ones(len(features), features.shape[2])
    with torch.no_grad():
        outputs = model.generate(features, attention_mask=mask, force_unique_generate_call=True, return_segments=True,
                                 **arguments)
    first = first_tokens[0].tolist()
    texts = [segments[0]["result"][len(first[0]):].tolist() for segments in outputs["segments"]]
    return {
        "settings": settings,
        "arguments": arguments,
        "first_tokens": first,
        "outputs": [until_end(text, settings.get("eos_token_id", 57)) for text in texts],
    }


def recorded_first_tokens(model):
    """A list that gets the tokens with which the decoder begins, which the result does not contain."""
    recorded = []
    retrieve = model._retrieve_init_tokens

    def record(*positional, **named):
        recorded.append(retrieve(*positional, **named))
        return recorded[-1]

    model._retrieve_init_tokens = record
    return recorded


def segments_of(tokens):
    return [[round(float(p["start"]), 6), round(float(p["end"]), 6), p["tokens"].tolist()] for p in parts_of(tokens)]


def parts_of(tokens):
    """The parts of a text of 24 frames."""
    segments, _ = WhisperForConditionalGeneration._retrieve_segment(
        seek_sequence=torch.tensor(tokens, dtype=torch.long), seek_outputs=[None], time_offset=torch.zeros(1),
        timestamp_begin=76, seek_num_frames=torch.tensor([24]), time_precision=0.02, time_precision_features=0.01,
        input_stride=2, prev_idx=0, idx=0, return_token_timestamps=False, decoder_input_ids=torch.zeros(1, 3))
    return segments


def histories():
    """The tokens before each of several windows, for texts of times from 76 on and for temperatures by chance."""
    draw = random.Random(1)
    texts = [draw.choice(TIMED + [[76, 3, 80, 5], [76, 80, 80], [80, 80], [76, 4, 80, 80, 80, 81], [76, 1, 2, 80, 80]])
             for _ in range(40)]
    cases = []
    for prompt in [[], [71, 11, 12], [71, *range(10, 22)]]:
        for condition in ["first-segment", "all-segments"] if prompt else ["first-segment"]:
            for length in [9, 3]:
                temperatures = [draw.choice([0.0, 0.4, 0.5]) for _ in texts]
                cases.append({"prompt": prompt, "condition": condition, "max_tokens": length, "texts": texts,
                              "temperatures": temperatures,
                              "previous": previous_of(prompt, condition, length, texts, temperatures)})
    return cases


def previous_of(prompt, condition, length, texts, temperatures):
    settings = types.SimpleNamespace(prompt_condition_type=condition, prev_sot_token_id=71, pad_token_id=57,
                                     cache_implementation=None)
    ids = torch.tensor(prompt) if prompt else None
    segments = WhisperForConditionalGeneration._prepare_segments(ids, 1, settings)
    conditions, previous = [True], []
    for tokens, temperature in zip(texts, temperatures):
        found, _ = WhisperForConditionalGeneration._prepare_decoder_input_ids(
            cur_bsz=1, init_tokens=torch.tensor([[58]]), current_segments=segments, batch_idx_map=[0],
            do_condition_on_prev_tokens=conditions, prompt_ids=ids, generation_config=settings,
            config=types.SimpleNamespace(max_target_positions=2 * length + 2), device="cpu", suppress_tokens=None,
            timestamp_begin=76, kwargs={})
        previous.append(found[0, :-1].tolist())
        segments[0] += parts_of(tokens)
        conditions = [temperature < 0.5]
    return previous


def until_end(tokens, end):
    return tokens[: tokens.index(end)] if end in tokens else tokens


if __name__ == "__main__":
    main()
