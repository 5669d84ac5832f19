#!/usr/bin/env python3
"""Makes tests/data/speech_attempts.json: how generate() of WhisperForConditionalGeneration hears the recordings of
tests/data/speech_seq2seq with thresholds and temperatures. Each case has the parts of the text with their times, or the
text alone, and each attempt: its tokens with the one that ends the text, its mean log-probability, its compression
ratio, the probability of silence, and what follows.

Sampled tokens differ from library to library. So the temperatures of whole texts are 0, which may be repeated, and
0.001, at which sampling takes the most probable tokens, or another one with "top_k": 1. The attempts of "sampled" have
other temperatures. Those with a "prompt" have the prompt_ids of this text. With condition_on_prev_tokens each attempt
has the tokens before those that ask for language and task. "of_model" are settings of generation_config.json.

Needs torch and transformers 5.23.0; the tests only read what it wrote.
"""

import json
import pathlib
import sys
import wave

import numpy
import torch
from transformers import WhisperFeatureExtractor, WhisperForConditionalGeneration, WhisperTokenizer

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
FOLDER = ROOT / "tests" / "data" / "speech_seq2seq"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from make_speech_seq2seq_case import MAX_LENGTH, line_of  # noqa: E402

CHINESE = {"language": "Chinese", "task": "transcribe"}
TALK = ["long.wav", "short.wav", "long.wav", "short.wav"]
SHORT = ["short.wav"]
CONDITION = {"temperature": [0.0], "condition_on_prev_tokens": True, "max_new_tokens": 7}
# generate() reads the first of these settings of the model.
OF_MODEL = {"temperature": [0.0], "max_new_tokens": 7, "prompt": "Two",
            "of_model": {"condition_on_prev_tokens": True, "prompt_condition_type": "all-segments"}}
# Between the probabilities of silence of the first two windows.
SILENCE = {"temperature": [0.0], "logprob_threshold": 0.0, "no_speech_threshold": 0.012}
# name: recordings one after the other, whether texts have times, arguments of generate()
CASES = {
    "never_reached": (TALK, True, CHINESE | {"temperature": [0.0, 1.0], "compression_ratio_threshold": 9.0,
                                             "logprob_threshold": -9.0, "no_speech_threshold": 0.9}),
    "refused_twice": (TALK, True, CHINESE | {"temperature": [0.0, 0.001], "logprob_threshold": -0.5}),
    "repeats": (TALK, True, CHINESE | {"temperature": [0.0, 0.0], "compression_ratio_threshold": 0.9}),
    "warm": (TALK, True, CHINESE | {"temperature": [0.001, 0.0], "logprob_threshold": -2.0}),
    "detection": (TALK, True, {"task": "transcribe", "temperature": [0.0, 0.001], "logprob_threshold": -2.0}),
    "beams": (TALK, True, CHINESE | {"num_beams": 3, "temperature": [0.0, 0.001], "logprob_threshold": -2.0}),
    "short": (SHORT, True, CHINESE | {"temperature": [0.0, 0.001], "logprob_threshold": -1.0}),
    "no_times": (SHORT, False, CHINESE | {"temperature": [0.0, 0.001], "logprob_threshold": -1.0}),
    "silent": (SHORT, False, CHINESE | {"temperature": [0.0], "logprob_threshold": 0.0, "no_speech_threshold": 0.0}),
    "partly_silent": (TALK, True, CHINESE | SILENCE),
    "detection_after_silence": (TALK, True, {"task": "transcribe"} | SILENCE),
    "beams_partly_silent": (TALK, True, CHINESE | {"num_beams": 3} | SILENCE),
    "sampled": (TALK, True, CHINESE | {"temperature": [0.0, 0.4, 0.8], "logprob_threshold": -2.0,
                                       "compression_ratio_threshold": 1.1}),
    "prompt": (TALK, True, CHINESE | {"temperature": [0.0], "prompt": "Two"}),
    "prompt_detection": (TALK, True, {"task": "transcribe", "prompt": " Six "} | SILENCE),
    "prompt_beams": (TALK, True, CHINESE | {"num_beams": 3, "temperature": [0.0], "prompt": "Six"}),
    "prompt_no_times": (SHORT, False, CHINESE | {"temperature": [0.0, 0.001], "logprob_threshold": -1.0,
                                                 "prompt": "Two"}),
    "history": (TALK, True, CHINESE | CONDITION),
    "history_of_all_positions": (TALK, True, CHINESE | CONDITION | {"max_new_tokens": None, "max_length": 24}),
    "history_after_samples": (TALK + TALK, True, CHINESE | CONDITION | {
        "temperature": [0.0, 0.4, 0.6], "top_k": 1, "logprob_threshold": -2.2, "compression_ratio_threshold": 1.05}),
    "history_beams": (TALK, True, CHINESE | CONDITION | {"num_beams": 3}),
    "history_after_silence": (TALK, True, {"task": "transcribe"} | CONDITION | SILENCE),
    "history_of_prompt": (TALK, True, CHINESE | CONDITION | {"prompt": "Two"}),
    "history_of_cut_prompt": (TALK, True, CHINESE | CONDITION | {"prompt": "Two, four six"}),
    "history_beside_prompt": (TALK, True, CHINESE | CONDITION | {
        "prompt": "Two", "prompt_condition_type": "all-segments", "max_new_tokens": 5}),
    "history_short": (SHORT, True, CHINESE | CONDITION | {"prompt": "Two, four six"}),
    "history_of_model": (TALK, True, CHINESE | OF_MODEL),
    "history_off": (TALK, True, CHINESE | OF_MODEL | {"condition_on_prev_tokens": False}),
}


