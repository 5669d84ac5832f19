"""tests/oracle/models/make_big_bird_blocks.py: makes tests/data/big_bird/blocks.json and tests/data/big_bird/old_plan.

Needs numpy, torch and transformers 5.23.0. blocks.json has

    permutations  numpy.random.permutation of 0, 1, ..., size - 1 after numpy.random.seed(seed)
    blocks        the blocks that the attention of transformers draws in training, [heads][blocks - 2][random blocks]

old_plan is a case of make_model_cases.py with a text of 1024 tokens, for which transformers has another plan of blocks.
"""

import json
import pathlib
import sys

import numpy as np
import transformers
from transformers.models.big_bird.modeling_big_bird import BigBirdBlockSparseAttention

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from make_reference import make_inputs, randomise, record  # noqa: E402

DATA = ROOT / "tests" / "data" / "big_bird"

PERMUTATIONS = [(seed, size) for seed in (0, 1, 11, 4_000_000_000) for size in (1, 2, 3, 17, 64)]

# heads, length, block_size, num_random_blocks, max_position_embeddings, seed
BLOCKS = [
    (3, 768, 64, 3, 4096, 0),
    (2, 1088, 64, 3, 4096, 5),
    (2, 2048, 64, 3, 4096, 11),
    (4, 40, 4, 2, 44, 1),
    (1, 96, 8, 1, 96, 2),
    (3, 1024, 64, 3, 4096, 0),
    (2, 1024, 64, 3, 1024, 7),
    (1, 1024, 32, 2, 2048, 3),
    (1, 3072, 64, 3, 4096, 4),
    (2, 4096, 64, 3, 4096, 11),
    (1, 4096, 128, 2, 4096, 6),
]


def permutation(seed, size):
    np.random.seed(seed)
    return np.random.permutation(np.arange(size, dtype=np.int32)).tolist()


def blocks(heads, length, block_size, num_random_blocks, max_positions, seed):
    """The part of bigbird_block_sparse_attention() that draws the blocks."""
    config = transformers.BigBirdConfig(
        hidden_size=heads,
        num_attention_heads=heads,
        block_size=block_size,
        num_random_blocks=num_random_blocks,
        max_position_embeddings=max_positions,
    )
    attention = BigBirdBlockSparseAttention(config, seed).train()
    np.random.seed(seed)
    sizes = (block_size, block_size)
    if length in (1024, 3072, 4096):
        drawn = [
            attention._bigbird_block_rand_mask(max_positions, max_positions, *sizes, num_random_blocks, last_idx=1024)
            for _ in range(heads)
        ]
        drawn = [of_head[: length // block_size - 2] for of_head in drawn]
    else:
        plan = attention._get_rand_attn_plan(length, block_size, num_random_blocks)
        drawn = attention._bigbird_block_rand_mask_with_head(length, length, *sizes, heads, *plan)
    return np.stack(drawn).tolist()


def old_plan():
    config = transformers.BigBirdConfig(
        hidden_size=8,
        num_attention_heads=2,
        intermediate_size=8,
        num_hidden_layers=1,
        vocab_size=20,
        max_position_embeddings=1024,
        block_size=32,
        num_random_blocks=3,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        pad_token_id=0,
        sep_token_id=19,
        num_labels=3,
        problem_type="single_label_classification",
    )
    model = transformers.BigBirdForSequenceClassification(config)
    randomise(model, 57, scale=0.8)
    inputs = make_inputs(model, (1024,), 57)
    record(model, inputs, DATA / "old_plan", seed=57, note="length 1024, in training mode", steps=5, training=True)


def main():
    DATA.mkdir(exist_ok=True)
    names = ("heads", "length", "block_size", "num_random_blocks", "max_position_embeddings", "seed")
    golden = {
        "permutations": [{"seed": seed, "order": permutation(seed, size)} for seed, size in PERMUTATIONS],
        "blocks": [dict(zip(names, case)) | {"blocks": blocks(*case)} for case in BLOCKS],
    }
    (DATA / "blocks.json").write_text(json.dumps(golden) + "\n")
    old_plan()


if __name__ == "__main__":
    main()
