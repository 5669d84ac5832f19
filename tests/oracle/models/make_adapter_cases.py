"""tests/oracle/models/make_adapter_cases.py: makes tests/data/adapters/*, adapters of peft for models of
tests/data/models.

    make_adapter_cases.py [NAME ...]    by default all of them

Needs torch, transformers 5.23.0, peft 0.21.2 and safetensors; the tests only read what it wrote. Each folder is an
adapter as peft writes it, with random weights, and a case as tools/make_reference.py makes it: outputs, gradients of
the adapter and the weights after five optimizer steps.
"""

import json
import pathlib
import shutil
import sys

import torch

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import make_reference  # noqa: E402
import peft  # noqa: E402
import transformers  # noqa: E402

MODELS = ROOT / "tests" / "data" / "models"
DATA = ROOT / "tests" / "data" / "adapters"
LENGTHS = (9, 6, 4)  # real tokens of each row; the rest is padding

# name: case of the model, options of peft.LoraConfig. The random adapters of many layers are scaled down: their products
# would be too large for a comparison in bfloat16. With DoRA on all layers of bert_dora, the logits of torch in bfloat16
# differ from its own in float32 by 3 % of the largest; on these layers by 1 %.
CASES = {
    "bert": ("bert_softmax", {"task_type": "SEQ_CLS", "lora_alpha": 4}),
    "bert_all": ("bert_softmax", {"task_type": "SEQ_CLS", "target_modules": "all-linear", "use_rslora": True, "lora_alpha": 1}),
    "bert_patterns": (
        "bert_token",
        {
            "task_type": "TOKEN_CLS",
            "target_modules": "bert.*(query|dense)",
            "rank_pattern": {"output.dense": 2, "^bert.encoder.layer.0.attention.self.query": 5},
            "lora_alpha": 4,
            "alpha_pattern": {"query": 3},
        },
    ),
    "bert_mlm": ("bert_mlm", {"modules_to_save": ["transform"], "target_modules": ["value"]}),
    "albert": ("albert_softmax", {"task_type": "SEQ_CLS", "target_modules": ["query", "ffn"]}),
    "distilbert": ("distilbert_softmax", {"task_type": "SEQ_CLS", "target_modules": ["q_lin", "v_lin", "lin1"]}),
    "electra": ("electra_softmax", {"task_type": "SEQ_CLS"}),
    "roberta": ("roberta_qa", {"task_type": "QUESTION_ANS"}),
    "modernbert": ("modernbert_softmax", {"task_type": "SEQ_CLS", "target_modules": "all-linear", "lora_alpha": 3}),
    "gpt2": ("gpt2_lm", {"task_type": "CAUSAL_LM"}),
    "gpt2_all": ("gpt2_softmax", {"task_type": "SEQ_CLS", "target_modules": "all-linear"}),
    "opt": ("opt_lm", {"task_type": "CAUSAL_LM", "target_modules": "all-linear"}),
    "llama": ("llama_lm_tied", {"task_type": "CAUSAL_LM", "target_modules": "all-linear"}),
    "mistral": ("mistral_lm", {"task_type": "CAUSAL_LM"}),
    "qwen2": ("qwen2_lm", {"task_type": "CAUSAL_LM"}),
    "qwen3": ("qwen3_softmax", {"task_type": "SEQ_CLS", "target_modules": "all-linear"}),
    "bart": ("bart_lm", {"task_type": "SEQ_2_SEQ_LM"}),
    "t5": ("t5_lm", {"task_type": "SEQ_2_SEQ_LM", "target_modules": "all-linear"}),
    "gptneox": ("gptneox_lm", {"task_type": "CAUSAL_LM"}),
    "phi": ("phi_softmax", {"task_type": "SEQ_CLS", "lora_alpha": 4}),
    "gemma2": ("gemma2_softmax", {"task_type": "SEQ_CLS", "lora_alpha": 1}),
    "gemma3": ("gemma3_lm", {"task_type": "CAUSAL_LM", "lora_alpha": 1}),
    "mpnet": ("mpnet_softmax", {"task_type": "SEQ_CLS", "target_modules": ["q", "v"], "lora_alpha": 4}),
    "debertav3": ("debertav3_softmax", {"task_type": "SEQ_CLS", "lora_alpha": 4}),
    "debertav2": (
        "debertav2_unshared",
        {
            "task_type": "TOKEN_CLS",
            "target_modules": ["query_proj", "key_proj", "value_proj", "pos_key_proj", "pos_query_proj", "dense"],
            "lora_alpha": 1,
        },
    ),
    "bert_dora": (
        "bert_softmax",
        {"task_type": "SEQ_CLS", "target_modules": ["query", "output.dense"], "lora_alpha": 1, "use_dora": True},
    ),
    "bert_biases": ("bert_token", {"task_type": "TOKEN_CLS", "bias": "all"}),
    "opt_biases": ("opt_lm", {"task_type": "CAUSAL_LM", "bias": "lora_only", "lora_alpha": 4}),
    "vit": ("vit_softmax", {"target_modules": ["q_proj", "fc1"], "modules_to_save": ["classifier"]}),
    "deit": ("deit_softmax", {"target_modules": "all-linear", "modules_to_save": ["classifier"], "lora_alpha": 1}),
    "gpt2_dora": (
        "gpt2_lm",
        {"task_type": "CAUSAL_LM", "target_modules": "all-linear", "lora_alpha": 1, "use_dora": True},
    ),
    "xlmroberta": ("xlmroberta_softmax", {"task_type": "SEQ_CLS", "lora_alpha": 4}),
    "bigbird": ("bigbird_softmax", {"task_type": "SEQ_CLS", "target_modules": ["query", "value"], "lora_alpha": 4}),
    "bigbirdpegasus": (
        "bigbirdpegasus_lm",
        {"task_type": "SEQ_2_SEQ_LM", "target_modules": ["query", "value", "q_proj", "v_proj"], "lora_alpha": 1},
    ),
    "gemma": ("gemma_lm", {"task_type": "CAUSAL_LM", "lora_alpha": 1}),
    "smollm3": ("smollm3_lm", {"task_type": "CAUSAL_LM", "target_modules": ["q_proj", "v_proj"], "lora_alpha": 1}),
    "mt5": ("mt5_lm", {"task_type": "SEQ_2_SEQ_LM", "lora_alpha": 1}),
    "umt5": ("umt5_lm", {"task_type": "SEQ_2_SEQ_LM", "target_modules": ["q", "v"], "lora_alpha": 1}),
    "mbart": ("mbart_lm", {"task_type": "SEQ_2_SEQ_LM", "target_modules": ["q_proj", "v_proj"], "lora_alpha": 1}),
    "pegasus": ("pegasus_lm", {"task_type": "SEQ_2_SEQ_LM", "target_modules": ["q_proj", "v_proj"], "lora_alpha": 1}),
    "marian": ("marian_lm", {"task_type": "SEQ_2_SEQ_LM", "target_modules": ["q_proj", "v_proj"], "lora_alpha": 1}),
    # Without a task: the classes of peft for tasks are those of texts.
    "wav2vec2": (
        "wav2vec2_softmax",
        {"target_modules": ["q_proj", "v_proj"], "modules_to_save": ["classifier"], "lora_alpha": 1},
    ),
    "hubert": ("hubert_ctc", {"target_modules": ["q_proj", "v_proj"], "modules_to_save": ["lm_head"], "lora_alpha": 1}),
    "ast": (
        "ast_softmax",
        {"target_modules": ["q_proj", "v_proj", "fc1", "fc2"], "modules_to_save": ["classifier"], "lora_alpha": 1},
    ),
    "whisper": ("whisper_lm", {"target_modules": ["q_proj", "v_proj"], "lora_alpha": 1}),
}

