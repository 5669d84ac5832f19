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
    AutoModelForSeq2SeqLM,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "data"
FILE = DATA / "generation.json"
ROWS, VOCAB = 2, 23

PAD = 0
NO_TOKEN = 10_000  # an id outside of all vocabularies

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
    models = {"gpt2_lm_untied": tokens_of_decoder, "bart_lm": tokens_of_seq2seq, "t5_lm": tokens_of_seq2seq,
              "marian_lm": tokens_of_marian, "marian_two_vocabularies": tokens_of_marian,
              "mbart_lm": tokens_of_mbart, "pegasus_lm": tokens_of_seq2seq, "mt5_lm": tokens_of_seq2seq}
    lines = [f'"{name}": {tokens_of(name)}' for name, tokens_of in models.items()]
    (DATA / "generated_tokens.json").write_text("{" + ",\n".join(lines) + "}\n")


class Recorder:
    """Runs generate() on each prompt alone, because transformers counts padding as tokens of the prompt."""

    def __init__(self, name, auto_class, **always):
        self.always = always
        self.model = auto_class.from_pretrained(DATA / "models" / name, dtype=torch.float32).eval()
        self.free = [self.generate(prompt, max_new_tokens=12, eos_token_id=NO_TOKEN)[0] for prompt in PROMPTS]
        # Tokens that occur in the texts, so that these end early.
        self.eos = [self.free[0][4], self.free[1][3], self.free[2][2]]
        forced = self.model.generation_config.forced_eos_token_id
        self.likely = sorted({ids[i] for ids in self.free for i in (0, 5)} - {forced})

    def generate(self, prompt, **options):
        with torch.no_grad():
            output = self.model.generate(torch.tensor([prompt]), pad_token_id=PAD, **{**self.always, **options})
        eos = options.get("eos_token_id", self.model.generation_config.eos_token_id)
        first = 1 if self.model.config.is_encoder_decoder else len(prompt)
        return [without_filling(row[first:], eos if isinstance(eos, list) else [eos]) for row in output.tolist()]

    def text(self, runs):
        """The JSON text of the runs, which are options by name."""
        lines = []
        for name, options in runs.items():
            outputs = [self.generate(prompt, **options) for prompt in PROMPTS]
            lines.append(f'"{name}": {json.dumps({"options": {**self.always, **options}, "outputs": outputs})}')
        return f'{{"prompts": {json.dumps(PROMPTS)}, "cases": {{\n' + ",\n".join(lines) + "\n}}"


def tokens_of_decoder(name):
    recorder = Recorder(name, AutoModelForCausalLM)
    free, eos, likely = recorder.free, recorder.eos, recorder.likely
    beams = {"num_beams": 4, "eos_token_id": eos}
    return recorder.text(
        {
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
    )


def tokens_of_seq2seq(name, **always):
    recorder = Recorder(name, AutoModelForSeq2SeqLM, **always)
    free, eos, likely = recorder.free, recorder.eos, recorder.likely
    end = recorder.model.config.eos_token_id
    long = {"max_new_tokens": 12, "begin_suppress_tokens": [end]}
    beams = {"num_beams": 4, "eos_token_id": eos}
    return recorder.text(
        {
            "greedy": long,
            "greedy_eos": {**long, "eos_token_id": eos},
            "forced": {"max_length": 14, "forced_bos_token_id": 7, "forced_eos_token_id": end},
            "penalty": {**long, "repetition_penalty": 1.5},
            "min_length": {"max_length": 13, "min_length": 6, "eos_token_id": eos},
            "ngrams_2": {**long, "max_new_tokens": 20, "no_repeat_ngram_size": 2},
            "suppressed": {"max_new_tokens": 12, "suppress_tokens": likely[:2], "begin_suppress_tokens": [end, *likely]},
            "bad_words": {**long, "bad_words_ids": [[likely[0]], free[0][2:4], free[1][1:4]]},
            "start": {"max_new_tokens": 12, "decoder_start_token_id": 12},
            "beams": {**beams, **long},
            "beams_true": {**beams, "max_new_tokens": 12, "early_stopping": True, "num_return_sequences": 3},
            "beams_never": {**beams, "max_new_tokens": 12, "early_stopping": "never", "length_penalty": 2.0},
            "beams_ngrams_3_min_5": {**beams, "max_length": 20, "min_length": 5, "no_repeat_ngram_size": 3},
            # The settings of BART for summaries.
            "beams_summary": {
                **beams,
                "max_length": 24,
                "min_length": 8,
                "no_repeat_ngram_size": 3,
                "length_penalty": 2.0,
                "early_stopping": True,
                "forced_bos_token_id": 7,
                "forced_eos_token_id": end,
            },
            "all": {
                "max_length": 20,
                "begin_suppress_tokens": [end],
                "min_length": 12,
                "no_repeat_ngram_size": 2,
                "bad_words_ids": [[likely[0]], free[0][2:4]],
                "suppress_tokens": likely[1:2],
                "repetition_penalty": 1.2,
                "forced_bos_token_id": 7,
                "forced_eos_token_id": end,
                "eos_token_id": eos,
            },
        }
    )


def tokens_of_mbart(name):
    """The decoder begins with the language, id 11; with "forced" options it then writes another one, as mBART-50."""
    return tokens_of_seq2seq(name, decoder_start_token_id=11)


def tokens_of_marian(name):
    """Padding is never generated, as the published files say, although the decoder begins with it."""
    recorder = Recorder(name, AutoModelForSeq2SeqLM)
    pad, end = recorder.model.config.pad_token_id, recorder.model.config.eos_token_id
    never = {
        "max_length": 16,
        "bad_words_ids": [[pad]],
        "begin_suppress_tokens": [end],
        "no_repeat_ngram_size": 2,
        "forced_eos_token_id": end,
    }
    return recorder.text({"bad_words": never, "beams_bad_words": {**never, "num_beams": 4}})


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
