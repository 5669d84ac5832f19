"""Tasks of one's own: the examples against torch and against the task in C++, operations against NumPy."""

import importlib.util
import json
import math
import pathlib
import sys
import unittest

import portatune
import toy
from cells import page_data
from portatune import nn, ops
from toy import DATA, MODEL

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed", file=sys.stderr)
    sys.exit(toy.SKIPPED)

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
QUEST = DATA / "quest"
EXPECTED = json.loads((DATA / "python_tasks.json").read_text())  # by torch: tests/oracle/tasks/make_python_task_case.py


def example(name):
    """Imports an example."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class InFolder(toy.InFolder):
    def without_dropout(self, model):
        return toy.without_dropout(model, self.folder / "without_dropout")

    def assert_gradients(self, found, expected):
        self.assertAlmostEqual(found.loss, expected["loss"], places=5)
        found_arrays = {name.removeprefix("bert.").removeprefix("vit."): array for name, array in found.items()}
        self.assertEqual(set(found_arrays), set(expected["gradients"]))
        for name, gradient in expected["gradients"].items():
            self.assertAlmostEqual(numpy.linalg.norm(found_arrays[name]), gradient["norm"], delta=1e-5, msg=name)
            numpy.testing.assert_allclose(found_arrays[name].ravel()[:6], gradient["first"], atol=1e-6, err_msg=name)


class Quest(InFolder):
    options = {"max_length": 24, "max_steps": 6, "learning_rate": 1e-2, "per_device_train_batch_size": 8, "quiet": True}

    def task(self, **options):
        return example("quest").Quest(**options)

    def test_training_gives_the_bits_of_the_task_in_cpp(self):
        run = portatune.fit(MODEL, QUEST / "train.csv", QUEST / "rows.csv", task=self.task(),
                            output=self.folder / "python", **self.options)
        result = json.loads(toy.command(
            "fit", "--task", "qa-regression", "--model", MODEL, "--train", QUEST / "train.csv", "--validation",
            QUEST / "rows.csv", "--max-length", 24, "--max-steps", 6, "--learning-rate", 1e-2, "--batch-size", 8,
            "--output", self.folder / "cpp", "--quiet", "--json"))
        self.assertEqual(toy.weights(run.model), toy.weights(self.folder / "cpp"))
        for name in ("loss", "spearman"):
            self.assertAlmostEqual(run.metrics[name], result["after"][name], places=6)

    def test_predictions_and_scores_are_those_of_torch(self):
        expected = json.loads((QUEST / "expected.json").read_text())
        rows = portatune.predict(QUEST / "model", QUEST / "rows.csv", task=self.task(), max_length=24, quiet=True)
        for row, ratings in zip(rows, expected["ratings"], strict=True):
            self.assertLess(max(abs(row[name] - rating) for name, rating in ratings.items()), 2e-6)
        scores = portatune.evaluate(QUEST / "model", QUEST / "rows.csv", task=self.task(), max_length=24, quiet=True)
        self.assertAlmostEqual(scores["spearman"], expected["spearman"], places=5)

    def test_gradients_are_those_of_torch(self):
        rows = toy.rows(QUEST / "rows.csv")[:8]
        trainer = portatune.Trainer(self.without_dropout(QUEST / "model"), rows, task=self.task(dropout=0),
                                    **self.options)
        self.assert_gradients(trainer.gradients(next(trainer.batches())), EXPECTED["quest"])

    def test_resuming_with_another_setting_is_refused(self):
        options = {**self.options, "output": self.folder / "run", "save_strategy": "steps", "save_steps": 3}
        portatune.fit(MODEL, QUEST / "train.csv", task=self.task(), **options)
        options["max_steps"] = 9
        with self.assertRaisesRegex(portatune.UsageError, "dropout"):
            portatune.fit(MODEL, QUEST / "train.csv", task=self.task(dropout=0.5), resume=True, **options)


class SentencePairs(InFolder):
    HEADS = {"relation.dense.weight": [8, 48], "relation.dense.bias": [8], "relation.norm.weight": [8],
             "relation.norm.bias": [8], "relation.classifier.weight": [2, 8], "relation.classifier.bias": [2],
             "question.weight": [16, 1]}

    def test_gradients_of_its_three_losses_are_those_of_torch(self):
        module = example("sentence_pairs")
        trainer = portatune.Trainer(self.without_dropout(MODEL), module.ROWS, task=module.SentencePairs(),
                                    per_device_train_batch_size=4, quiet=True)
        for name, shape in self.HEADS.items():
            values = [math.sin(i + 1) / 4 for i in range(math.prod(shape))]
            trainer.weights[name] = numpy.reshape(values, shape)
        self.assert_gradients(trainer.gradients(next(trainer.batches())), EXPECTED["sentence_pairs"])

    def test_it_learns(self):
        trainer = example("sentence_pairs").main(MODEL)
        scores = trainer.evaluate()
        self.assertEqual(scores["accuracy"], 1)
        self.assertLess(scores["similarity_mse"], 0.1)
        row = trainer.predict([{"first": "is the film good", "second": "is it a good film"}])[0]
        self.assertEqual((row["relation"], row["is_question"]), ("same", True))

    def test_labels_outside_the_classes_name_the_row(self):
        module = example("sentence_pairs")
        rows = [*module.ROWS, {**module.ROWS[0], "relation": "unheard of"}]
        with self.assertRaisesRegex(portatune.DataError, "unheard of"):
            portatune.fit(MODEL, rows, task=module.SentencePairs(), quiet=True)


class PhotoRatings(InFolder):
    HEADS = {"subject.weight": [2, 24], "subject.bias": [2], "rating.mix": [3], "rating.norm.weight": [24],
             "rating.norm.bias": [24], "rating.weight": [1, 24], "rating.bias": [1]}
    options = {"no_random_crop": True, "no_flip": True, "per_device_train_batch_size": 3, "quiet": True}

    def setUp(self):
        super().setUp()
        page_data.image_model(self.folder / "vit")
        page_data.photos(self.folder / "photos")
        self.rows = [{"image": str(self.folder / "photos" / str(i % 2) / f"{i}.png"),
                      "subject": ("people", "places")[i % 2], "rating": (0.1, 0.9)[i % 2]} for i in range(8)]
        self.task = example("photo_ratings").PhotoRatings()

    def trainer(self, **options):
        return portatune.Trainer(self.folder / "vit", self.rows, self.rows, task=self.task,
                                 **{**self.options, **options})

    def test_gradients_of_its_heads_and_of_the_body_are_those_of_torch(self):
        trainer = self.trainer()
        for name, shape in self.HEADS.items():
            trainer.weights[name] = sines(shape) / 4
        batch = {"pixel_values": sines([3, 3, 12, 12]), "subject": [0, 1, 1], "rating": [[0.2], [0.9], [0.4]]}
        self.assert_gradients(trainer.gradients(batch), EXPECTED["photo_ratings"])

    def test_it_learns_and_its_saved_model_predicts(self):
        run = portatune.fit(self.folder / "vit", self.rows, self.rows, task=self.task, num_train_epochs=20,
                            learning_rate=1e-2, output=self.folder / "rated", **self.options)
        self.assertEqual(run.metrics["accuracy"], 1)
        self.assertLess(run.metrics["rating_mae"], 0.1)
        predicted = portatune.predict(self.folder / "rated", self.rows, task=self.task, quiet=True)
        self.assertEqual([row["subject"] for row in predicted], [row["subject"] for row in self.rows])
        scores = portatune.evaluate(self.folder / "rated", self.rows, task=self.task, quiet=True)
        self.assertAlmostEqual(scores["rating_mae"], run.metrics["rating_mae"], places=6)

    def test_a_resumed_run_gives_the_same_bits(self):
        options = {**self.options, "num_train_epochs": 4, "learning_rate": 1e-2, "no_flip": False}
        whole = portatune.fit(self.folder / "vit", self.rows, task=self.task, output=self.folder / "whole", **options)
        trainer = self.trainer(**{**options, "output": self.folder / "parts"})
        for batch in trainer.batches():
            if trainer.step(batch).step == 5:
                break
        trainer.save_checkpoint(self.folder / "checkpoint")
        trainer.resume(self.folder / "checkpoint")
        self.assertEqual(toy.weights(trainer.fit().model), toy.weights(whole.model))

    def test_folders_of_images_are_classes(self):
        class Folders(portatune.Task):
            inputs = {"photo": portatune.Image(), "kind": portatune.Classes("label", ["0", "1"])}

            def forward(self, model, batch):
                logits = nn.linear(model / "kind", model.encode(batch["photo"])[:, 0].astype("float32"), 2)
                return portatune.Forward(ops.softmax_cross_entropy(logits, batch["kind"]), {"logits": logits})

            def metrics(self, outputs, labels):
                return {"accuracy": (outputs["logits"].argmax(-1) == labels["kind"]).mean()}

        run = portatune.fit(self.folder / "vit", self.folder / "photos", self.folder / "photos", task=Folders(),
                            num_train_epochs=10, learning_rate=1e-2, output=self.folder / "tuned", **self.options)
        self.assertEqual(run.metrics["accuracy"], 1)

    def test_texts_and_images_do_not_mix(self):
        class Both(portatune.Task):
            inputs = {"photo": portatune.Image(), "text": portatune.Text(["text"])}

        with self.assertRaisesRegex(TypeError, "a Text or more, or one Image"):
            portatune.Trainer(self.folder / "vit", self.rows, task=Both(), quiet=True)

    def test_a_text_model_for_images_is_an_error(self):
        with self.assertRaisesRegex(portatune.CheckpointError, "image"):
            portatune.Trainer(MODEL, self.rows, task=self.task, quiet=True)


def sines(shape):
    """sin(1), sin(2), ... as the oracle has them"""
    return numpy.sin(numpy.arange(1, math.prod(shape) + 1)).reshape(shape)


class Numbers(portatune.Task):
    """Applies functions to numbers; its predictions are the results."""

    inputs = {"text": portatune.Text(["text"]), "x": portatune.Numbers(["a", "b", "c", "d"])}
    max_length = 16

    def __init__(self, functions):
        self.functions = functions

    def forward(self, model, batch):
        x = batch["x"]
        anchor = nn.linear(model / "score", model.encode(batch["text"])[:, 0].astype("float32"), 1)[:, 0]
        return anchor ** 2, {name: function(x) + x.sum(-1).reshape([-1, *[1] * (function(x).ndim - 1)]) * 0
                             for name, function in self.functions.items()}

    def metrics(self, outputs, labels):
        self.found, self.given = outputs, labels["x"]
        return {}


class HiddenStates(InFolder):
    def test_they_are_those_of_each_layer_and_end_with_the_encoded_text(self):
        class States(Numbers):
            def forward(self, model, batch):
                states = model.hidden_states(batch["text"])
                self.layers = len(states)
                last = nn.linear(model / "score", model.encode(batch["text"])[:, 0].astype("float32"), 1)[:, 0]
                return last ** 2, {"same": model.encode(batch["text"])[:, 0] - states[-1][:, 0],
                                   "other": states[0][:, 0] - states[-1][:, 0]}

        task = States({})
        portatune.Trainer(MODEL, ROWS, ROWS, task=task, quiet=True).evaluate()
        config = json.loads((MODEL / "config.json").read_text())
        self.assertEqual(task.layers, config["num_hidden_layers"] + 1)
        self.assertEqual(abs(task.found["same"]).max(), 0)
        self.assertGreater(abs(task.found["other"]).max(), 0)


class Operations(toy.InFolder):
    # name -> (operation, the same with NumPy)
    CASES = {
        "add": lambda m, x: x + 1,
        "reversed": lambda m, x: 2 - x,
        "divide": lambda m, x: 1 / (x * x + 1),
        "power": lambda m, x: x ** 2,
        "maximum": lambda m, x: m.maximum(x, 0.5),
        "minimum": lambda m, x: m.minimum(x, x * x),
        "exp": lambda m, x: m.exp(x),
        "tanh": lambda m, x: m.tanh(x),
        "abs": lambda m, x: m.abs(-x),
        "log": lambda m, x: m.log(m.abs(x) + 1),
        "sqrt": lambda m, x: m.sqrt(m.abs(x)),
        "sum": lambda m, x: x.sum(-1),
        "mean": lambda m, x: x.mean(1, keepdims=True),
        "max": lambda m, x: x.max(1),
        "reshape": lambda m, x: x.reshape([-1, 2, 2]),
        "transpose": lambda m, x: x.reshape([-1, 2, 2]).transpose([0, 2, 1]),
        "item": lambda m, x: x[:, -1],
        "slice": lambda m, x: x[:, 1:-1],
        "axis": lambda m, x: x[:, None, 1:] * x[..., None, :1],
        "concatenate": lambda m, x: m.concatenate([x, x[:, :1]], 1),
        "where": lambda m, x: m.where(x > 0, x, 0 * x - 1),
        "compare": lambda m, x: (x <= 0.5).astype("float32"),
        "equal": lambda m, x: m.equal(x, x).astype("float32"),
        "equal to": lambda m, x: (x == x).astype("float32") + 2 * (x.astype("int32") == 1).astype("float32"),
        "unequal": lambda m, x: (x.astype("int32") != 0.0).astype("float32"),
        "matmul": lambda m, x: x.reshape([-1, 2, 2]) @ x.reshape([-1, 2, 2]),
        "product": lambda m, x: x @ CONSTANT(m),
        "argmax": lambda m, x: m.argmax(x, -1).astype("float32"),
        "integers": lambda m, x: (x.astype("int32") + 1).astype("float32") / 2,
        "mixed": lambda m, x: x.astype("int32") * x,
        "half": lambda m, x: x.astype("int32") * 0.5,
        "count": lambda m, x: (x > 0).sum(-1).astype("float32"),
        "share": lambda m, x: (x > 0).mean(-1),
        "twice": lambda m, x: ((x > 0) * 2).astype("float32"),
        "others": lambda m, x: (1 - (x > 0)).astype("float32"),
        "mean of integers": lambda m, x: x.astype("int32").mean(-1),
    }

    def test_they_are_those_of_numpy(self):
        class Numpy:
            def __getattr__(self, name):
                return {"equal": numpy.equal, "constant": numpy.asarray}.get(name) or getattr(numpy, name)

        task = Numbers({name: (lambda x, case=case: case(ops, x)) for name, case in self.CASES.items()})
        random = numpy.random.default_rng(1)
        rows = [{"text": "a film", **dict(zip("abcd", map(float, random.normal(size=4) * 2)))} for _ in range(5)]
        portatune.Trainer(MODEL, rows, rows, task=task, quiet=True).evaluate()
        self.assertEqual(task.given.shape, (5, 4))
        for name, case in self.CASES.items():
            x = numpy.array(task.given)
            expected = case(Numpy(), _Array.of(x))
            numpy.testing.assert_allclose(task.found[name], expected, rtol=2e-5, atol=2e-5, err_msg=name)

    def test_an_exception_of_forward_arrives_unchanged(self):
        def fail(x):
            raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            portatune.Trainer(MODEL, ROWS, task=Numbers({"x": fail}), quiet=True)

    def test_a_value_has_no_truth_value_and_is_none_for_numpy(self):
        def traps(x):
            with self.assertRaisesRegex(TypeError, r"truth value of bool\[1, 4\] is unknown.*ops\.where"):
                bool(x > 0)
            with self.assertRaisesRegex(TypeError, r"truth value of bool\[1, 4\]"):
                assert x == 1
            with self.assertRaises(TypeError):
                x == None  # noqa: B015, E711
            with self.assertRaisesRegex(TypeError, "does not support ufuncs"):
                numpy.exp(x)
            with self.assertRaises(TypeError):
                numpy.ones(4) * x
            self.assertEqual([(factor * x).dtype for factor in (numpy.float32(2), numpy.float64(2), numpy.int64(2))],
                             ["float32"] * 3)
            return x

        portatune.Trainer(MODEL, ROWS, task=Numbers({"x": traps}), quiet=True)

    def test_forward_returns_a_forward(self):
        for result, kind in ((lambda x: None, "None"), (lambda x: x, "type Value"), (lambda x: (x, x), "type tuple")):
            class Wrong(Numbers):
                def forward(self, model, batch):
                    return result(batch["x"][:, 0])  # noqa: B023  (called at once)

            with self.assertRaisesRegex(portatune.UsageError, rf"Wrong\.forward\(\)\n.*{kind}\n.*portatune.Forward"):
                portatune.Trainer(MODEL, ROWS, task=Wrong({}), quiet=True)

    def test_a_class_is_no_task(self):
        with self.assertRaisesRegex(portatune.UsageError, r"the class Numbers\n.*\n +fix +task=Numbers\(\)"):
            portatune.Trainer(MODEL, ROWS, task=Numbers, quiet=True)

    def test_losses_of_a_wrong_shape_are_refused(self):
        class Mean(Numbers):
            def forward(self, model, batch):
                return batch["x"].mean(), {}

        with self.assertRaisesRegex(portatune.ShapeError, "a loss for each row"):
            portatune.Trainer(MODEL, ROWS, task=Mean({}), quiet=True)

    def test_operands_that_do_not_fit_are_a_shape_error_at_their_line(self):
        def product(x):
            with self.assertRaisesRegex(portatune.ShapeError, "matmul"):
                x.astype("int32") @ x.astype("int32")[0]
            return x

        portatune.Trainer(MODEL, ROWS, task=Numbers({"x": product}), quiet=True)

    def test_a_name_of_the_library_is_refused(self):
        class Other(Numbers):
            name = "text-classification"

        with self.assertRaisesRegex(portatune.UsageError, "text-classification"):
            portatune.Trainer(MODEL, ROWS, task=Other({}), quiet=True)


ROWS = [{"text": "a film", "a": 1, "b": 2, "c": 3, "d": 4}]


def CONSTANT(m):
    return m.constant(numpy.arange(8, dtype=numpy.float32).reshape(4, 2) / 8)


class _Array(numpy.ndarray):
    """NumPy's array with the argument lists of Value."""

    @classmethod
    def of(cls, array):
        return array.view(cls)

    def reshape(self, shape):
        return super().reshape(shape)

    def transpose(self, axes):
        return super().transpose(axes)


if __name__ == "__main__":
    toy.main()