# Seeds of the cases whose seed is not their index.
SEEDS = {
    "gptneox": 16, "phi": 17, "gemma2": 18, "gemma3": 19, "bert_dora": 16, "bert_biases": 17, "opt_biases": 18,
    "vit": 19, "deit": 20, "gpt2_dora": 17, "mpnet": 21, "debertav3": 22, "debertav2": 23,
}


def main():
    transformers.logging.set_verbosity_error()
    for index, (name, (model, options)) in enumerate(CASES.items()):
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        make(DATA / name, MODELS / model, options, SEEDS.get(name, index))
        print(name)


def make(folder, base, options, seed):
    architecture = json.loads((base / "case.json").read_text())["architecture"]
    torch.manual_seed(seed)
    model = getattr(transformers, architecture).from_pretrained(base, dtype=torch.float32)
    make_reference.without_dropout(model)
    config = peft.LoraConfig(r=3, **{"lora_dropout": 0.0, "init_lora_weights": False, **options})
    adapted = peft.get_peft_model(model, config)
    for name, parameter in adapted.named_parameters():
        if "magnitude" in name:  # peft starts with the norms, which would leave the layer as it is
            parameter.data *= 1 + 0.2 * torch.randn(parameter.shape)
    adapted.peft_config["default"].base_model_name_or_path = f"../../models/{base.name}"
    shutil.rmtree(folder, ignore_errors=True)
    make_reference.record(adapted, make_reference.make_inputs(model, LENGTHS, seed), folder, seed=seed, note=base.name)
    (folder / "README.md").unlink()
    case = json.loads((folder / "case.json").read_text())
    make_reference.write_case_json(folder, model, **{**case, "architecture": architecture, "peft": peft.__version__})


def in_checkpoint_names(adapted, tensors):
    """The names of parameters in files of models, without the modules of peft around them."""
    names = {name: name.removeprefix("base_model.model.") for name in tensors}
    names = {name: short.replace("magnitude_vector.default.weight", "magnitude_vector") for name, short in names.items()}
    for module in (".modules_to_save.default", ".default", ".base_layer"):
        names = {name: short.replace(module, "") for name, short in names.items()}
    named = {names[name]: tensor for name, tensor in tensors.items()}
    return make_reference.revert_weight_conversion(adapted.get_base_model(), named)


make_reference.in_checkpoint_names = in_checkpoint_names

if __name__ == "__main__":
    main()