def main():
    torch.manual_seed(1)
    golden = {name: run(*case) for name, case in CASES.items()}
    lines = [f"{json.dumps(name)}: {json.dumps(case)}" for name, case in golden.items()]
    (ROOT / "tests" / "data" / "speech_attempts.json").write_text("{" + ",\n".join(lines) + "}\n")


def run(parts, has_times, arguments):
    model = WhisperForConditionalGeneration.from_pretrained(FOLDER, dtype=torch.float32).eval()
    tokenizer = WhisperTokenizer.from_pretrained(FOLDER)
    settings = model.generation_config
    suppressed = json.loads((FOLDER / "golden.json").read_text())["timed"]["suppress_tokens"]
    if has_times:
        settings.suppress_tokens = suppressed
    features = WhisperFeatureExtractor.from_pretrained(FOLDER)(
        numpy.concatenate([samples(part) for part in parts]), sampling_rate=16000, return_tensors="pt",
        **({"truncation": False, "padding": "longest"} if len(parts) > 1 else {}), return_attention_mask=True)
    settings.prev_sot_token_id = tokenizer.convert_tokens_to_ids("<|startofprev|>")
    attempts = recorded_attempts(model)
    for name, value in arguments.get("of_model", {}).items():
        setattr(settings, name, value)
    others = ("prompt", "of_model")
    given = {"max_new_tokens": MAX_LENGTH} | {name: value for name, value in arguments.items() if name not in others}
    if "prompt" in arguments:
        given["prompt_ids"] = torch.tensor(tokenizer.get_prompt_ids(arguments["prompt"]))
    with torch.no_grad():
        outputs = model.generate(**features, return_timestamps=has_times, return_segments=True,
                                 force_unique_generate_call=has_times and parts == SHORT, **given)
    segments = outputs["segments"][0]
    line = line_of(tokenizer, segments) if segments else {"text": "", "segments": []}
    return {"parts": parts, "has_times": has_times, "options": arguments, **line, "attempts": attempts}


def samples(name):
    with wave.open(str(FOLDER / name)) as file:
        return numpy.frombuffer(file.readframes(file.getnframes()), "<i2").astype(numpy.float32) / 32768


def recorded_attempts(model):
    """A list that gets each attempt of generate()."""
    attempts, previous = [], []
    decide, prepare = model._need_fallback, model._prepare_decoder_input_ids

    def record_previous(**named):
        ids, kwargs = prepare(**named)
        previous[:] = ids[0, :ids.shape[1] - named["init_tokens"].shape[1]].tolist()
        return ids, kwargs

    def record(tokens, outputs, index, processors, config, vocab_size, temperature):
        refused, silent = decide(tokens, outputs, index, processors, config, vocab_size, temperature)
        silence = [p.no_speech_prob for p in processors if hasattr(p, "no_speech_prob")]
        logprob = None
        if config.logprob_threshold is not None:
            logprob = float(model._retrieve_avg_logprobs(outputs[index]["scores"], tokens, temperature))
        attempts.append({
            "temperature": temperature, "tokens": tokens.tolist(), "logprob": logprob,
            "compression_ratio": model._retrieve_compression_ratio(tokens, vocab_size),
            "no_speech": float(silence[0][index]) if silence else None, "refused": refused, "silent": silent})
        if config.condition_on_prev_tokens:
            attempts[-1]["previous"] = list(previous)
        return refused, silent

    model._need_fallback = record
    model._prepare_decoder_input_ids = record_previous
    return attempts


if __name__ == "__main__":
    main()
