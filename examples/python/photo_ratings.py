"""Two heads on an image model: the subject of a photo, and how many people like it.

    python3 photo_ratings.py MODEL TRAIN VALIDATION OUTPUT

TRAIN and VALIDATION are tables with the columns image (paths), subject and rating (0 to 1). The head of the subject
reads the vector of the whole image, the head of the rating a learned mix of all layers, averaged over the patches.
"""

import sys
from collections.abc import Mapping
from typing import Any

import portatune
from portatune import nn, ops

SUBJECTS = ["people", "places"]


class PhotoRatings(portatune.Task):
    inputs = {
        "photo": portatune.Image("image"),
        "subject": portatune.Classes("subject", SUBJECTS),
        "rating": portatune.Numbers(["rating"]),
    }

    def forward(self, model: portatune.Model, batch: Mapping[str, Any]) -> portatune.Forward:
        whole = model.encode(batch["photo"])[:, 0].astype("float32")
        subject = nn.linear(model / "subject", whole, len(SUBJECTS))

        states = model.hidden_states(batch["photo"])  # of the embeddings and of each layer; they are computed once
        mix = ops.softmax(nn.parameter(model / "rating", "mix", [len(states)], init="zeros"))
        patches = [state[:, 1:].astype("float32").mean(1) for state in states]
        mixed = patches[0] * mix[0]
        for i in range(1, len(states)):
            mixed = mixed + patches[i] * mix[i]
        rating = nn.linear(model / "rating", nn.layer_norm(model / "rating" / "norm", mixed), 1)[:, 0]

        losses = (ops.softmax_cross_entropy(subject, batch["subject"])
                  + ops.sigmoid_cross_entropy(rating, batch["rating"][:, 0]))
        return portatune.Forward(losses, {"scores": ops.softmax(subject), "rating": ops.sigmoid(rating)})

    def metrics(self, outputs: Mapping[str, Any], labels: Mapping[str, Any]) -> dict[str, float]:
        return {"accuracy": (outputs["scores"].argmax(-1) == labels["subject"]).mean(),
                "rating_mae": abs(outputs["rating"] - labels["rating"][:, 0]).mean()}

    def predictions(self, outputs: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [{"subject": SUBJECTS[scores.argmax()], "rating": rating}
                for scores, rating in zip(outputs["scores"], outputs["rating"])]


def main() -> None:
    model, train, validation, output = sys.argv[1:]
    run = portatune.fit(model, train, validation, task=PhotoRatings(), output=output, num_train_epochs=30,
                        learning_rate=1e-2, per_device_train_batch_size=4, no_random_crop=True)
    print(run.metrics)
    print(portatune.predict(output, validation, task=PhotoRatings())[0])


if __name__ == "__main__":
    main()
