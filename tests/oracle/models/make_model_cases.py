"""tests/oracle/models/make_model_cases.py: makes tests/data/models/*, tiny random models with the results of
transformers.

    make_model_cases.py [NAME ...]    by default all of them

Needs torch, transformers 5.23.0 and safetensors; the tests only read what it wrote. For each architecture the first
case has two layers, all gradients and five optimizer steps; the cases of its other heads have one layer and
the gradients of the parameters of the head, some of them all gradients or steps, too.
"""

import json
import pathlib
import shutil
import sys

import torch
from safetensors.torch import load_file, save_file

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import transformers  # noqa: E402
# Noqa: E402.
from make_reference import flatten, make_inputs, randomise, record, record_generation, save, write_case_json
import bart_decoder_cases  # noqa: E402
import big_bird_cases  # noqa: E402
import encoder_cases  # noqa: E402
import further_cases  # noqa: E402
import seq2seq_cases  # noqa: E402
import speech_cases  # noqa: E402
from encoder_cases import ENCODER_CASES  # noqa: E402
from seq2seq_cases import SEQ2SEQ_CASES  # noqa: E402
from speech_cases import SPEECH_CASES  # noqa: E402

DATA = ROOT / "tests" / "data" / "models"

LENGTHS = (9, 6, 4)  # real tokens of each row; the rest is padding

# Sizes that are no multiples of a vector register, so that the kernels' loops over remainders run too.
BERT = {
    "hidden_size": 24,
    "num_attention_heads": 4,
    "intermediate_size": 40,
    "vocab_size": 100,
    "max_position_embeddings": 40,
    "type_vocab_size": 2,
}

