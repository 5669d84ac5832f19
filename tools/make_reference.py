#!/usr/bin/env python3
"""Records the results of transformers for a model, as a case for `portatune parity`.

    tools/make_reference.py --model CHECKPOINT --architecture BertForMaskedLM --output CASE [--generate]
    portatune parity --case CASE

The case is a folder: the model itself, inputs.safetensors, expected.safetensors (outputs without dropout),
grads.safetensors (of the loss), after5.safetensors (the parameters after five AdamW steps on the same batch) and
case.json; with --generate, for models that write texts, generate.safetensors (the results of generate() for prompts in
one batch, padded on the left, or on the right for encoder-decoder models: greedily, with a repetition penalty, by beam
search, with and without a token that ends texts; in float32). All other results are computed in float64 from the
float32 weights and stored as float32; case.json has the differences of torch's own float32 run from them, which set the
tolerances. Needs torch, transformers, safetensors.
"""

import argparse
import copy
import json
import pathlib

import torch
import transformers
from safetensors.torch import save_file
from transformers.core_model_loading import revert_weight_conversion

OPTIMIZER = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.01}
STEPS = 5
NO_GRADIENT = 1e-12  # a float64 gradient below this is rounding noise around a true zero
IGNORED = -100  # a label that does not count
NEW_TOKENS = 12


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True, help="a checkpoint's folder")
    parser.add_argument("--architecture", help="its class in transformers; default: the first of config.json")
    parser.add_argument("--output", required=True, type=pathlib.Path, help="the case's folder")
    parser.add_argument("--rows", type=int, default=3)
    parser.add_argument("--length", type=int, default=16, help="tokens of the longest row")
    parser.add_argument("--seed", type=int, default=0, help="of the inputs, and of weights that the checkpoint lacks")
    parser.add_argument("--steps", type=int, default=STEPS, help="optimizer steps; 0: none are recorded")
    parser.add_argument("--generate", action="store_true", help="record what generate() makes of prompts, too")
    parser.add_argument("--max-new-tokens", type=int, default=NEW_TOKENS, help="of --generate")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    config = transformers.AutoConfig.from_pretrained(options.model)
    architecture = options.architecture or config.architectures[0]
    model = getattr(transformers, architecture).from_pretrained(options.model, dtype=torch.float32)
    without_dropout(model)
    lengths = [max(options.length - 3 * row, 2) for row in range(options.rows)]
    inputs = make_inputs(model, lengths, options.seed)
    record(model, inputs, options.output, seed=options.seed, note=f"{options.model}", steps=options.steps)
    if options.generate:
        record_generation(model, lengths, options.output, seed=options.seed, new_tokens=options.max_new_tokens)


def without_dropout(model):
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0


