"""Compiles the training step of a model, written in JAX as its users write it, for a TPU that need not be present.

Prints one JSON object: XLA's own analysis of the cost, the temporary memory, and the seconds of the compilation.
Weights are float32, products bfloat16, norms and softmax float32; AdamW with clipping by the global norm.

usage: jax_step.py CONFIG.json ROWS LENGTH TOPOLOGY [--remat]     (TOPOLOGY as in v5e:2x2)
"""

import argparse
import json
import pathlib
import time

import jax
import jax.numpy as jnp
import optax
from jax.experimental import topologies
from jax.sharding import SingleDeviceSharding


class Model:
    """The layers that the models share. Parameters are dictionaries of arrays by name, as `shapes` describes them."""

    def __init__(self, config, remat):
        self.config, self.remat = config, remat
        self.features = config.get("hidden_size") or config.get("n_embd") or config["d_model"]
        self.heads = config.get("num_attention_heads") or config.get("n_head") or config["num_heads"]
        self.inner = config.get("intermediate_size") or config.get("d_ff") or 4 * self.features
        self.dropout_rate = config.get("hidden_dropout_prob", config.get("resid_pdrop", config.get("dropout_rate", 0.0)))
        self.shapes = {}

    def add_linear(self, name, inputs, outputs, bias=True):
        self.shapes[f"{name}/w"] = (inputs, outputs)
        if bias:
            self.shapes[f"{name}/b"] = (outputs,)

    def add_norm(self, name, bias=True):
        self.shapes[f"{name}/scale"] = (self.features,)
        if bias:
            self.shapes[f"{name}/bias"] = (self.features,)

    def add_attention(self, name, bias=True):
        for part in ("q", "k", "v", "o"):
            self.add_linear(f"{name}/{part}", self.features, self.features, bias)

    def add_feed_forward(self, name, bias=True):
        self.add_linear(f"{name}/up", self.features, self.inner, bias)
        self.add_linear(f"{name}/down", self.inner, self.features, bias)

    def linear(self, p, name, x):
        y = x @ p[f"{name}/w"].astype(jnp.bfloat16)
        return y + p[f"{name}/b"].astype(jnp.bfloat16) if f"{name}/b" in p else y

    def layer_norm(self, p, name, x):
        x = x.astype(jnp.float32)
        x = (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-12)
        return (x * p[f"{name}/scale"] + p[f"{name}/bias"]).astype(jnp.bfloat16)

    def rms_norm(self, p, name, x):
        x = x.astype(jnp.float32)
        x = x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6)
        return (x * p[f"{name}/scale"]).astype(jnp.bfloat16)

    def dropout(self, key, x):
        if self.dropout_rate == 0:
            return x
        keep = jax.random.bernoulli(key, 1 - self.dropout_rate, x.shape)
        return jnp.where(keep, x / (1 - self.dropout_rate), 0).astype(x.dtype)

    def attention(self, p, name, key, x, memory, bias, scale):
        def split(y):
            return y.reshape(*y.shape[:-1], self.heads, -1)

        q, k, v = (split(self.linear(p, f"{name}/{part}", y)) for part, y in (("q", x), ("k", memory), ("v", memory)))
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k).astype(jnp.float32) * scale + bias
        weights = self.dropout(key, jax.nn.softmax(scores, -1).astype(jnp.bfloat16))
        mixed = jnp.einsum("bhqk,bkhd->bqhd", weights, v)
        return self.linear(p, f"{name}/o", mixed.reshape(*x.shape[:-1], -1))

    def feed_forward(self, p, name, x, activation):
        return self.linear(p, f"{name}/down", activation(self.linear(p, f"{name}/up", x)))

    def checkpointed(self, layer):
        """A layer whose activations are computed again in the backward pass, with --remat."""
        return jax.checkpoint(layer) if self.remat else layer

    @property
    def scale(self):
        return (self.features // self.heads) ** -0.5


def mask_bias(mask):
    return jnp.where(mask[:, None, None, :] > 0, 0.0, -1e9)


def mean_cross_entropy(logits, labels, weights):
    losses = optax.softmax_cross_entropy_with_integer_labels(logits.astype(jnp.float32), labels)
    return (losses * weights).sum() / jnp.maximum(weights.sum(), 1)


class Bert(Model):
    def __init__(self, config, remat, rows, length):
        super().__init__(config, remat)
        ids = jax.ShapeDtypeStruct((rows, length), jnp.int32)
        self.batch = {"ids": ids, "types": ids, "mask": ids, "labels": jax.ShapeDtypeStruct((rows,), jnp.int32)}
        self.shapes.update({"words": (config["vocab_size"], self.features), "types": (2, self.features),
                            "positions": (config["max_position_embeddings"], self.features)})  # fmt: skip
        self.add_norm("norm")
        for i in range(config["num_hidden_layers"]):
            self.add_attention(f"{i}/attention")
            self.add_feed_forward(f"{i}/mlp")
            self.add_norm(f"{i}/norm1")
            self.add_norm(f"{i}/norm2")
        self.add_linear("pooler", self.features, self.features)
        self.add_linear("classifier", self.features, 2)

    def loss(self, p, batch, key):
        keys = iter(jax.random.split(key, 3 * self.config["num_hidden_layers"] + 2))
        x = p["words"][batch["ids"]] + p["types"][batch["types"]] + p["positions"][: batch["ids"].shape[1]]
        x = self.dropout(next(keys), self.layer_norm(p, "norm", x))
        bias = mask_bias(batch["mask"])

        def layer(p, i, x, k1, k2, k3):
            y = self.attention(p, f"{i}/attention", k1, x, x, bias, self.scale)
            x = self.layer_norm(p, f"{i}/norm1", x + self.dropout(k2, y))
            y = self.feed_forward(p, f"{i}/mlp", x, lambda y: jax.nn.gelu(y, approximate=False))
            return self.layer_norm(p, f"{i}/norm2", x + self.dropout(k3, y))

        for i in range(self.config["num_hidden_layers"]):
            x = self.checkpointed(lambda p, *rest, i=i: layer(p, i, *rest))(p, x, next(keys), next(keys), next(keys))
        pooled = self.dropout(next(keys), jnp.tanh(self.linear(p, "pooler", x[:, 0])))
        return mean_cross_entropy(self.linear(p, "classifier", pooled), batch["labels"], jnp.ones(x.shape[0]))


class Gpt2(Model):
    def __init__(self, config, remat, rows, length):
        super().__init__(config, remat)
        ids = jax.ShapeDtypeStruct((rows, length), jnp.int32)
        self.batch = {"ids": ids, "mask": ids}
        self.shapes.update({"words": (config["vocab_size"], self.features),
                            "positions": (config["n_positions"], self.features)})  # fmt: skip
        for i in range(config["n_layer"]):
            self.add_norm(f"{i}/norm1")
            self.add_norm(f"{i}/norm2")
            self.add_attention(f"{i}/attention")
            self.add_feed_forward(f"{i}/mlp")
        self.add_norm("norm")

    def loss(self, p, batch, key):
        keys = iter(jax.random.split(key, 3 * self.config["n_layer"] + 1))
        length = batch["ids"].shape[1]
        x = p["words"][batch["ids"]] + p["positions"][:length]
        x = self.dropout(next(keys), x.astype(jnp.bfloat16))
        causal = jnp.where(jnp.tril(jnp.ones((length, length), bool)), 0.0, -1e9)
        bias = mask_bias(batch["mask"]) + causal

        def layer(p, i, x, k1, k2, k3):
            y = self.layer_norm(p, f"{i}/norm1", x)
            x = x + self.dropout(k2, self.attention(p, f"{i}/attention", k1, y, y, bias, self.scale))
            y = self.feed_forward(p, f"{i}/mlp", self.layer_norm(p, f"{i}/norm2", x), jax.nn.gelu)
            return x + self.dropout(k3, y)

        for i in range(self.config["n_layer"]):
            x = self.checkpointed(lambda p, *rest, i=i: layer(p, i, *rest))(p, x, next(keys), next(keys), next(keys))
        logits = self.layer_norm(p, "norm", x)[:, :-1] @ p["words"].astype(jnp.bfloat16).T
        return mean_cross_entropy(logits, batch["ids"][:, 1:], batch["mask"][:, 1:])


class Vit(Model):
    def __init__(self, config, remat, rows, length):
        super().__init__(config, remat)
        size, patch = config["image_size"], config["patch_size"]
        self.batch = {"pixels": jax.ShapeDtypeStruct((rows, size, size, 3), jnp.float32),
                      "labels": jax.ShapeDtypeStruct((rows,), jnp.int32)}  # fmt: skip
        self.shapes.update({"patches/w": (patch, patch, 3, self.features), "patches/b": (self.features,),
                            "class": (self.features,), "positions": ((size // patch) ** 2 + 1, self.features)})  # fmt: skip
        for i in range(config["num_hidden_layers"]):
            self.add_norm(f"{i}/norm1")
            self.add_norm(f"{i}/norm2")
            self.add_attention(f"{i}/attention")
            self.add_feed_forward(f"{i}/mlp")
        self.add_norm("norm")
        self.add_linear("classifier", self.features, 2)

    def loss(self, p, batch, key):
        patch = self.config["patch_size"]
        x = jax.lax.conv_general_dilated(
            batch["pixels"].astype(jnp.bfloat16), p["patches/w"].astype(jnp.bfloat16), (patch, patch), "VALID",
            dimension_numbers=("NHWC", "HWIO", "NHWC"))  # fmt: skip
        x = x.reshape(x.shape[0], -1, self.features) + p["patches/b"].astype(jnp.bfloat16)
        first = jnp.broadcast_to(p["class"].astype(jnp.bfloat16), (x.shape[0], 1, self.features))
        x = jnp.concatenate([first, x], 1) + p["positions"].astype(jnp.bfloat16)

        def layer(p, i, x):
            y = self.layer_norm(p, f"{i}/norm1", x)
            x = x + self.attention(p, f"{i}/attention", key, y, y, 0.0, self.scale)
            y = self.layer_norm(p, f"{i}/norm2", x)
            return x + self.feed_forward(p, f"{i}/mlp", y, lambda y: jax.nn.gelu(y, approximate=False))

        for i in range(self.config["num_hidden_layers"]):
            x = self.checkpointed(lambda p, x, i=i: layer(p, i, x))(p, x)
        logits = self.linear(p, "classifier", self.layer_norm(p, "norm", x)[:, 0])
        return mean_cross_entropy(logits, batch["labels"], jnp.ones(x.shape[0]))


class T5(Model):
    def __init__(self, config, remat, rows, length):
        super().__init__(config, remat)
        ids = jax.ShapeDtypeStruct((rows, length), jnp.int32)
        targets = jax.ShapeDtypeStruct((rows, length // 4), jnp.int32)
        self.batch = {"ids": ids, "mask": ids, "inputs": targets, "labels": targets, "label_mask": targets}
        self.shapes["words"] = (config["vocab_size"], self.features)
        for stack in ("encoder", "decoder"):
            self.shapes[f"{stack}/bias"] = (32, self.heads)
            for i in range(config["num_layers"]):
                self.add_attention(f"{stack}/{i}/attention", bias=False)
                self.add_feed_forward(f"{stack}/{i}/mlp", bias=False)
                self.add_norm(f"{stack}/{i}/norm1", bias=False)
                self.add_norm(f"{stack}/{i}/norm2", bias=False)
                if stack == "decoder":
                    self.add_attention(f"{stack}/{i}/cross", bias=False)
                    self.add_norm(f"{stack}/{i}/norm3", bias=False)
            self.add_norm(f"{stack}/norm", bias=False)

    @staticmethod
    def buckets(length, bidirectional):
        distance = jnp.arange(length)[None, :] - jnp.arange(length)[:, None]
        count, offset = 32, 0
        if bidirectional:
            count = 16
            offset = jnp.where(distance > 0, count, 0)
            distance = jnp.abs(distance)
        else:
            distance = jnp.maximum(-distance, 0)
        exact = count // 2
        far = exact + (jnp.log(jnp.maximum(distance, 1) / exact) / jnp.log(128 / exact) * (count - exact)).astype(int)
        return offset + jnp.where(distance < exact, distance, jnp.minimum(far, count - 1))

    def stack(self, p, name, keys, ids, bias, memory=None, memory_bias=None):
        is_decoder = memory is not None
        x = self.dropout(next(keys), p["words"][ids].astype(jnp.bfloat16))
        relative = p[f"{name}/bias"][self.buckets(ids.shape[1], not is_decoder)].transpose(2, 0, 1)
        bias = bias + relative

        def layer(p, i, x, memory, *keys):
            at = f"{name}/{i}"
            keys = iter(keys)
            y = self.rms_norm(p, f"{at}/norm1", x)
            x = x + self.dropout(next(keys), self.attention(p, f"{at}/attention", next(keys), y, y, bias, 1.0))
            if is_decoder:
                y = self.rms_norm(p, f"{at}/norm3", x)
                y = self.attention(p, f"{at}/cross", next(keys), y, memory, memory_bias, 1.0)
                x = x + self.dropout(next(keys), y)
            y = self.feed_forward(p, f"{at}/mlp", self.rms_norm(p, f"{at}/norm2", x), jax.nn.relu)
            return x + self.dropout(next(keys), y)

        for i in range(self.config["num_layers"]):
            more = [next(keys) for _ in range(5)]
            x = self.checkpointed(lambda p, *rest, i=i: layer(p, i, *rest))(p, x, memory, *more)
        return self.dropout(next(keys), self.rms_norm(p, f"{name}/norm", x))

    def loss(self, p, batch, key):
        keys = iter(jax.random.split(key, 10 * self.config["num_layers"] + 4))
        bias = mask_bias(batch["mask"])
        memory = self.stack(p, "encoder", keys, batch["ids"], bias)
        length = batch["inputs"].shape[1]
        causal = jnp.where(jnp.tril(jnp.ones((length, length), bool)), 0.0, -1e9)
        x = self.stack(p, "decoder", keys, batch["inputs"], causal, memory, bias)
        logits = (x * self.features**-0.5) @ p["words"].astype(jnp.bfloat16).T
        return mean_cross_entropy(logits, batch["labels"], batch["label_mask"])


MODELS = {"bert": Bert, "gpt2": Gpt2, "vit": Vit, "t5": T5}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("config", type=pathlib.Path)
    parser.add_argument("rows", type=int)
    parser.add_argument("length", type=int)
    parser.add_argument("topology")
    parser.add_argument("--remat", action="store_true")
    options = parser.parse_args()
    config = json.loads(options.config.read_text(encoding="utf-8"))
    model = MODELS[config["model_type"]](config, options.remat, options.rows, options.length)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(2e-5, weight_decay=0.01))

    def step(parameters, state, batch, key):
        loss, gradients = jax.value_and_grad(model.loss)(parameters, batch, key)
        updates, state = optimizer.update(gradients, state, parameters)
        return optax.apply_updates(parameters, updates), state, loss

    parameters = {name: jax.ShapeDtypeStruct(shape, jnp.float32) for name, shape in model.shapes.items()}
    state = jax.eval_shape(optimizer.init, parameters)
    key = jax.eval_shape(lambda: jax.random.key(0))
    topology = topologies.get_topology_desc(platform="tpu", topology_name=options.topology)
    sharding = SingleDeviceSharding(topology.devices[0])
    lowered = jax.jit(step, donate_argnums=(0, 1), in_shardings=sharding, out_shardings=sharding).lower(
        parameters, state, model.batch, key)  # fmt: skip
    begin = time.perf_counter()
    compiled = lowered.compile()
    seconds = time.perf_counter() - begin
    cost, memory = compiled.cost_analysis(), compiled.memory_analysis()
    print(json.dumps({"flops": cost["flops"], "bytes": cost["bytes accessed"], "temporaries": memory.temp_size_in_bytes,
                      "compile_seconds": seconds}))  # fmt: skip


if __name__ == "__main__":
    main()