ALBERT = BERT | {"embedding_size": 12}
ELECTRA = BERT | {"embedding_size": 12}
ROBERTA = BERT | {"type_vocab_size": 1, "pad_token_id": 1}
DISTILBERT = {
    "dim": 24,
    "n_heads": 4,
    "hidden_dim": 40,
    "vocab_size": 100,
    "max_position_embeddings": 40,
}
MODERNBERT = {
    "hidden_size": 24,
    "num_attention_heads": 4,
    "intermediate_size": 20,
    "vocab_size": 100,
    "max_position_embeddings": 40,
    "global_attn_every_n_layers": 2,
    "local_attention": 4,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "cls_token_id": 1,
    "eos_token_id": 2,
    "sep_token_id": 2,
}
VIT = {
    "hidden_size": 24,
    "num_attention_heads": 4,
    "intermediate_size": 40,
    "image_size": 12,
    "patch_size": 4,
    "num_channels": 3,
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
GPT_NEOX = {
    "hidden_size": 40,
    "num_attention_heads": 4,
    "intermediate_size": 44,
    "vocab_size": 100,
    "max_position_embeddings": 40,
    "rope_parameters": {"rope_type": "default", "rope_theta": 100.0, "partial_rotary_factor": 0.6},
}
PHI = GPT_NEOX | {
    "num_key_value_heads": 2,
    "pad_token_id": 0,
    "rope_parameters": {"rope_type": "default", "rope_theta": 100.0, "partial_rotary_factor": 0.4},
}
GEMMA = {
    "hidden_size": 24,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 10,
    "intermediate_size": 40,
    "vocab_size": 100,
    "max_position_embeddings": 40,
}
# Its eager attention in float64 needs a key for each query, also for padding.
GEMMA2 = GEMMA | {
    "sliding_window": 6,
    "query_pre_attn_scalar": 7,
    "attn_logit_softcapping": 2.0,
    "final_logit_softcapping": 20.0,
}
GEMMA3 = GEMMA | {
    "sliding_window": 3,
    "query_pre_attn_scalar": 12,
    "layer_types": ["sliding_attention", "full_attention"],
    "rope_parameters": {
        "full_attention": {"rope_type": "linear", "factor": 4.0, "rope_theta": 300.0},
        "sliding_attention": {"rope_type": "default", "rope_theta": 20.0},
    },
}

SMOLLM3 = LLAMA | {"bos_token_id": 1, "eos_token_id": 2}


def rope(rope_type, **fields):
    return {"rope_parameters": {"rope_type": rope_type, "rope_theta": 100.0, **fields}}


LONG = {"short_factor": [1.0, 1.5, 2.0], "long_factor": [1.0, 2.0, 4.0]}

SINGLE = {"problem_type": "single_label_classification", "num_labels": 3}
MULTI = {"problem_type": "multi_label_classification", "num_labels": 1}
REGRESSION = {"problem_type": "regression", "num_labels": 1}

# Cases with weights so large that attention selects single tokens. In the others, some of which multiply two layers or
# repeat one, bfloat16 would be too coarse for that, in torch as well.
SHARP = ("bert", "gpt2", "opt")

# Cases for which generate() is recorded, too: each decoder, an encoder-decoder model, each layout of OPT, and a RoPE
# that depends on the length, with prompts that grow past it.
GENERATES = ("bigbird_lm", "gpt2_lm", "gpt2_lm_untied", "opt_lm", "opt_350m", "llama_lm", "mistral_lm", "qwen2_lm", "qwen3_lm",
             "llama_longrope", "gptneox_lm", "gptneox_sequential", "phi_lm", "smollm3_lm", "gemma_lm", "gemma2_lm", "gemma3_lm",
             "umt5_lm", "bigbirdpegasus_lm", "bigbirdpegasussparse_lm") + tuple(bart_decoder_cases.CASES)

# name: class, configuration. The first case of an architecture is recorded in full.
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
    # Its dropout rates are those of a real checkpoint; no recorded result depends on them.
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
    "roberta_softmax": ("RobertaForSequenceClassification", ROBERTA | SINGLE),
    "roberta_token": ("RobertaForTokenClassification", ROBERTA | {"num_labels": 5}),
    "roberta_qa": ("RobertaForQuestionAnswering", ROBERTA),
    "roberta_choice": ("RobertaForMultipleChoice", ROBERTA),
    "roberta_mlm": ("RobertaForMaskedLM", ROBERTA),
    "xlmroberta_softmax": ("XLMRobertaForSequenceClassification", ROBERTA | SINGLE),
    "xlmroberta_mlm": ("XLMRobertaForMaskedLM", ROBERTA | {"tie_word_embeddings": False}),
    "distilbert_softmax": ("DistilBertForSequenceClassification", DISTILBERT | SINGLE),
    "distilbert_token": ("DistilBertForTokenClassification", DISTILBERT | {"num_labels": 5}),
    "distilbert_qa": ("DistilBertForQuestionAnswering", DISTILBERT),
    "distilbert_choice": ("DistilBertForMultipleChoice", DISTILBERT),
    "distilbert_mlm": ("DistilBertForMaskedLM", DISTILBERT | {"sinusoidal_pos_embds": True}),
    "distilbert_mlm_untied": ("DistilBertForMaskedLM", DISTILBERT | {"tie_word_embeddings": False}),
    "electra_softmax": ("ElectraForSequenceClassification", ELECTRA | SINGLE),
    "electra_token": ("ElectraForTokenClassification", ELECTRA | {"num_labels": 5}),
    "electra_qa": ("ElectraForQuestionAnswering", ELECTRA | {"embedding_size": 24}),
    "electra_choice": ("ElectraForMultipleChoice", ELECTRA),
    "electra_mlm": ("ElectraForMaskedLM", ELECTRA),
    "electra_mlm_untied": ("ElectraForMaskedLM", ELECTRA | {"tie_word_embeddings": False}),
    "albert_softmax": ("AlbertForSequenceClassification", ALBERT | SINGLE | {"num_hidden_layers": 3}),
    "albert_token": ("AlbertForTokenClassification", ALBERT | {"num_labels": 5}),
    "albert_qa": ("AlbertForQuestionAnswering", ALBERT | {"num_hidden_layers": 3, "num_hidden_groups": 2}),
    "albert_choice": ("AlbertForMultipleChoice", ALBERT | {"inner_group_num": 2}),
    "albert_mlm": ("AlbertForMaskedLM", ALBERT),
    "albert_pretraining": ("AlbertForPreTraining", ALBERT | {"tie_word_embeddings": False}),
    "vit_softmax": ("ViTForImageClassification", VIT | SINGLE),
    "vit_model": ("ViTModel", VIT | {"image_size": [8, 12], "patch_size": [4, 3], "pooler_output_size": 10}),
    "deit_softmax": ("DeiTForImageClassification", VIT | SINGLE),
    "deit_teacher": ("DeiTForImageClassificationWithTeacher", VIT | {"num_labels": 3, "qkv_bias": False}),
    "modernbert_softmax": ("ModernBertForSequenceClassification", MODERNBERT | SINGLE),
    "modernbert_mean": (
        "ModernBertForSequenceClassification",
        MODERNBERT | SINGLE | {"classifier_pooling": "mean", "norm_bias": True, "classifier_bias": True},
    ),
    "modernbert_token": ("ModernBertForTokenClassification", MODERNBERT | {"num_labels": 5}),
    "modernbert_qa": ("ModernBertForQuestionAnswering", MODERNBERT | {"attention_bias": True, "mlp_bias": True}),
    "modernbert_choice": ("ModernBertForMultipleChoice", MODERNBERT),
    "modernbert_mlm": ("ModernBertForMaskedLM", MODERNBERT),
    "modernbert_mlm_untied": (
        "ModernBertForMaskedLM",
        MODERNBERT | {"tie_word_embeddings": False, "decoder_bias": False},
    ),
    "bert_nsp": ("BertForNextSentencePrediction", BERT),
    "bert_beyond_qa": ("BertForQuestionAnswering", BERT),
    "bert_mlm_shared_bias": ("BertForMaskedLM", BERT | {"tie_word_embeddings": False}),
    "electra_pretraining": ("ElectraForPreTraining", ELECTRA | {"hidden_act": "gelu_new"}),
    "gptneox_lm": ("GPTNeoXForCausalLM", GPT_NEOX),
    "gptneox_sequential": (
        "GPTNeoXForCausalLM",
        GPT_NEOX | {"use_parallel_residual": False, "attention_bias": False, "tie_word_embeddings": True},
    ),
    "gptneox_softmax": ("GPTNeoXForSequenceClassification", GPT_NEOX | SINGLE | {"pad_token_id": 0}),
    "gptneox_token": ("GPTNeoXForTokenClassification", GPT_NEOX | {"num_labels": 5}),
    "gptneox_qa": ("GPTNeoXForQuestionAnswering", GPT_NEOX),
    "phi_lm": ("PhiForCausalLM", PHI),
    "phi_lm_tied": ("PhiForCausalLM", PHI | {"qk_layernorm": True, "tie_word_embeddings": True}),
    "phi_softmax": ("PhiForSequenceClassification", PHI | SINGLE),
    "phi_token": ("PhiForTokenClassification", PHI | {"num_labels": 5}),
    "smollm3_lm": (
        "SmolLM3ForCausalLM",
        SMOLLM3 | {"no_rope_layers": [0, 1], "use_sliding_window": True, "sliding_window": 3, "attention_bias": True},
    ),
    "smollm3_interval": (
        "SmolLM3ForCausalLM",
        SMOLLM3 | {"num_hidden_layers": 3, "no_rope_layer_interval": 2, "mlp_bias": True, "tie_word_embeddings": False},
    ),
    "smollm3_softmax": ("SmolLM3ForSequenceClassification", SMOLLM3 | SINGLE),
    "smollm3_token": ("SmolLM3ForTokenClassification", SMOLLM3 | {"num_labels": 5}),
    "gemma_lm": ("GemmaForCausalLM", GEMMA),
    "gemma_lm_untied": ("GemmaForCausalLM", GEMMA | {"tie_word_embeddings": False, "attention_bias": True}),
    "gemma_softmax": ("GemmaForSequenceClassification", GEMMA | SINGLE),
    "gemma_token": ("GemmaForTokenClassification", GEMMA | {"num_labels": 5}),
    "gemma2_lm": ("Gemma2ForCausalLM", GEMMA2),
    "gemma2_uncapped": (
        "Gemma2ForCausalLM",
        GEMMA2 | {"attn_logit_softcapping": None, "final_logit_softcapping": None, "attention_bias": True},
    ),
    "gemma2_softmax": ("Gemma2ForSequenceClassification", GEMMA2 | SINGLE),
    "gemma2_token": ("Gemma2ForTokenClassification", GEMMA2 | {"num_labels": 5}),
    "gemma3_lm": ("Gemma3ForCausalLM", GEMMA3),
    "gemma3_softmax": (
        "Gemma3TextForSequenceClassification",
        GEMMA3 | SINGLE | {"layer_types": ["full_attention"], "final_logit_softcapping": 1.5},
    ),
    "llama_qa": ("LlamaForQuestionAnswering", LLAMA),
    "mistral_qa": ("MistralForQuestionAnswering", LLAMA | {"sliding_window": 4}),
    "qwen2_qa": ("Qwen2ForQuestionAnswering", LLAMA),
    "qwen3_qa": ("Qwen3ForQuestionAnswering", LLAMA | {"head_dim": 10}),
    "smollm3_qa": ("SmolLM3ForQuestionAnswering", SMOLLM3),
}


