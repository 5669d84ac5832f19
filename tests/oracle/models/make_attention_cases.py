#!/usr/bin/env python3
"""Writes tests/data/attention.json: results and gradients of torch's scaled dot-product attention with a bias.

    pip install torch==2.15.0
    python tests/oracle/models/make_attention_cases.py

Arrays are lists in row-major order: q, k, v, out and their gradients [batch, position, heads * HEAD_SIZE]. "after" is
the band's limit of keys after a query; torch gets it as a bias of -infinity.
"""
import json
import pathlib

import torch

HEAD_SIZE = 4
CASES = [  # batch, heads, kv_heads, query, kv, shape of the bias, after
    ("learned positions", 2, 4, 4, 3, 5, [1, 4, 3, 5], None),
    ("learned positions, causal with an offset", 2, 4, 4, 3, 5, [1, 4, 3, 5], 0),
    ("one query of grouped heads", 2, 4, 2, 1, 5, [1, 4, 1, 5], None),
    ("a bias for each query", 2, 2, 2, 3, 3, [1, 1, 3, 3], None),
    ("a bias for each head and key", 2, 2, 2, 4, 3, [2, 1, 3], None),
    ("a bias for each score", 2, 2, 2, 2, 3, [2, 2, 2, 3], None),
    ("a bias for each key", 2, 2, 2, 2, 3, [2, 1, 1, 3], None),
]


def by_head(x, heads):
    return x.view(*x.shape[:2], heads, HEAD_SIZE).transpose(1, 2)


def case(name, batch, heads, kv_heads, query, kv, bias_shape, after):
    sizes = {"q": [batch, query, heads * HEAD_SIZE], "k": [batch, kv, kv_heads * HEAD_SIZE],
             "v": [batch, kv, kv_heads * HEAD_SIZE], "bias": bias_shape}
    x = {name: torch.randn(shape, requires_grad=True) for name, shape in sizes.items()}
    mask = x["bias"]
    if after is not None:
        hidden = torch.ones(query, kv, dtype=torch.bool).triu(kv - query + after + 1)
        mask = mask.masked_fill(hidden, float("-inf"))
    out = torch.nn.functional.scaled_dot_product_attention(
        by_head(x["q"], heads), by_head(x["k"], kv_heads), by_head(x["v"], kv_heads),
        attn_mask=mask.expand(batch, heads, query, kv), enable_gqa=heads != kv_heads, scale=0.7)
    out = out.transpose(1, 2).reshape(batch, query, -1)
    dout = torch.randn(out.shape)
    (out * dout).sum().backward()
    arrays = {"dout": dout, "out": out.detach()}
    for key, value in x.items():
        arrays[key], arrays["d" + key] = value.detach(), value.grad
    arrays = {key: {"shape": list(value.shape), "values": value.flatten().tolist()} for key, value in arrays.items()}
    return {"name": name, "heads": heads, "kv_heads": kv_heads, "scale": 0.7, "after": after, "arrays": arrays}


def main():
    torch.manual_seed(5)
    torch.set_default_dtype(torch.float64)
    path = pathlib.Path(__file__).parent.parent.parent / "data" / "attention.json"
    text = json.dumps([case(*arguments) for arguments in CASES])
    rounded = json.loads(text, parse_float=lambda number: round(float(number), 7))
    path.write_text(json.dumps(rounded) + "\n")


if __name__ == "__main__":
    main()
