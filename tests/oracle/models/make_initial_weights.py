"""tests/oracle/models/make_initial_weights.py: makes tests/data/initial_weights.json, the initialisation of
transformers.

    make_initial_weights.py [NAME ...]    by default all of them

Needs torch and transformers 5.23.0. For each case of tests/data/models in CASES it makes many models from the config
alone, without weights, and records for each parameter

    std        standard deviation around the mean of 0 (normal), or of all values (constants: their root mean square)
    constant   the value of all elements, if they are equal in all models
    fixed      true if the elements differ, but not between the models (sinusoids)
    zero_rows  rows that are zero in all models
    reach      largest absolute value / std, where it is below REACH: the distribution is truncated
"""

import json
import pathlib
import sys

import torch
import transformers

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from make_reference import in_checkpoint_names  # noqa: E402

CASES = """albert_mlm albert_softmax ast_softmax bart_lm bart_softmax bert_mlm bert_mlm_untied bert_pretraining bert_softmax
debertav2_conv debertav2_p2c debertav2_unshared debertav3_mlm debertav3_softmax mpnet_mlm mpnet_softmax
bert_token bigbird_mlm bigbird_qa bigbird_softmax deit_softmax deit_teacher distilbert_mlm distilbert_softmax electra_mlm electra_pretraining electra_softmax
gemma2_lm gemma3_lm gemma_lm gpt2_lm gpt2_lm_untied gpt2_softmax gptneox_lm gptneox_token llama_lm llama_softmax
marian_lm marian_two_vocabularies mbart_lm mistral_lm modernbert_mlm modernbert_softmax modernbert_token opt_350m opt_lm opt_softmax pegasus_lm phi_lm
phi_lm_tied phi_token qwen2_lm qwen3_lm roberta_mlm roberta_softmax smollm3_lm t5_lm t5_qa t5_softmax
t5_token umt5_softmax vit_softmax xlmroberta_mlm""".split()
MODELS = 200
REACH = 3.2  # 200 models of normal weights have elements beyond it, unless they are truncated


def describe(values):
    """values [models, ...]; returns the record of a parameter."""
    if (values == values.flatten()[0]).all():
        return {"constant": values.flatten()[0].item()}
    record = {"std": float(f"{values.double().square().mean().sqrt():.5g}")}
    if (values == values[0]).all():
        return record | {"fixed": True}
    if values.ndim == 3:
        zero = [row for row in range(values.shape[1]) if (values[:, row] == 0).all()]
        if zero:
            filled = [row for row in range(values.shape[1]) if row not in zero]
            record = {"std": float(f"{values[:, filled].double().square().mean().sqrt():.5g}"), "zero_rows": zero}
    reach = values.abs().max().item() / record["std"]
    return record | ({"reach": round(reach, 2)} if reach < REACH else {})


def case(name):
    folder = ROOT / "tests" / "data" / "models" / name
    config = transformers.AutoConfig.from_pretrained(folder)
    architecture = getattr(transformers, json.loads((folder / "case.json").read_text())["architecture"])
    samples = {}
    for seed in range(MODELS):
        torch.manual_seed(seed)
        model = architecture(config)
        saved = model.state_dict().keys()
        buffers = {buffer: value for buffer, value in model.named_buffers() if buffer in saved}
        values = {parameter: value.detach() for parameter, value in model.named_parameters()} | buffers
        for parameter, value in in_checkpoint_names(model, values).items():
            samples.setdefault(parameter, []).append(value)
    return {parameter: describe(torch.stack(values)) for parameter, values in samples.items()}


def main():
    file = ROOT / "tests" / "data" / "initial_weights.json"
    kept = json.loads(file.read_text()) if sys.argv[1:] else {}
    cases = {name: kept[name] if name in kept and name not in sys.argv[1:] else case(name) for name in CASES}
    lines = []
    for name, parameters in cases.items():
        rows = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in parameters.items())
        lines.append(f" {json.dumps(name)}: {{\n{rows}\n }}")
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
