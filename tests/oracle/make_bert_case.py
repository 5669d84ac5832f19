"""tests/oracle/make_bert_case.py: makes tests/data/bert_*, tiny random BERT models with what transformers computes.

Needs torch, transformers 5.23.0 and safetensors; the tests only read what it wrote.
"""

import pathlib

import torch
from recorder import flatten, randomise, record_training_case, save, write_case_json
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertForSequenceClassification, BertModel

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"

# Sizes that are no multiples of a vector register, so that the kernels' remainders are met too.
SIZES = {
    "hidden_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 40,
    "vocab_size": 100,
    "max_position_embeddings": 40,
    "type_vocab_size": 2,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
}
LENGTHS = (9, 6, 4)  # real tokens of each row; the rest is padding
FIRST_SENTENCE = 4  # tokens of token_type_id 0


def main():
    make_classifier(
        "bert_sigmoid",
        seed=1,
        labels=torch.tensor([[1.0], [0.0], [1.0]]),
        num_labels=1,
        problem_type="multi_label_classification",
    )
    make_classifier(
        "bert_softmax",
        seed=2,
        labels=torch.tensor([2, 0, 1]),
        num_labels=3,
        problem_type="single_label_classification",
    )
    make_classifier(
        "bert_regression",
        seed=3,
        labels=torch.tensor([0.5, -1.25, 3.0]),
        num_labels=1,
        problem_type="regression",
    )
    make_legacy_encoder("bert_legacy_names", seed=4)


def make_classifier(name, *, seed, labels, **head):
    model = BertForSequenceClassification(BertConfig(**SIZES, **head))
    randomise(model, seed)
    inputs = {**make_inputs(seed), "labels": labels}
    record_training_case(model, inputs, DATA / name, seed=seed, note=head["problem_type"])


def make_inputs(seed):
    batch, width = len(LENGTHS), max(LENGTHS)
    generator = torch.Generator().manual_seed(1000 + seed)
    attention_mask = (torch.arange(width) < torch.tensor(LENGTHS)[:, None]).long()
    input_ids = torch.randint(1, SIZES["vocab_size"], (batch, width), generator=generator)
    return {
        "input_ids": input_ids * attention_mask,  # id 0 is the padding
        "attention_mask": attention_mask,
        "token_type_ids": (torch.arange(width) >= FIRST_SENTENCE).long() * attention_mask,
    }


def make_legacy_encoder(name, *, seed):
    """The names of the checkpoints of 2018: LayerNorm's gamma and beta, no bert. prefix, a stored position_ids."""
    folder = DATA / name
    sizes = {**SIZES, "num_hidden_layers": 1}
    model = BertModel(BertConfig(**sizes, hidden_act="gelu_new"))
    randomise(model, seed)
    model.eval().save_pretrained(folder)
    weights = {legacy_name(key): value for key, value in load_file(folder / "model.safetensors").items()}
    weights["embeddings.position_ids"] = torch.arange(sizes["max_position_embeddings"])[None]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})

    inputs = make_inputs(seed)
    single = flatten(BertModel.from_pretrained(folder).eval()(**inputs, output_hidden_states=True))
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
