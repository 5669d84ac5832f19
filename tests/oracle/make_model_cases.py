"""tests/oracle/make_model_cases.py: makes tests/data/models/*, tiny random models with what transformers computes.

    make_model_cases.py [NAME ...]    by default all of them

Needs torch, transformers 5.23.0 and safetensors; the tests only read what it wrote. For each architecture the first
case has two layers, all gradients and five optimizer steps; those of its other heads have one layer and the gradients
of what is special to the head.
"""

import pathlib
import shutil
import sys

import torch
from safetensors.torch import load_file, save_file

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import transformers  # noqa: E402
from make_reference import flatten, make_inputs, randomise, record, save, write_case_json  # noqa: E402

DATA = ROOT / "tests" / "data" / "models"

LENGTHS = (9, 6, 4)  # real tokens of each row; the rest is padding

# Sizes that are no multiples of a vector register, so that the kernels' remainders are met too.
BERT = {
    "hidden_size": 24,
    "num_attention_heads": 4,
    "intermediate_size": 40,
    "vocab_size": 100,
    "max_position_embeddings": 40,
    "type_vocab_size": 2,
}

GPT2 = {
    "n_embd": 24,
    "n_head": 4,
    "n_positions": 40,
    "vocab_size": 100,
    "bos_token_id": 99,
    "eos_token_id": 99,
}
OPT = {
    "hidden_size": 24,
    "num_attention_heads": 4,
    "ffn_dim": 40,
    "vocab_size": 100,
    "max_position_embeddings": 40,
    "word_embed_proj_dim": 24,
}
LLAMA = {
    "hidden_size": 24,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 40,
    "vocab_size": 100,
    "max_position_embeddings": 40,
    "pad_token_id": 0,
}


def rope(rope_type, **fields):
    return {"rope_parameters": {"rope_type": rope_type, "rope_theta": 100.0, **fields}}


LONG = {"short_factor": [1.0, 1.5, 2.0], "long_factor": [1.0, 2.0, 4.0]}

SINGLE = {"problem_type": "single_label_classification", "num_labels": 3}
MULTI = {"problem_type": "multi_label_classification", "num_labels": 1}
REGRESSION = {"problem_type": "regression", "num_labels": 1}

