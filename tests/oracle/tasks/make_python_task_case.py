"""tests/oracle/tasks/make_python_task_case.py: makes tests/data/python_tasks.json, gradients of the tasks of
examples/python.

The models are transformers' BertModel and ViTModel with heads written in torch. The weights of the heads of
sentence_pairs.py and photo_ratings.py are those of head_values(); tests/python/tasks_test.py sets the same. Of each
gradient the file has the norm and the first elements. Needs torch, transformers 5.23.0 and safetensors; the tests only read what it wrote.
"""

import csv
import json
import math
import pathlib
import sys

import torch
from safetensors.torch import load_file
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, gelu, layer_norm
from transformers import AutoTokenizer, BertModel, ViTModel

import make_quest_case as quest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
ROWS = [
    {"first": "is the film good", "second": "is it a good film", "relation": 0, "similarity": 0.9, "question": 1},
    {"first": "the play was bad", "second": "a bad play", "relation": 0, "similarity": 0.8, "question": 0},
    {"first": "the film was good", "second": "the play was bad", "relation": 1, "similarity": -0.5, "question": 0},
    {"first": "was the film bad", "second": "a lovely play", "relation": 1, "similarity": -0.7, "question": 1},
]
HEADS = {"relation.dense.weight": [8, 48], "relation.dense.bias": [8], "relation.norm.weight": [8],
         "relation.norm.bias": [8], "relation.classifier.weight": [2, 8], "relation.classifier.bias": [2],
         "question.weight": [16, 1]}

PHOTO_HEADS = {"subject.weight": [2, 24], "subject.bias": [2], "rating.mix": [3], "rating.norm.weight": [24],
               "rating.norm.bias": [24], "rating.weight": [1, 24], "rating.bias": [1]}
SUBJECTS, RATINGS = [0, 1, 1], [0.2, 0.9, 0.4]

# Ends of names in transformers' ViTModel, and those of the same parameters in a checkpoint.
VIT_NAMES = {"attention.q_proj": "attention.attention.query", "attention.k_proj": "attention.attention.key",
             "attention.v_proj": "attention.attention.value", "attention.o_proj": "attention.output.dense",
             "mlp.fc1": "intermediate.dense", "mlp.fc2": "output.dense"}


def head_values(shape):
    """sin(1), sin(2), ... divided by 4"""
    return torch.tensor([math.sin(i + 1) / 4 for i in range(math.prod(shape))]).reshape(shape)


def summary(loss, gradients):
    return {"loss": loss.item(), "gradients": {name: {"norm": gradient.norm().item(),
                                                      "first": gradient.flatten()[:6].tolist()}
                                               for name, gradient in gradients.items()}}


def gradients_of(loss, parameters):
    loss.backward()
    return summary(loss, {name: p.grad for name, p in parameters.items() if p.grad is not None})


def of_quest():
    folder = ROOT / "tests/data/quest/model"
    bert, tokenizer = BertModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    names = quest.target_names()
    weights = {name: value.requires_grad_() for name, value in load_file(folder / "model.safetensors").items()
               if "_head." in name}
    losses = []
    for row in list(csv.DictReader((ROOT / "tests/data/quest/rows.csv").open()))[:8]:
        question = quest.pooled(bert, quest.ids_of(tokenizer, ["question", row["question_title"], row["question_body"]]))
        answer = quest.pooled(bert, quest.ids_of(tokenizer, ["answer", row["answer"]]))
        alone = torch.cat([quest.head(weights, "question_head", question), quest.head(weights, "answer_head", answer)], 1)
        joint = quest.head(weights, "joint_head", torch.cat([question, answer, question * answer], 1))
        targets = torch.tensor([[float(row[name]) for name in names]])
        losses.append((binary_cross_entropy_with_logits(alone, targets)
                       + binary_cross_entropy_with_logits(joint, targets)) / 2)
    return gradients_of(torch.stack(losses).mean(), {**dict(bert.named_parameters()), **weights})


def of_sentence_pairs():
    folder = ROOT / "tests/data/tiny_bert"
    bert, tokenizer = BertModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    w = {name: head_values(shape).requires_grad_() for name, shape in HEADS.items()}

    def vectors(side):
        return bert(**tokenizer([row[side] for row in ROWS], padding=True, return_tensors="pt")).last_hidden_state[:, 0]

    def column(name):
        return torch.tensor([row[name] for row in ROWS])

    first, second = vectors("first"), vectors("second")
    both = torch.cat([first, second, (first - second).abs()], 1)
    hidden = gelu(both @ w["relation.dense.weight"].T + w["relation.dense.bias"])
    hidden = layer_norm(hidden, [8], w["relation.norm.weight"], w["relation.norm.bias"])
    relation = hidden @ w["relation.classifier.weight"].T + w["relation.classifier.bias"]
    cosine = torch.cosine_similarity(first, second)
    asks = (first @ w["question.weight"])[:, 0]
    loss = (cross_entropy(relation, column("relation"), reduction="none") + (cosine - column("similarity")) ** 2
            + 0.5 * binary_cross_entropy_with_logits(asks, column("question").float(), reduction="none")).mean()
    return gradients_of(loss, {**dict(bert.named_parameters()), **w})


def photo_pixels():
    """Pixels of three images, [3, 3, 12, 12]: sin(1), sin(2), ..."""
    return torch.tensor([math.sin(i + 1) for i in range(3 * 3 * 12 * 12)]).reshape(3, 3, 12, 12)


def in_checkpoint(name):
    for ours, theirs in VIT_NAMES.items():
        name = name.replace(ours, theirs)
    return name.replace("layers.", "encoder.layer.", 1)


def of_photo_ratings():
    vit = ViTModel.from_pretrained(ROOT / "tests/data/models/vit_softmax", add_pooling_layer=False).eval()
    w = {name: head_values(shape).requires_grad_() for name, shape in PHOTO_HEADS.items()}
    found = vit(photo_pixels(), output_hidden_states=True)
    subject = found.last_hidden_state[:, 0] @ w["subject.weight"].T + w["subject.bias"]
    mix = w["rating.mix"].softmax(0)
    mixed = sum(state[:, 1:].mean(1) * weight for state, weight in zip(found.hidden_states, mix))
    mixed = layer_norm(mixed, [24], w["rating.norm.weight"], w["rating.norm.bias"])
    rating = (mixed @ w["rating.weight"].T + w["rating.bias"])[:, 0]
    loss = (cross_entropy(subject, torch.tensor(SUBJECTS))
            + binary_cross_entropy_with_logits(rating, torch.tensor(RATINGS)))
    return gradients_of(loss, {**{in_checkpoint(name): p for name, p in vit.named_parameters()}, **w})


def main():
    cases = {"quest": of_quest(), "sentence_pairs": of_sentence_pairs(),
             "photo_ratings": of_photo_ratings()}
    (ROOT / "tests/data/python_tasks.json").write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
