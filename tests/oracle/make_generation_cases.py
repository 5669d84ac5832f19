#!/usr/bin/env python3
"""Makes tests/data/generation.json, the results of transformers' logits processors on random logits, and
tests/data/generated_tokens.json, the tokens that generate() makes with options that restrict the tokens.

Needs torch and transformers 5.23.0; the tests only read what it wrote.
"""

import json
import pathlib

import torch
from transformers import (
    AutoModelForCausalLM,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
FILE = DATA / "generation.json"
ROWS, VOCAB = 2, 23

# Prompts of different lengths, one of them of one token, after which a first token can be forced.
PROMPTS = [[5, 17, 3, 17, 3, 9, 5], [23], [11, 6, 71, 30, 2, 9, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50]]


def main():
    generator = torch.Generator().manual_seed(0)
    logits = 3 * torch.randn((ROWS, VOCAB), generator=generator)
    ids = torch.tensor([[3, 7, 3, 11, 0], [22, 5, 9, 9, 14]])
    cases = {
        "repetition_penalty": {
            str(penalty): rows(RepetitionPenaltyLogitsProcessor(penalty)(ids, logits.clone()))
            for penalty in (0.7, 1.3)
        },
        "top_k": {str(k): kept(TopKLogitsWarper(k)(ids, logits.clone())) for k in (1, 4, 22, 23)},
        "top_p": {str(p): kept(TopPLogitsWarper(p)(ids, logits.clone())) for p in (0.05, 0.5, 0.9, 0.999)},
        # In the order of generate().
        "chain": kept(chain(ids, logits)),
    }
    FILE.write_text(json.dumps({"logits": rows(logits), "ids": ids.tolist(), **cases}) + "\n")
    record_tokens("gpt2_lm_untied")


def record_tokens(name):
    """Runs generate() on each prompt alone, because transformers counts padding as tokens of the prompt."""
    model = AutoModelForCausalLM.from_pretrained(DATA / "models" / name, dtype=torch.float32).eval()

    def generate(prompt, **options):
        with torch.no_grad():
            output = model.generate(torch.tensor([prompt]), pad_token_id=0, **options)
        eos = options.get("eos_token_id", [model.generation_config.eos_token_id])
        return [without_filling(row[len(prompt) :], eos) for row in output.tolist()]

    free = [generate(prompt, max_new_tokens=12)[0] for prompt in PROMPTS]
    eos = [free[0][4], free[1][3], free[2][2]]
    likely = sorted({ids[0] for ids in free} | {ids[5] for ids in free})
    beams = {"num_beams": 4, "eos_token_id": eos}
    runs = {
        "min_new_tokens": {"max_new_tokens": 12, "min_new_tokens": 8, "eos_token_id": eos},
        "min_length": {"max_new_tokens": 12, "min_length": 20, "eos_token_id": eos},
        "max_length": {"max_length": 21, "eos_token_id": eos[:1]},
        "ngrams_1": {"max_new_tokens": 12, "no_repeat_ngram_size": 1},
        "ngrams_2": {"max_new_tokens": 20, "no_repeat_ngram_size": 2},
        "ngrams_3": {"max_new_tokens": 20, "no_repeat_ngram_size": 3, "repetition_penalty": 0.6},
        "bad_words": {"max_new_tokens": 12, "bad_words_ids": [[likely[0]], free[0][2:4], free[1][1:4], eos[:1]]},
        "suppressed": {"max_new_tokens": 12, "suppress_tokens": likely},
        "begin_suppressed": {"max_new_tokens": 12, "begin_suppress_tokens": likely, "forced_bos_token_id": 7},
        "forced": {"max_new_tokens": 12, "forced_bos_token_id": 7, "forced_eos_token_id": [8, 9]},
        "beams_min": {**beams, "max_new_tokens": 12, "min_new_tokens": 6, "num_return_sequences": 3},
        "beams_max_length": {**beams, "max_length": 24, "length_penalty": 2.0, "early_stopping": "never"},
        "beams_ngrams_2": {**beams, "max_new_tokens": 20, "no_repeat_ngram_size": 2, "early_stopping": True},
        "beams_bad_words": {**beams, "max_new_tokens": 12, "bad_words_ids": [[likely[0]], free[0][2:4], free[1][1:4]]},
        "beams_suppressed": {**beams, "max_new_tokens": 12, "suppress_tokens": likely[:2], "repetition_penalty": 1.3},
        "beams_forced": {**beams, "max_new_tokens": 12, "forced_bos_token_id": 7, "forced_eos_token_id": eos[0]},
        "beams_all": {
            **beams,
            "max_length": 30,
            "min_length": 15,
            "no_repeat_ngram_size": 3,
            "bad_words_ids": [free[0][:2], [likely[1]]],
            "forced_bos_token_id": 7,
            "forced_eos_token_id": eos[0],
            "begin_suppress_tokens": likely,
            "length_penalty": 0.6,
            "num_return_sequences": 2,
        },
    }
    lines = []
    for case, options in runs.items():
        outputs = [generate(prompt, **options) for prompt in PROMPTS]
        lines.append(f'"{case}": {json.dumps({"options": options, "outputs": outputs})}')
    text = f'{{"model": "{name}", "prompts": {json.dumps(PROMPTS)}, "cases": {{\n' + ",\n".join(lines) + "\n}}\n"
    (DATA / "generated_tokens.json").write_text(text)


def without_filling(ids, eos):
    """The tokens up to the one that ended the text. Behind it there are others if another beam is longer."""
    ends = [i for i, token in enumerate(ids) if token in eos]
    return ids[: ends[0] + 1] if ends else ids


def chain(ids, logits):
    for processor in (TemperatureLogitsWarper(1.7), TopKLogitsWarper(9), TopPLogitsWarper(0.8)):
        logits = processor(ids, logits)
    return logits


def rows(values):
    return values.tolist()


def kept(values):
    """Indices of the tokens of each row that remain."""
    return [row.isfinite().nonzero().flatten().tolist() for row in values]


if __name__ == "__main__":
    main()
