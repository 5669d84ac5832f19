#!/usr/bin/env python3
"""Writes tests/data/coltran: logits, losses and gradients of the original Colorization Transformer on tiny configs.

    pip install tensorflow-cpu==2.21.0 tf-keras==2.21.0 safetensors
    TF_USE_LEGACY_KERAS=1 python tests/oracle/models/make_coltran_cases.py FOLDER

FOLDER has the original, the folder "coltran" of github.com/google-research/google-research. Each case is a folder
with config.json, model.safetensors (the weights under Portatune's names) and expected.safetensors: the inputs; every
sixteenth of the logits; "loss" and "parallel_loss" in bits per pixel; "grad.NAME", the gradient of the loss
with which the original trains. A gradient of more than MAX_FULL elements is given by its sums along either axis.
"""
import json
import pathlib
import sys

import numpy as np
import tensorflow as tf
from safetensors.numpy import save_file

SIDE, BATCH, MAX_FULL = 4, 2, 512
SIZES = {"hidden_size": 4, "ff_size": 6, "num_heads": 2}
SQUARES = {"downsample_res": SIDE, "resolution": [SIDE, SIDE]}
CONDITIONS = {"skip": True, "cond_mlp": "affine", "cond_mlp_act": "identity", "cond_ln": True,
              "cond_ln_act": "identity", "cond_ln_seq": "sc", "cond_ln_sp_ave": "learnable", "cond_att_v": True,
              "cond_att_q": True, "cond_att_k": True, "cond_att_scale": True, "cond_att_act": "identity"}
COLORIZERS = {  # what differs from the published config
    "colorizer": {},
    "colorizer_activations": {"stage": "decoder", "skip": False, "cond_mlp_act": "tanh", "cond_ln_act": "sigmoid",
                              "cond_ln_seq": "cs", "cond_ln_sp_ave": "mean", "cond_att_k": False,
                              "cond_att_act": "tanh"},
    "colorizer_shifts": {"stage": "decoder", "cond_mlp": "shift", "cond_ln": False, "cond_att_scale": False},
}


class Config(dict):
    __getattr__ = dict.__getitem__


class Names:
    """The variables of a model under Portatune's names, with the axes that they have there."""

    def __init__(self):
        self.variables = {}

    def add(self, name, variable, change=lambda array: array):
        self.variables[name] = (variable, change)

    def dense(self, name, layer):
        self.add(f"{name}.weight", layer.kernel, np.transpose)
        if layer.use_bias:
            self.add(f"{name}.bias", layer.bias)

    def embedding(self, name, layer):
        """A dense layer of one-hot vectors."""
        self.add(f"{name}.weight", layer.kernel)
        if layer.use_bias:
            self.add(f"{name}.bias", layer.bias)

    def norm(self, name, layer):
        if hasattr(layer, "channel_dense"):
            if layer.spatial_average == "learnable":
                self.add(f"{name}.spatial_average", layer.spatial_weights)
            self.dense(f"{name}.channel_dense", layer.channel_dense)
        else:
            self.add(f"{name}.weight", layer.gamma)
            self.add(f"{name}.bias", layer.beta)

    def attention(self, name, layer, norm):
        inputs = {"q": layer.project_q, "k": layer.project_k, "v": layer.project_v, "cond_q": layer.project_cond_q,
                  "cond_k": layer.project_cond_k, "cond_v": layer.project_cond_v}
        for part, projection in inputs.items():
            if projection is not None:
                self.add(f"{name}.{part}.weight", projection.w, lambda w: w.reshape(w.shape[0], -1).T)
        self.add(f"{name}.output.weight", layer.project_final.w, lambda w: w.reshape(-1, w.shape[-1]).T)
        bias, = [weight for weight in layer.relative_attention.biases if weight is not None]
        self.add(f"{name}.relative_bias", bias)
        self.norm(f"{name}.norm", norm)

    def mlp(self, name, layer, norm, condition=None):
        self.dense(f"{name}.intermediate", layer.layers[0])
        self.dense(f"{name}.output", layer.layers[1])
        if condition is not None:
            self.dense(f"{name}.{condition.name.split('_')[0]}", condition)
        self.norm(f"{name}.norm", norm)

    def positions(self, name, layer):
        for part, variable in zip(["row", "column"], layer.embeddings):
            self.add(f"{name}.positions.{part}", variable)

    def blocks(self, name, module, parts):
        """The layers of an encoder or decoder: `parts` are the names of the blocks of one layer."""
        conditions = list(getattr(module, "cmlp_layers", []))
        self.positions(name, module.pos_embed)
        for i, (layer, norm) in enumerate(zip(module.residual_layers, module.layer_norms)):
            path = f"{name}.layer.{i // len(parts)}.{parts[i % len(parts)]}"
            if path.endswith("attention"):
                self.attention(path, layer, norm)
            else:
                self.mlp(path, layer, norm, conditions.pop(0) if conditions else None)

    def encoder(self, name, module):
        self.blocks(name, module, ["row_attention", "row_mlp", "column_attention", "column_mlp"])


def names_of_colorizer(model):
    names = Names()
    names.embedding("encoder.embedding", model.encoder.embedding)
    names.encoder("encoder", model.encoder.encoder)
    names.embedding("pixel_embedding", model.pixel_embed_layer)
    names.encoder("outer_decoder", model.outer_decoder)
    names.blocks("inner_decoder", model.inner_decoder, ["row_attention", "mlp"])
    names.norm("final_norm", model.final_norm)
    names.dense("auto_logits", model.final_dense)
    if model.is_parallel_loss:
        names.dense("parallel_logits", model.parallel_dense)
    return names


