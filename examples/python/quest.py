"""Rates questions and answers by 30 numbers, as in Kaggle's "Google QUEST Q&A Labeling": a task in Python.

    python3 quest.py MODEL TRAIN VALIDATION OUTPUT

One encoder reads both sides. The question head sees the question, the answer head the answer, the joint head both and
their product. The first two rate their own targets, the joint one all; a prediction is the mean of the two ratings of a
target. examples/qa_regression.cpp is the same task in C++, with the same weights after training, to the bit.
"""

import sys
from collections.abc import Mapping
from typing import Any

import numpy

import portatune
from portatune import nn, ops

QUESTION = ["question_asker_intent_understanding", "question_body_critical", "question_conversational",
            "question_expect_short_answer", "question_fact_seeking", "question_has_commonly_accepted_answer",
            "question_interestingness_others", "question_interestingness_self", "question_multi_intent",
            "question_not_really_a_question", "question_opinion_seeking", "question_type_choice",
            "question_type_compare", "question_type_consequence", "question_type_definition", "question_type_entity",
            "question_type_instructions", "question_type_procedure", "question_type_reason_explanation",
            "question_type_spelling", "question_well_written"]
ANSWER = ["answer_helpful", "answer_level_of_information", "answer_plausible", "answer_relevance",
          "answer_satisfaction", "answer_type_instructions", "answer_type_procedure",
          "answer_type_reason_explanation", "answer_well_written"]
TARGETS = QUESTION + ANSWER


def average_pool(x: portatune.Value, mask: portatune.Value) -> portatune.Value:
    """The mean over the tokens of a text. x [batch, length, hidden], mask [batch, length]"""
    weight = mask.astype("float32")[:, :, None]
    return (x.astype("float32") * weight).sum(1) / ops.maximum(weight.sum(1), 1)


class Quest(portatune.Task):
    inputs = {
        "question": portatune.Text(["question_title", "question_body"], separate=True, kind="question"),
        "answer": portatune.Text(["answer"], separate=True, kind="answer"),
        "targets": portatune.Numbers(TARGETS),
    }

    def __init__(self, dropout: float = 0.1) -> None:
        self.dropout = dropout

    def head(self, scope: portatune.Scope, x: portatune.Value, size: int) -> portatune.Value:
        """Dropout, context gating (Miech et al. 2017, arXiv:1706.06905) and a linear layer."""
        x = nn.dropout(scope, x, self.dropout)
        gated = ops.sigmoid(nn.linear(scope / "gate", x, x.shape[-1])) * x
        return nn.linear(scope / "classifier", gated, size)

    def forward(self, model: portatune.Model, batch: Mapping[str, Any]) -> portatune.Forward:
        texts = batch["question"], batch["answer"]
        question, answer = (average_pool(x, text.attention_mask) for x, text in zip(model.encode(*texts), texts))
        alone = ops.concatenate([self.head(model / "question_head", question, len(QUESTION)),
                                 self.head(model / "answer_head", answer, len(ANSWER))], axis=1)
        both = ops.concatenate([question, answer, question * answer], axis=1)
        joint = self.head(model / "joint_head", both, len(TARGETS))
        losses = (ops.sigmoid_cross_entropy(alone, batch["targets"])
                  + ops.sigmoid_cross_entropy(joint, batch["targets"])).mean(1) * 0.5
        return portatune.Forward(losses, {"ratings": (ops.sigmoid(alone) + ops.sigmoid(joint)) * 0.5})

    def metrics(self, outputs: Mapping[str, Any], labels: Mapping[str, Any]) -> dict[str, float]:
        columns = zip(outputs["ratings"].T, labels["targets"].T)
        correlations = [spearman(x, y) for x, y in columns if numpy.ptp(x) > 0 and numpy.ptp(y) > 0]
        return {"spearman": sum(correlations) / len(correlations)} if correlations else {}

    def predictions(self, outputs: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [dict(zip(TARGETS, row)) for row in outputs["ratings"]]

    def settings(self) -> dict[str, str]:
        return {"dropout": str(self.dropout)}


def spearman(x: Any, y: Any) -> float:
    """Spearman's rank correlation; equal values share the mean of their ranks."""
    def ranks(values: Any) -> Any:
        _, index, counts = numpy.unique(values, return_inverse=True, return_counts=True)
        return (numpy.cumsum(counts) - (counts - 1) / 2)[index]

    return float(numpy.corrcoef(ranks(x), ranks(y))[0, 1])


def main() -> None:
    model, train, validation, output = sys.argv[1:]
    run = portatune.fit(model, train, validation, task=Quest(), output=output, max_length=24, max_steps=30,
                        learning_rate=1e-2, per_device_train_batch_size=16)
    print(run.metrics)
    print(portatune.predict(output, validation, task=Quest())[0])


if __name__ == "__main__":
    main()