def positions_beyond(model, inputs):
    """One position of an answer is negative, two are beyond the sequence."""
    inputs["start_positions"] = torch.tensor([3, 9, 40])
    inputs["end_positions"] = torch.tensor([5, -1, 9])


def share_bias(model, inputs):
    """The layout of transformers 4: the bias is stored only as cls.predictions.bias."""
    model.cls.predictions.decoder.bias = model.cls.predictions.bias


# Settings of single cases.
# Padding that sees no token through the window has other states than in transformers, whose loss counts padding.
CHANGES = {
    "bert_beyond_qa": positions_beyond,
    "bert_mlm_shared_bias": share_bias,
    "mistral_qa": encoder_cases.without_padding,
}
for module in (bart_decoder_cases, seq2seq_cases, encoder_cases, further_cases, big_bird_cases, speech_cases):
    CHANGES |= module.CHANGES

# Cases of one layer whose gradients are all recorded.
WITH_ALL_GRADIENTS = encoder_cases.WITH_ALL_GRADIENTS + speech_cases.WITH_ALL_GRADIENTS

# The first seed of each table.
TABLES = {
    1: CASES,
    1001: SEQ2SEQ_CASES,
    3057: big_bird_cases.CASES,
    5001: ENCODER_CASES,
    7001: SPEECH_CASES,
    9001: bart_decoder_cases.CASES,
}
TABLES[11001] = further_cases.with_configurations(TABLES.values())