def names_of_upsampler(model):
    names = Names()
    names.embedding("channel_embedding", getattr(model, "bit_embedding", None) or model.channel_embedding)
    names.embedding("gray_embedding", model.gray_embedding)
    names.dense("input_dense", model.input_dense)
    names.encoder("encoder", model.encoder)
    names.dense("final_dense", model.final_dense)
    return names


def randomize(names, rng):
    for name, (variable, _) in names.variables.items():
        is_norm = name.endswith("norm.weight") or name.endswith("spatial_average")
        variable.assign(rng.normal(1 if is_norm else 0, 0.3, variable.shape))


def channels_first(logits):
    """[batch, height, width, channels, 256] as [batch, channels, height, width, 16]."""
    return np.ascontiguousarray(logits.numpy().transpose(0, 3, 1, 2, 4)[..., ::16])


def gradients(names, tape, loss):
    found = tape.gradient(loss, [variable for variable, _ in names.variables.values()])
    arrays = {}
    for (name, (_, change)), gradient in zip(names.variables.items(), found):
        array = change(tf.convert_to_tensor(gradient).numpy())
        if array.size > MAX_FULL:
            array = np.concatenate([array.sum(0), array.sum(1)])
        arrays[f"grad.{name}"] = array
    return arrays


def write(folder, config, names, arrays):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"model_type": "coltran", **config}, indent=2) + "\n")
    contiguous = lambda array: np.ascontiguousarray(array, dtype=np.float32 if array.dtype.kind == "f" else np.int32)
    weights = {name: contiguous(change(variable.numpy())) for name, (variable, change) in names.variables.items()}
    save_file(weights, folder / "model.safetensors")
    save_file({name: contiguous(np.asarray(array)) for name, array in arrays.items()}, folder / "expected.safetensors")


def colorizer_case(folder, changes, original):
    rng = np.random.default_rng(3)
    layers = {**SIZES, "num_encoder_layers": 1, "num_outer_layers": 1, "num_inner_layers": 2}
    conditions = {**CONDITIONS, **{key: value for key, value in changes.items() if key != "stage"}}
    stage = changes.get("stage", "encoder_decoder")
    model = original.ColTranCore(Config(hidden_size=SIZES["hidden_size"], stage=stage, encoder=Config(layers),
                                        decoder=Config(layers, **conditions)))
    images = tf.constant(rng.integers(0, 256, (BATCH, SIDE, SIDE, 3)), tf.int32)
    model(images)
    names = names_of_colorizer(model)
    randomize(names, rng)
    with tf.GradientTape() as tape:
        logits, auxiliary = model(images)
        loss, losses = model.loss({"targets": images}, logits, {}, True, auxiliary)
        total = 0.99 * loss + 0.01 * losses["encoder"] if losses else loss
    coarse = original.base_utils.convert_bits(images, n_bits_out=3)
    arrays = {"images": images.numpy(), "gray": tf.image.rgb_to_grayscale(images)[..., 0].numpy(),
              "colors": original.base_utils.labels_to_bins(coarse, 8).numpy(),
              "logits": logits.numpy()[..., 0, ::16], "loss": loss.numpy(), **gradients(names, tape, total)}
    if losses:
        arrays["parallel_logits"] = auxiliary["encoder_logits"].numpy()[..., 0, ::16]
        arrays["parallel_loss"] = losses["encoder"].numpy()
    write(folder, {"architectures": ["ColTranColorizer"], **layers, **SQUARES, "stage": stage, **conditions}, names,
          arrays)


def upsampler_case(folder, class_name, model_class, levels):
    rng = np.random.default_rng(4)
    layers = {**SIZES, "num_encoder_layers": 2}
    model = model_class(Config(layers))
    images = tf.constant(rng.integers(0, 256, (BATCH, SIDE, SIDE, 3)), tf.int32)
    blurry = tf.constant(rng.integers(0, 256, (BATCH, SIDE, SIDE, 3)), tf.int32)
    read = images if levels == 8 else blurry
    model.build(images.shape)
    model.built = True
    model.call(images, read)
    names = names_of_upsampler(model)
    randomize(names, rng)
    with tf.GradientTape() as tape:
        logits, _ = model.call(images, read)
        loss, _ = model.loss({"targets": images}, logits, {}, False)
    channels = read.numpy() // (256 // levels) + levels * np.arange(3)
    arrays = {"images": images.numpy(), "gray": tf.image.rgb_to_grayscale(images)[..., 0].numpy(),
              "channels": channels.transpose(0, 3, 1, 2), "colors": images.numpy().transpose(0, 3, 1, 2),
              "logits": channels_first(logits), "loss": loss.numpy(), **gradients(names, tape, loss)}
    write(folder, {"architectures": [class_name], **layers, **SQUARES}, names, arrays)


def main():
    sys.path.insert(0, sys.argv[1])
    from coltran.models import colorizer, upsampler
    folder = pathlib.Path(__file__).parents[2] / "data" / "coltran"
    for name, changes in COLORIZERS.items():
        colorizer_case(folder / name, changes, colorizer)
    upsampler_case(folder / "color_upsampler", "ColTranColorUpsampler", upsampler.ColorUpsampler, 8)
    upsampler_case(folder / "spatial_upsampler", "ColTranSpatialUpsampler", upsampler.SpatialUpsampler, 256)


if __name__ == "__main__":
    main()
