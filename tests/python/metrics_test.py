"""compute_metrics: the arrays that it gets, and where its scores go."""

import pathlib
import unittest

import portatune
import toy
from toy import TRAIN, VALIDATION


class ComputeMetrics(toy.InFolder):
    def setUp(self):
        super().setUp()
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("NumPy is not installed")

    def test_the_arrays_have_all_rows_and_give_the_scores_of_the_task(self):
        shapes = []

        def compute_metrics(prediction):
            logits, labels = prediction
            shapes.append((logits.shape, labels.shape))
            return {"mine": (logits.argmax(-1) == labels).mean()}

        run = self.fit(validation=VALIDATION, per_device_eval_batch_size=5, compute_metrics=compute_metrics)
        count = len(toy.rows(VALIDATION))
        self.assertEqual(set(shapes), {((count, 2), (count,))})
        self.assertAlmostEqual(run.metrics["mine"], run.metrics["accuracy"])
        self.assertIn("eval_mine", run.history[-1])
        self.assertEqual(run.evaluate(VALIDATION, compute_metrics=compute_metrics)["mine"], run.metrics["mine"])

    def test_a_trainer_may_predict_before_it_evaluates(self):
        rows = [{"tokens": ["we", "saw", "the", "film"], "ner_tags": ["O", "O", "B-WORK", "I-WORK"]}] * 8
        trainer = portatune.Trainer(toy.MODEL, rows, rows, task="token-classification", output=self.folder / "tags",
                                    compute_metrics=lambda prediction: {"mine": prediction[0].shape[-1]},
                                    **toy.OPTIONS)
        self.assertEqual(len(trainer.predict(rows)), 8)
        self.assertEqual(trainer.evaluate()["mine"], 3)
        self.assertEqual(trainer.fit().metrics["mine"], 3)

    def test_a_score_of_its_own_chooses_the_best_model(self):
        run = self.fit(validation=VALIDATION, compute_metrics=lambda prediction: {"eval_count": len(prediction[1])},
                       metric_for_best_model="count", load_best_model_at_end=True)
        self.assertIn("best_step", run.result)

    def test_folds_and_sweeps_have_it_too(self):
        def compute_metrics(prediction):
            logits, labels = prediction
            return {"mine": (logits.argmax(-1) == labels).mean()}

        options = {**toy.OPTIONS, "compute_metrics": compute_metrics}
        folds = portatune.cross_validate(toy.MODEL, TRAIN, folds=2, output=self.folder / "folds", **options)
        self.assertEqual([fold["mine"] for fold in folds["folds"]], [fold["accuracy"] for fold in folds["folds"]])
        del options["learning_rate"]
        sweep = portatune.sweep(toy.MODEL, TRAIN, VALIDATION, output=self.folder / "sweep",
                                metric_for_best_model="mine", grid={"learning_rate": [1e-3, 1e-4]}, **options)
        self.assertIn("mine", str(sweep))

    def test_other_runs_do_not_have_it(self):
        self.fit(validation=VALIDATION, compute_metrics=lambda prediction: {"mine": 1.0})
        self.assertNotIn("mine", self.fit(train=TRAIN, validation=VALIDATION, name="other").metrics)

    def test_its_exceptions_end_the_run(self):
        def compute_metrics(prediction):
            raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            self.fit(validation=VALIDATION, compute_metrics=compute_metrics)

    def test_its_result_is_a_dict(self):
        with self.assertRaisesRegex(TypeError, "compute_metrics returned a value of type float; expected a dict"):
            self.fit(validation=VALIDATION, compute_metrics=lambda prediction: 0.5)

    def test_ctrl_c_during_it_leaves_a_checkpoint(self):
        calls = []

        def compute_metrics(prediction):
            calls.append(prediction)
            if len(calls) == 2:  # the first evaluation comes before the training
                raise KeyboardInterrupt
            return {}

        with self.assertRaises(KeyboardInterrupt) as caught:
            self.fit(validation=VALIDATION, eval_steps=2, compute_metrics=compute_metrics)
        self.assertTrue(pathlib.Path(caught.exception.checkpoint, "model.safetensors").exists())


if __name__ == "__main__":
    toy.main()
