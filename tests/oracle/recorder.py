"""Records what transformers computes for a small model, as a folder that Portune's tests compare against.

The folder holds the model (config.json, model.safetensors), inputs.safetensors, expected.safetensors (outputs without
dropout), grads.safetensors (of the loss, all parameters), after5.safetensors (the parameters after five AdamW steps on
the same batch) and case.json. The truth is computed in float64 from the float32 weights and stored as float32;
case.json tells how far torch's own float32 run is from it, which is what the tests' tolerances are made of.
"""

import copy
import json
import pathlib

import torch
import transformers
from safetensors.torch import save_file

OPTIMIZER = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.01}
STEPS = 5
NO_GRADIENT = 1e-12  # a float64 gradient below this is rounding noise around a true zero


def randomise(model, seed):
    """Weights of a healthy scale: with the usual standard deviation of 0.02 attention would be nearly uniform."""
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        if "LayerNorm.weight" in name:
            parameter.data = 1 + 0.1 * noise
        elif parameter.dim() == 1:
            parameter.data = 0.1 * noise
        elif "embeddings" in name:
            parameter.data = 0.5 * noise
        else:
            parameter.data = noise * 1.2 / parameter.shape[1] ** 0.5


def record_training_case(model, inputs, folder, *, seed, note):
    folder = pathlib.Path(folder)
    model.save_pretrained(folder)
    truth = run(model.double(), inputs, torch.float64)
    single = run(model.float(), inputs, torch.float32)
    save(folder / "inputs.safetensors", inputs)
    save(folder / "expected.safetensors", truth["outputs"])
    save(folder / "grads.safetensors", truth["grads"])
    save(folder / "after5.safetensors", truth["after"])
    write_case_json(
        folder,
        model,
        seed=seed,
        note=note,
        optimizer={"type": "AdamW", **OPTIMIZER, "decay_all_parameters": True, "steps": STEPS},
        loss=truth["losses"][0],
        losses=truth["losses"],
        torch_fp32_losses=single["losses"],
        eval_fp32_max_abs_diff={name: distance(truth, single, "outputs", name) for name in truth["outputs"]},
        params={name: describe_parameter(truth, single, name) for name in truth["grads"]},
        noise_dominated=[name for name, grad in truth["grads"].items() if grad.abs().max() < NO_GRADIENT],
    )


def run(model, inputs, dtype):
    """Outputs, gradients, the losses before and after each step, and the parameters after the last one."""
    model = copy.deepcopy(model).eval()
    inputs = {name: value.to(dtype) if value.is_floating_point() else value for name, value in inputs.items()}
    outputs = model(**inputs, output_hidden_states=True)
    outputs.loss.backward()
    grads = {name: parameter.grad.clone() for name, parameter in model.named_parameters()}
    losses = [outputs.loss.item()]
    optimizer = torch.optim.AdamW(model.parameters(), **OPTIMIZER)
    for _ in range(STEPS):
        optimizer.step()
        optimizer.zero_grad()
        loss = model(**inputs).loss
        loss.backward()
        losses.append(loss.item())
    return {
        "outputs": flatten(outputs),
        "grads": grads,
        "losses": losses,
        "after": {name: parameter.detach() for name, parameter in model.named_parameters()},
    }


def flatten(outputs):
    """The output tensors by name; a tuple becomes name.0, name.1, ..."""
    flat = {}
    for name, value in outputs.items():
        if isinstance(value, tuple):
            flat.update({f"{name}.{i}": member.detach() for i, member in enumerate(value)})
        else:
            flat[name] = value.detach()
    return flat


def distance(truth, single, kind, name):
    return (truth[kind][name] - single[kind][name].double()).abs().max().item()


def describe_parameter(truth, single, name):
    grad = truth["grads"][name]
    return {
        "shape": list(grad.shape),
        "grad_norm": grad.norm().item(),
        "grad_max": grad.abs().max().item(),
        "grad_fp32_diff": distance(truth, single, "grads", name),
        "after5_fp32_diff": distance(truth, single, "after", name),
    }


def save(path, tensors):
    save_file({name: to_storage(value) for name, value in tensors.items()}, path)


def to_storage(value):
    return value.detach().to(torch.float32 if value.is_floating_point() else torch.int64).contiguous()


def write_case_json(folder, model, **fields):
    case = {
        "architecture": type(model).__name__,
        "transformers": transformers.__version__,
        "torch": torch.__version__.split("+")[0],
        "note_positions": "positions where attention_mask is 0 do not count",
        **fields,
    }
    (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n")