# name: class, configuration. The first of an architecture is recorded whole.
CASES = {
    "bert_softmax": ("BertForSequenceClassification", BERT | SINGLE),
    "bert_sigmoid": ("BertForSequenceClassification", BERT | MULTI),
    "bert_regression": ("BertForSequenceClassification", BERT | REGRESSION),
    "bert_token": ("BertForTokenClassification", BERT | {"num_labels": 5}),
    "bert_qa": ("BertForQuestionAnswering", BERT),
    "bert_choice": ("BertForMultipleChoice", BERT),
    "bert_mlm": ("BertForMaskedLM", BERT | {"hidden_act": "gelu_new"}),
    "bert_mlm_untied": ("BertForMaskedLM", BERT | {"tie_word_embeddings": False}),
    "bert_pretraining": ("BertForPreTraining", BERT),
    # Its rates of dropout, which nothing recorded here depends on, are those of a real checkpoint.
    "gpt2_lm": (
        "GPT2LMHeadModel",
        GPT2 | {"scale_attn_by_inverse_layer_idx": True, "resid_pdrop": 0.1, "embd_pdrop": 0.1, "attn_pdrop": 0.1},
    ),
    "gpt2_lm_untied": ("GPT2LMHeadModel", GPT2 | {"tie_word_embeddings": False, "n_inner": 36}),
    "gpt2_softmax": ("GPT2ForSequenceClassification", GPT2 | SINGLE | {"pad_token_id": 0}),
    "gpt2_token": ("GPT2ForTokenClassification", GPT2 | {"num_labels": 5, "scale_attn_weights": False}),
    "gpt2_qa": ("GPT2ForQuestionAnswering", GPT2),
    "opt_lm": ("OPTForCausalLM", OPT),
    "opt_350m": ("OPTForCausalLM", OPT | {"do_layer_norm_before": False, "word_embed_proj_dim": 18}),
    "opt_plain": ("OPTForCausalLM", OPT | {"enable_bias": False, "layer_norm_elementwise_affine": False}),
    "opt_no_final_norm": ("OPTForCausalLM", OPT | {"_remove_final_layer_norm": True, "tie_word_embeddings": False}),
    "opt_softmax": ("OPTForSequenceClassification", OPT | SINGLE | {"word_embed_proj_dim": 18}),
    "opt_qa": ("OPTForQuestionAnswering", OPT),
    "llama_lm": ("LlamaForCausalLM", LLAMA),
    "llama_lm_tied": (
        "LlamaForCausalLM",
        LLAMA | {"tie_word_embeddings": True, "attention_bias": True, "mlp_bias": True, "head_dim": 10},
    ),
    "llama_linear": ("LlamaForCausalLM", LLAMA | rope("linear", factor=2.0)),
    "llama_dynamic": ("LlamaForCausalLM", LLAMA | rope("dynamic", factor=2.0) | {"max_position_embeddings": 6}),
    "llama_yarn": ("LlamaForCausalLM", LLAMA | rope("yarn", factor=4.0, original_max_position_embeddings=10)),
    "llama_longrope": (
        "LlamaForCausalLM",
        LLAMA | rope("longrope", factor=4.0, original_max_position_embeddings=8, **LONG),
    ),
    "llama_llama3": (
        "LlamaForCausalLM",
        LLAMA | rope("llama3", factor=4.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=20),
    ),
    "llama_softmax": ("LlamaForSequenceClassification", LLAMA | SINGLE),
    "llama_token": ("LlamaForTokenClassification", LLAMA | {"num_labels": 5}),
    "mistral_lm": ("MistralForCausalLM", LLAMA | {"sliding_window": 4}),
    "mistral_full": ("MistralForCausalLM", LLAMA | {"sliding_window": None}),
    "mistral_softmax": ("MistralForSequenceClassification", LLAMA | SINGLE | {"sliding_window": 4}),
    "qwen2_lm": (
        "Qwen2ForCausalLM",
        LLAMA | {"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1, "tie_word_embeddings": True},
    ),
    "qwen2_softmax": ("Qwen2ForSequenceClassification", LLAMA | SINGLE),
    "qwen3_lm": (
        "Qwen3ForCausalLM",
        LLAMA | {"head_dim": 10, "layer_types": ["sliding_attention", "full_attention"], "use_sliding_window": True,
                 "sliding_window": 3},
    ),
    "qwen3_softmax": ("Qwen3ForSequenceClassification", LLAMA | SINGLE | {"attention_bias": True}),
}


def main():
    makers = {name: lambda name=name: make_case(name) for name in CASES}
    makers["bert_legacy_names"] = make_legacy_encoder
    for name in sys.argv[1:] or makers:
        shutil.rmtree(DATA / name, ignore_errors=True)
        makers[name]()


def make_case(name):
    architecture, settings = CASES[name]
    prefix = name.split("_")[0]
    is_first = name == next(other for other in CASES if other.split("_")[0] == prefix)
    seed = 1 + list(CASES).index(name)
    model = make_model(architecture, {"num_hidden_layers": 2 if is_first else 1} | settings)
    # A product of two layers, as in gated feed-forward layers, makes bfloat16 too coarse at full scale, in torch as well.
    randomise(model, seed, scale=0.8 if hasattr(model.config, "rms_norm_eps") else 1.2)
    inputs = make_inputs(model, LENGTHS, seed)
    of_head = head_parameters(model)
    record(
        model,
        inputs,
        DATA / name,
        seed=seed,
        note=", ".join(f"{key} {value}" for key, value in settings.items()),
        steps=5 if is_first else 0,
        keep=None if is_first else lambda parameter: parameter in of_head,
    )


def make_model(architecture, settings):
    kind = getattr(transformers, architecture)
    config = kind.config_class(**{**no_dropout(kind.config_class), **settings})
    return kind(config)


def no_dropout(config_class):
    """Every rate of the configuration as 0."""
    return {key: 0.0 for key, value in config_class().to_dict().items() if is_rate(key, value)}


def is_rate(key, value):
    return isinstance(value, float) and ("dropout" in key or "pdrop" in key)


def head_parameters(model):
    """Names of the parameters that are not the body's, and one of the body, which shows that the gradient gets there."""
    body = f"{model.base_model_prefix}."
    names = [name for name, _ in model.named_parameters()]
    return {name for name in names if not name.startswith(body)} | {names[0]}


def make_legacy_encoder(name="bert_legacy_names", seed=5):
    """The names of the checkpoints of 2018: LayerNorm's gamma and beta, no bert. prefix, a stored position_ids."""
    folder = DATA / name
    model = make_model("BertModel", BERT | {"num_hidden_layers": 1, "hidden_act": "gelu_new"})
    randomise(model, seed)
    model.eval().save_pretrained(folder)
    weights = {legacy_name(key): value for key, value in load_file(folder / "model.safetensors").items()}
    weights["embeddings.position_ids"] = torch.arange(BERT["max_position_embeddings"])[None]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})

    inputs = make_inputs(model, LENGTHS, seed)
    single = flatten(transformers.BertModel.from_pretrained(folder).eval()(**inputs, output_hidden_states=True))
    truth = flatten(model.double()(**inputs, output_hidden_states=True))
    differences = {key: (truth[key] - single[key].double()).abs().max().item() for key in truth}
    assert max(differences.values()) < 1e-4, "transformers does not read the legacy names as meant"
    save(folder / "inputs.safetensors", inputs)
    save(folder / "expected.safetensors", truth)
    write_case_json(
        folder,
        model,
        seed=seed,
        note="gelu_new; legacy parameter names (gamma, beta, no prefix) and a stored position_ids",
        eval_fp32_max_abs_diff=differences,
    )


def legacy_name(key):
    return key.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")


if __name__ == "__main__":
    main()
