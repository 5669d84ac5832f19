"""A function of rows: the weights are those of a run on the rows that it returns."""

import json
import threading

import portatune
import toy
from portatune import _rows
from toy import MODEL, TRAIN, VALIDATION


def raw(row):
    """A row of a file whose task has other columns and names of classes."""
    return {"title": row["text"].title(), "body": "it was", "grade": int(row["label"] == toy.rows()[0]["label"])}


def prepared(row):
    """The row that the task reads."""
    return {"text": row["title"].lower() + " " + row["body"], "label": "good" if int(row["grade"]) else "bad"}


class Map(toy.InFolder):
    def setUp(self):
        super().setUp()
        self.train, self.validation = self.write("train", TRAIN), self.write("validation", VALIDATION)
        self.files = {"train": self.train, "validation": self.validation}
        self.in_memory = [[prepared(raw(row)) for row in toy.rows(path)] for path in (TRAIN, VALIDATION)]

    def write(self, name, path):
        file = self.folder / f"{name}.jsonl"
        file.write_text("".join(json.dumps(raw(row)) + "\n" for row in toy.rows(path)), encoding="utf-8")
        return file

    def expected(self, **options):
        return self.fit(self.in_memory[0], name="memory", validation=self.in_memory[1], **options)

    def test_fit_has_the_weights_of_the_rows_in_memory(self):
        threads = set()

        def noted(row):
            threads.add(threading.get_ident())
            return prepared(row)

        run = self.fit(self.train, validation=self.validation, map=noted)
        expected = self.expected()
        self.assertEqual(toy.weights(run.model), toy.weights(expected.model))
        self.assertEqual(run.metrics, expected.metrics)
        self.assertEqual(threads, {threading.get_ident()})
        self.assertEqual(run.evaluate(self.validation, map=prepared)["loss"],
                         expected.evaluate(self.in_memory[1])["loss"])
        self.assertEqual(run.predict(self.validation, map=prepared), expected.predict(self.in_memory[1]))

    def test_values_become_texts_as_in_memory(self):
        values = {"text": None, "label": True, "numbers": [1, 2.5], "bytes": b"\xff"}
        function = _rows.function_of_texts(lambda row: {**row, **values})
        self.assertEqual(function({"other": "a"}), {"other": "a", "text": "", "label": "true", "numbers": "[1, 2.5]",
                                                    "bytes": b"\xff"})

    def test_an_exception_names_the_row_and_is_the_cause(self):
        def failing(row):
            return prepared(row) if row["title"] != toy.rows()[4]["text"].title() else row["missing"]

        with self.assertRaises(portatune.DataError) as raised:
            self.fit(self.train, map=failing)
        self.assertEqual(raised.exception.where, f"{self.train}:5")
        self.assertIn("KeyError: 'missing'", raised.exception.given)
        self.assertIsInstance(raised.exception.__cause__, KeyError)
        with self.assertRaisesRegex(portatune.DataError, "it returned a value of type list; expected a dict"):
            self.fit(self.train, map=lambda row: [row])
        with self.assertRaisesRegex(portatune.DataError, "a column 'text'"):
            self.fit(self.train, map=lambda row: {"label": "good"})

    def test_rows_that_it_refuses_can_be_skipped(self):
        first = toy.rows()[0]["text"].title()

        def refusing(row):
            if row["title"] == first:
                raise ValueError("no")
            return prepared(row)

        run = self.fit(self.train, map=refusing, bad_rows="skip:100")
        self.assertLess(run.result["train_examples"], len(toy.rows()))

    def test_a_run_resumes_with_it_alone(self):
        class Stop(portatune.Callback):
            def on_step_end(self, args, state, control, **kwargs):
                control.should_training_stop = state.global_step == 3

        self.assertTrue(self.fit(self.train, validation=self.validation, map=prepared, callbacks=[Stop()]).stopped)
        with self.assertRaises(portatune.Error):
            self.fit(self.train, validation=self.validation, resume=True)
        run = self.fit(self.train, validation=self.validation, map=prepared, resume=True)
        self.assertEqual(toy.weights(run.model), toy.weights(self.expected().model))

    def test_a_trainer_has_it_in_its_loops_and_evaluations(self):
        trainer = portatune.Trainer(MODEL, output=self.folder / "looped", map=prepared, **self.files, **toy.OPTIONS)
        for batch in trainer.batches():
            trainer.step(batch)
        trainer.save(self.folder / "saved")
        expected = self.expected()
        self.assertEqual(toy.weights(self.folder / "saved"), toy.weights(expected.model))
        self.assertEqual(trainer.evaluate(), expected.metrics)
        self.assertEqual([row["label"] for row in trainer.predict(self.validation)],
                         [row["label"] for row in expected.predict(self.in_memory[1])])

    def test_a_sweep_and_folds_have_it(self):
        options = {**toy.OPTIONS, "learning_rate": None}
        swept = portatune.sweep(MODEL, output=self.folder / "swept", grid={"learning_rate": [1e-3]}, map=prepared,
                                **self.files, **options)
        self.assertAlmostEqual(swept["rows"][0]["mean"], self.expected().metrics["loss"], places=6)
        folds = portatune.cross_validate(MODEL, self.train, folds=2, output=self.folder / "folds", map=prepared,
                                         **toy.OPTIONS)
        self.assertEqual(len(folds["folds"]), 2)


if __name__ == "__main__":
    toy.main()