def make_inputs(model, lengths, seed, *, choices=3):
    """Random tokens in rows of these lengths, padded at the end, with the labels of the model's head; for an image
    model that many random images.
    """
    generator = torch.Generator().manual_seed(1000 + seed)
    if model.main_input_name == "pixel_values":
        return make_images(model, len(lengths), generator)
    if model.main_input_name == "input_values":
        return make_sounds(model, lengths, generator)
    if model.main_input_name == "input_features":
        return make_speech(model, lengths, generator)
    config, head = model.config, type(model).__name__
    batch, width = len(lengths), max(lengths)
    shape = (batch, choices, width) if head.endswith("ForMultipleChoice") else (batch, width)

    def below(limit, shape, least=0):
        return torch.randint(least, limit, shape, generator=generator)

    mask = (torch.arange(width) < torch.tensor(lengths)[:, None]).long()
    if len(shape) == 3:
        mask = mask[:, None, :].expand(shape).contiguous()
    pad = config.pad_token_id or 0
    # Ids above the padding, because most special tokens are below it; if the padding is high, any other ids.
    tokens = below(config.vocab_size, shape, least=pad + 1 if 2 * pad < config.vocab_size else 0)
    tokens = torch.where(tokens == pad, (pad + 1) % config.vocab_size, tokens)
    if config.is_encoder_decoder:
        tokens = end_texts(config, tokens, lengths)
    inputs = {"input_ids": torch.where(mask == 1, tokens, pad), "attention_mask": mask}
    if getattr(config, "type_vocab_size", 0) > 1:
        inputs["token_type_ids"] = (torch.arange(width) >= width // 2).long() * mask
    if head.endswith("ForSequenceClassification"):
        inputs["labels"] = sequence_labels(config, batch, generator)
    elif head.endswith("ForMultipleChoice"):
        inputs["labels"] = below(choices, (batch,))
    elif head.endswith("ForNextSentencePrediction"):
        inputs["labels"] = below(2, (batch,))
    elif head.endswith("ForTokenClassification"):
        inputs["labels"] = torch.where(mask == 1, below(config.num_labels, shape), IGNORED)
    elif head == "ElectraForPreTraining":
        inputs["labels"] = below(2, shape)
    elif head.endswith(("ForMaskedLM", "ForPreTraining")):
        chosen = (torch.rand(shape, generator=generator) < 0.4) & (mask == 1)
        inputs["labels"] = torch.where(chosen, below(config.vocab_size, shape), IGNORED)
        if head.endswith("ForPreTraining"):
            relation = "sentence_order_label" if head.startswith("Albert") else "next_sentence_label"
            inputs[relation] = below(2, (batch,))
    elif head.endswith(("ForCausalLM", "LMHeadModel")):
        inputs["labels"] = torch.where(mask == 1, inputs["input_ids"], IGNORED)
    elif head.endswith(("ForConditionalGeneration", "MTModel")):
        inputs["labels"] = make_targets(config, lengths, generator)
    elif head.endswith("ForQuestionAnswering"):
        inputs["start_positions"] = torch.tensor([length // 3 for length in lengths])
        inputs["end_positions"] = torch.tensor([length // 2 for length in lengths])
    elif config.is_encoder_decoder and head.endswith("Model"):
        inputs["decoder_input_ids"] = below(targets_of(config), (batch, width - 2))
    return inputs


def targets_of(config):
    """The number of ids of the decoder."""
    return getattr(config, "decoder_vocab_size", None) or config.vocab_size


def end_texts(config, tokens, lengths):
    """The tokens with one end-of-text token in each row, its last token."""
    eos = config.eos_token_id
    tokens = torch.where(tokens == eos, eos + 1, tokens)
    for row, length in enumerate(lengths):
        tokens[row, length - 1] = eos
    return tokens


def make_targets(config, lengths, generator):
    """Labels of targets, which are shorter than the sources by up to three tokens."""
    lengths = [max(length - 2 - row % 2, 1) for row, length in enumerate(reversed(lengths))]
    shape = (len(lengths), max(lengths))
    pad, size = config.pad_token_id, targets_of(config)
    tokens = torch.randint(pad + 1 if 2 * pad < size else 0, size, shape, generator=generator)
    tokens = torch.where(tokens == pad, (pad + 2) % size, tokens)
    tokens = end_texts(config, tokens, lengths)
    mask = torch.arange(shape[1]) < torch.tensor(lengths)[:, None]
    return torch.where(mask, tokens, IGNORED)


def make_images(model, batch, generator):
    config, size = model.config, model.config.image_size
    height, width = (size, size) if isinstance(size, int) else size
    inputs = {"pixel_values": torch.randn((batch, config.num_channels, height, width), generator=generator)}
    if type(model).__name__.endswith("ForImageClassification"):
        inputs["labels"] = sequence_labels(config, batch, generator)
    return inputs


def make_sounds(model, lengths, generator):
    """Random waveforms with about as many frames as `lengths` says, padded with zeros at the end, or as many random
    spectrograms.
    """
    config, batch = model.config, len(lengths)
    if hasattr(config, "num_mel_bins"):
        inputs = {"input_values": torch.randn((batch, config.max_length, config.num_mel_bins), generator=generator)}
    else:
        samples = [samples_of(config, length) + row for row, length in enumerate(lengths)]
        mask = (torch.arange(max(samples)) < torch.tensor(samples)[:, None]).long()
        inputs = {"input_values": torch.randn(mask.shape, generator=generator) * mask}
        if config.feat_extract_norm == "layer":  # others are trained without a mask
            inputs["attention_mask"] = mask
    if type(model).__name__.endswith("FrameClassification"):
        frames = model._get_feat_extract_output_lengths(inputs["input_values"].shape[1])
        classes = torch.randint(0, config.num_labels, (batch, frames), generator=generator)
        inputs["labels"] = torch.nn.functional.one_hot(classes, config.num_labels)
    elif type(model).__name__.endswith(("Classification", "ForXVector")):
        inputs["labels"] = sequence_labels(config, batch, generator)
    elif type(model).__name__.endswith("ForCTC"):
        inputs["labels"] = transcripts(config, [max(length // 3, 1) for length in lengths], generator)
    return inputs


def make_speech(model, lengths, generator):
    """Random spectrograms of the size of the model, with labels for their texts or their classes."""
    config = model.config
    shape = (len(lengths), config.num_mel_bins, 2 * config.max_source_positions)
    features = torch.randn(shape, generator=generator)
    if type(model).__name__.endswith("Classification"):
        return {"input_features": features, "labels": sequence_labels(config, len(lengths), generator)}
    if type(model).__name__.endswith("Model"):
        ids = torch.randint(0, config.vocab_size, (len(lengths), min(lengths)), generator=generator)
        return {"input_features": features, "decoder_input_ids": ids}
    return {"input_features": features, "labels": make_targets(config, lengths, generator)}


def samples_of(config, frames):
    """The least number of samples with this number of frames."""
    for kernel, stride in zip(reversed(config.conv_kernel), reversed(config.conv_stride)):
        frames = (frames - 1) * stride + kernel
    return frames


def transcripts(config, lengths, generator):
    """Labels without blanks."""
    labels = torch.randint(0, config.vocab_size - 1, (len(lengths), max(lengths)), generator=generator)
    labels = torch.where(labels >= config.pad_token_id, labels + 1, labels)
    return torch.where(torch.arange(max(lengths)) < torch.tensor(lengths)[:, None], labels, IGNORED)


def sequence_labels(config, batch, generator):
    if config.problem_type == "regression":
        return torch.randn((batch, config.num_labels), generator=generator)
    if config.problem_type == "multi_label_classification":
        return torch.randint(0, 2, (batch, config.num_labels), generator=generator).float()
    return torch.randint(0, config.num_labels, (batch,), generator=generator)


def randomise(model, seed, *, scale=1.2):
    """Weights of a healthy scale: with the usual standard deviation of 0.02 attention would be nearly uniform."""
    generator = torch.Generator().manual_seed(seed)
    embeddings = [module.weight for module in model.modules() if isinstance(module, torch.nn.Embedding)]
    for name, parameter in model.named_parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        if name.endswith("weight") and parameter.dim() == 1:  # of a norm
            parameter.data = 1 + 0.1 * noise
        elif parameter.dim() == 1:
            parameter.data = 0.1 * noise
        elif parameter.dim() == 3 or any(parameter is table for table in embeddings):
            parameter.data = 0.5 * noise
        else:
            parameter.data = noise * scale / parameter[0].numel() ** 0.5


def record(model, inputs, folder, *, seed, note, steps=STEPS, keep=None, training=False):
    """Writes the case. `keep` chooses by name the parameters whose gradients are kept; default: all. With `training`
    the steps are those of a model in training mode, whose dropout rates must be 0.
    """
    folder = pathlib.Path(folder)
    model.eval().save_pretrained(folder)
    truth = run(model.double(), inputs, torch.float64, steps, training)
    single = run(model.float(), inputs, torch.float32, steps, training)
    if keep is not None:
        truth["grads"] = {name: value for name, value in truth["grads"].items() if keep(name)}
    save(folder / "inputs.safetensors", inputs)
    save(folder / "expected.safetensors", truth["outputs"])
    facts = {"eval_fp32_max_abs_diff": {name: distance(truth, single, "outputs", name) for name in truth["outputs"]}}
    if truth["grads"]:
        save(folder / "grads.safetensors", truth["grads"])
        facts |= {
            "loss": truth["outputs"]["loss"].item(),
            "params": {name: describe_parameter(truth, single, name) for name in truth["grads"]},
            "noise_dominated": [name for name, grad in truth["grads"].items() if grad.abs().max() < NO_GRADIENT],
        }
    if truth["after"]:
        save(folder / "after5.safetensors", truth["after"])
        facts |= {
            "optimizer": {"type": "AdamW", **OPTIMIZER, "decay_all_parameters": True, "steps": steps},
            **({"training_mode": True} if training else {}),
            "losses": truth["losses"],
            "torch_fp32_losses": single["losses"],
        }
    write_case_json(folder, model, seed=seed, note=note, **facts)


def record_generation(model, lengths, folder, *, seed, new_tokens=NEW_TOKENS):
    """Adds generate.safetensors and its entries in case.json to a case."""
    model = model.float().eval()
    inputs = make_inputs(model, lengths, seed)
    pad = model.generation_config.pad_token_id or 0
    prompts = [row[mask == 1] for row, mask in zip(inputs["input_ids"], inputs["attention_mask"])]
    width = max(lengths)
    if model.config.is_encoder_decoder:
        ids, mask, first = inputs["input_ids"], inputs["attention_mask"], 1
    else:
        ids = torch.stack([torch.nn.functional.pad(row, (width - len(row), 0), value=pad) for row in prompts])
        mask = torch.stack([torch.arange(width) >= width - len(row) for row in prompts]).long()
        first = width

    def generate(**arguments):
        arguments = {"max_new_tokens": new_tokens, "do_sample": False, "pad_token_id": pad, **arguments}
        with torch.no_grad():
            return arguments, model.generate(input_ids=ids, attention_mask=mask, **arguments)

    # A token that occurs in some texts, so that these end early.
    greedy = generate()[1]
    eos = {"eos_token_id": int(greedy[0, min(first + new_tokens // 2, greedy.shape[1] - 1)])}
    runs = {
        "greedy": {},
        "greedy_eos": eos,
        "penalty": {"repetition_penalty": 1.5},
        "beams": {"num_beams": 3},
        "beams_eos": {"num_beams": 3, "early_stopping": True, **eos},
        "beams_never": {"num_beams": 3, "early_stopping": "never", "length_penalty": 2.0, **eos},
        "beams_short": {"num_beams": 3, "length_penalty": -1.0, "repetition_penalty": 1.2, **eos},
    }
    tensors, entries = {}, []
    for name, chosen in runs.items():
        arguments, output = generate(**chosen)
        tensors |= {f"{name}.input_ids": ids, f"{name}.attention_mask": mask, f"{name}.output": output}
        entries.append({"name": name, "args": arguments, "output": output.tolist()})
    save(folder / "generate.safetensors", tensors)
    case = json.loads((folder / "case.json").read_text())
    write_case_json(folder, model, **{**case, "generate": entries})


def run(model, inputs, dtype, steps, training=False):
    """Outputs, gradients, the losses before and after each step, and the parameters after the last one."""
    model = copy.deepcopy(model).eval()
    inputs = {name: value.to(dtype) if value.is_floating_point() else value for name, value in inputs.items()}
    outputs = model(**inputs, output_hidden_states=True)
    result = {"outputs": flatten(outputs), "grads": {}, "losses": [], "after": {}}
    if getattr(outputs, "loss", None) is None:
        return result
    outputs.loss.backward()
    grads = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    result["grads"] = in_checkpoint_names(model, grads)
    loss = outputs.loss
    if training:
        model.train().zero_grad()
        loss = model(**inputs).loss
        loss.backward()
    result["losses"].append(loss.item())
    optimizer = torch.optim.AdamW(model.parameters(), **OPTIMIZER)
    for _ in range(steps):
        optimizer.step()
        optimizer.zero_grad()
        loss = model(**inputs).loss
        loss.backward()
        result["losses"].append(loss.item())
    if steps > 0:
        after = {name: p.detach() for name, p in model.named_parameters() if name in grads}
        result["after"] = in_checkpoint_names(model, after)
    return result


def in_checkpoint_names(model, tensors):
    """transformers renames the parameters of some models when it loads them, and back when it saves them."""
    return revert_weight_conversion(model, tensors)


def flatten(outputs):
    """The output tensors by name; a tuple becomes name.0, name.1, ... Key/value caches are left out, and the features
    before the projection of wav2vec 2.0.
    """
    flat = {}
    for name, value in outputs.items():
        if name == "extract_features":
            continue
        if isinstance(value, tuple):
            flat.update({f"{name}.{i}": member.detach() for i, member in enumerate(value)})
        elif isinstance(value, torch.Tensor):
            flat[name] = value.detach()
    return flat


def distance(truth, single, kind, name):
    return (truth[kind][name] - single[kind][name].double()).abs().max().item()


def describe_parameter(truth, single, name):
    grad = truth["grads"][name]
    facts = {
        "shape": list(grad.shape),
        "grad_norm": grad.norm().item(),
        "grad_max": grad.abs().max().item(),
        "grad_fp32_diff": distance(truth, single, "grads", name),
    }
    if truth["after"]:
        facts["after5_fp32_diff"] = distance(truth, single, "after", name)
    return facts


def save(path, tensors):
    save_file({name: to_storage(value) for name, value in tensors.items()}, path)


def to_storage(value):
    return value.detach().to(torch.float32 if value.is_floating_point() else torch.int64).contiguous().clone()


def write_case_json(folder, model, **fields):
    case = {
        "architecture": type(model).__name__,
        "transformers": transformers.__version__,
        "torch": torch.__version__.split("+")[0],
        "note_positions": "positions where attention_mask is 0 do not count",
        **fields,
    }
    (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n")


if __name__ == "__main__":
    main()
