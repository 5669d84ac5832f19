"""Writes tests/data/rope.json: the inverse frequencies and attention factors that transformers computes for each type
of rotary position embedding.

    python tests/oracle/models/make_rope_cases.py        (transformers 5.23.0, torch)
"""
import json
import pathlib

from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

HEAD = 16
LONG = {"short_factor": [1 + 0.05 * i for i in range(HEAD // 2)], "long_factor": [1 + 3.0 * i for i in range(HEAD // 2)]}
CASES = [  # rope_parameters, max_position_embeddings, seq
    ({"rope_type": "default", "rope_theta": 10000.0}, 128, 64),
    ({"rope_type": "default", "rope_theta": 500000.0}, 128, 64),
    ({"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0}, 128, 64),
    ({"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 2.0}, 128, 64),
    ({"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 2.0}, 128, 300),
    ({"rope_type": "yarn", "rope_theta": 10000.0, "factor": 8.0, "original_max_position_embeddings": 2048}, 16384, 64),
    ({"rope_type": "yarn", "rope_theta": 1000.0, "factor": 4.0, "original_max_position_embeddings": 64,
      "attention_factor": 0.7, "beta_fast": 16.0, "beta_slow": 2.0, "truncate": False}, 256, 64),
    ({"rope_type": "yarn", "rope_theta": 10000.0, "factor": 40.0, "original_max_position_embeddings": 4096,
      "mscale": 1.0, "mscale_all_dim": 0.5}, 163840, 64),
    ({"rope_type": "longrope", "rope_theta": 10000.0, "factor": 8.0, "original_max_position_embeddings": 32, **LONG}, 256, 32),
    ({"rope_type": "longrope", "rope_theta": 10000.0, "original_max_position_embeddings": 32, **LONG}, 256, 33),
    ({"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
      "original_max_position_embeddings": 8192}, 131072, 64),
    ({"rope_type": "llama3", "rope_theta": 100.0, "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
      "original_max_position_embeddings": 128}, 4096, 64),
]


def frequencies(rope, config, seq):
    if rope["rope_type"] == "default":
        return LlamaRotaryEmbedding.compute_default_rope_parameters(config)
    return ROPE_INIT_FUNCTIONS[rope["rope_type"]](config, "cpu", seq_len=seq)


def main():
    cases = []
    for rope, positions, seq in CASES:
        config = LlamaConfig(hidden_size=2 * HEAD, num_attention_heads=2, max_position_embeddings=positions,
                             rope_parameters=dict(rope))
        inverse, factor = frequencies(rope, config, seq)
        cases.append({"config": {"rope_parameters": rope}, "max_position_embeddings": positions, "seq": seq,
                      "head_size": HEAD, "inverse": inverse.tolist(), "attention_factor": float(factor)})
    target = pathlib.Path(__file__).parent.parent.parent / "data" / "rope.json"
    target.write_text(json.dumps({"cases": cases}, indent=1) + "\n")


main()