def main():
    makers = {name: lambda name=name: make_case(name) for table in TABLES.values() for name in table}
    makers |= {name: lambda name=name: make_legacy(name) for name in LEGACY}
    for name in sys.argv[1:] or makers:
        shutil.rmtree(DATA / name, ignore_errors=True)
        makers[name]()


def make_case(name):
    first_seed, table = next(entry for entry in TABLES.items() if name in entry[1])
    architecture, settings = table[name]
    prefix = name.split("_")[0]
    names = [other for table in TABLES.values() for other in table]
    is_first = name == next(other for other in names if other.split("_")[0] == prefix)
    seed = first_seed + list(table).index(name)
    model = make_model(architecture, {"num_hidden_layers": 2 if is_first else 1} | settings)
    randomise(model, seed, scale=1.2 if prefix in SHARP else 0.8)
    inputs = make_inputs(model, big_bird_cases.LENGTHS.get(prefix, LENGTHS), seed)
    if name in CHANGES:
        CHANGES[name](model, inputs)
    of_head = head_parameters(model)
    record(
        model,
        inputs,
        DATA / name,
        seed=seed,
        note=", ".join(f"{key} {value}" for key, value in settings.items()),
        steps=5 if is_first or name in speech_cases.WITH_STEPS else 0,
        keep=None if is_first or name in WITH_ALL_GRADIENTS else lambda parameter: parameter in of_head,
        training=prefix in big_bird_cases.TRAINED,
    )
    if name in GENERATES:
        lengths = (5, 4, 2) if "rope" in name else big_bird_cases.LENGTHS.get(prefix, LENGTHS)
        lengths = bart_decoder_cases.PROMPTS if name in bart_decoder_cases.CASES else lengths
        record_generation(model, lengths, DATA / name, seed=seed)


