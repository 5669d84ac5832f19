"""Two texts and three losses: the relation of two sentences, their similarity, and whether the first is a question.

    python3 sentence_pairs.py

One encoder reads both sentences. The relation is a class, the similarity a number between -1 and 1, compared with the
cosine of the sentences' vectors, and the third loss is about one sentence alone.
"""

from collections.abc import Mapping
from typing import Any

import portatune
from portatune import nn, ops

RELATIONS = ["same", "other"]
ROWS: list[dict[str, Any]] = [
    {"first": "is the film good", "second": "is it a good film", "relation": "same", "similarity": 0.9, "question": 1},
    {"first": "the play was bad", "second": "a bad play", "relation": "same", "similarity": 0.8, "question": 0},
    {"first": "the film was good", "second": "the play was bad", "relation": "other", "similarity": -0.5,
     "question": 0},
    {"first": "was the film bad", "second": "a lovely play", "relation": "other", "similarity": -0.7, "question": 1},
]


class SentencePairs(portatune.Task):
    inputs = {
        "first": portatune.Text(["first"]),
        "second": portatune.Text(["second"]),
        "relation": portatune.Classes("relation", RELATIONS),
        "numbers": portatune.Numbers(["similarity", "question"]),
    }
    max_length = 16

    def forward(self, model: portatune.Model, batch: Mapping[str, Any]) -> portatune.Forward:
        first, second = (x[:, 0].astype("float32") for x in model.encode(batch["first"], batch["second"]))
        similarity, question = batch["numbers"][:, 0], batch["numbers"][:, 1]

        both = ops.concatenate([first, second, ops.abs(first - second)], axis=1)
        hidden = nn.layer_norm(model / "relation" / "norm", ops.gelu(nn.linear(model / "relation" / "dense", both, 8)))
        relation = nn.linear(model / "relation" / "classifier", hidden, len(RELATIONS))
        length = ops.sqrt((first * first).sum(-1)) * ops.sqrt((second * second).sum(-1))
        cosine = (first * second).sum(-1) / ops.maximum(length, 1e-6)
        asks = (first @ nn.parameter(model / "question", "weight", [model.hidden_size, 1]))[:, 0]

        losses = (ops.softmax_cross_entropy(relation, batch["relation"])
                  + (cosine - similarity) ** 2
                  + 0.5 * ops.sigmoid_cross_entropy(asks, question))
        return portatune.Forward(losses, {"scores": ops.softmax(relation), "cosine": cosine, "asks": asks})

    def metrics(self, outputs: Mapping[str, Any], labels: Mapping[str, Any]) -> dict[str, float]:
        similarity, question = labels["numbers"].T
        return {"accuracy": (outputs["scores"].argmax(-1) == labels["relation"]).mean(),
                "similarity_mse": ((outputs["cosine"] - similarity) ** 2).mean(),
                "question_accuracy": ((outputs["asks"] > 0) == question).mean()}

    def predictions(self, outputs: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [{"relation": RELATIONS[scores.argmax()], "similarity": cosine, "is_question": bool(asks > 0)}
                for scores, cosine, asks in zip(outputs["scores"], outputs["cosine"], outputs["asks"])]


def main(model: str) -> portatune.Trainer:
    trainer = portatune.Trainer(model, ROWS * 8, ROWS, task=SentencePairs(), num_train_epochs=40, learning_rate=5e-3,
                                per_device_train_batch_size=8, quiet=True)
    for batch in trainer.batches():
        step = trainer.step(batch)
        if step.step % 40 == 0:
            print(f"step {step.step} loss {step.loss:.3f}")
    print(trainer.evaluate())
    print(trainer.predict(ROWS)[0])
    return trainer


if __name__ == "__main__":
    main("tiny")