def make_model(architecture, settings):
    kind = getattr(transformers, architecture)
    config = kind.config_class(**{**no_dropout(kind.config_class), **settings})
    return kind(config)


def no_dropout(config_class):
    """The dropout rates of the configuration, all set to 0."""
    return {key: 0.0 for key, value in config_class().to_dict().items() if is_rate(key, value)}


def is_rate(key, value):
    return isinstance(value, float) and ("dropout" in key or "pdrop" in key)


def head_parameters(model):
    """Names of the parameters outside the body, and of one of the body, which shows that the gradient reaches it."""
    body = f"{model.base_model_prefix}."
    names = [name for name, _ in model.named_parameters()]
    return {name for name in names if not name.startswith(body)} | {names[0]}


def make_legacy(name):
    """A model with files in the format of older versions of transformers, which the present one still reads."""
    architecture, settings, seed, note, edit = LEGACY[name]
    folder = DATA / name
    model = make_model(architecture, {"num_hidden_layers": 1} | settings)
    randomise(model, seed, scale=1.2 if name.split("_")[0] in SHARP else 0.8)
    model.eval().save_pretrained(folder)
    weights, config = load_file(folder / "model.safetensors"), json.loads((folder / "config.json").read_text())
    weights = edit(weights, config)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")

    inputs = make_inputs(model, LENGTHS, seed)
    again = type(model).from_pretrained(folder).eval()
    single = flatten(again(**inputs, output_hidden_states=True))
    precise = {key: value.double() if value.is_floating_point() else value for key, value in inputs.items()}
    truth = flatten(model.double()(**precise, output_hidden_states=True))
    differences = {key: (truth[key] - single[key].double()).abs().max().item() for key in truth}
    assert max(differences.values()) < 1e-4, "transformers does not read the old files as meant"
    save(folder / "inputs.safetensors", inputs)
    save(folder / "expected.safetensors", truth)
    write_case_json(folder, model, seed=seed, note=note, eval_fp32_max_abs_diff=differences)


def bert_of_2018(weights, config):
    def old_name(key):
        return key.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")

    weights = {old_name(key): value for key, value in weights.items()}
    weights["embeddings.position_ids"] = torch.arange(BERT["max_position_embeddings"])[None]
    return weights


def roberta_with_decoder(weights, config):
    weights["lm_head.decoder.weight"] = weights["roberta.embeddings.word_embeddings.weight"].clone()
    weights["lm_head.decoder.bias"] = weights["lm_head.bias"].clone()
    positions = torch.arange(ROBERTA["max_position_embeddings"])[None]
    weights["roberta.embeddings.position_ids"] = positions
    weights["roberta.embeddings.token_type_ids"] = torch.zeros_like(positions)
    return weights


def modernbert_of_2024(weights, config):
    for key in ("layer_types", "rope_parameters"):
        del config[key]
    config |= {"global_attn_every_n_layers": 2, "global_rope_theta": 500.0, "local_rope_theta": 20.0}
    return weights


# name: class, configuration, seed, note, function that changes the files to the old format
LEGACY = {
    "bert_legacy_names": (
        "BertModel",
        BERT | {"hidden_act": "gelu_new"},
        5,
        "gelu_new; legacy parameter names (gamma, beta, no prefix) and a stored position_ids",
        bert_of_2018,
    ),
    "roberta_legacy_names": (
        "RobertaForMaskedLM",
        ROBERTA,
        6,
        "the tied decoder stored a second time; stored position_ids and token_type_ids",
        roberta_with_decoder,
    ),
    "modernbert_legacy_config": (
        "ModernBertModel",
        MODERNBERT
        | {
            "num_hidden_layers": 3,
            "rope_parameters": {
                "full_attention": {"rope_type": "default", "rope_theta": 500.0},
                "sliding_attention": {"rope_type": "default", "rope_theta": 20.0},
            },
        },
        7,
        "global_attn_every_n_layers, global_rope_theta, local_rope_theta",
        modernbert_of_2024,
    ),
}
LEGACY |= speech_cases.LEGACY


if __name__ == "__main__":
    main()
