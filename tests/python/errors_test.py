"""Errors: a class for each kind, with what was given, expected and advised, in words of Python."""

import copy
import errno
import pickle
import types
import unittest

import portatune
import toy
from portatune import _errors
from toy import MODEL, OPTIONS, TRAIN


class Errors(toy.InFolder):
    def test_an_unknown_keyword_suggests_the_nearest_one(self):
        with self.assertRaises(portatune.UsageError) as caught:
            self.fit(lerning_rate=1)
        self.assertIn("lerning_rate", caught.exception.given)
        self.assertIn("learning_rate", caught.exception.fix)
        self.assertNotIn("--", str(caught.exception).replace("--help", ""))

    def test_a_value_out_of_range_says_what_is_expected(self):
        with self.assertRaises(ValueError) as caught:
            self.fit(per_device_train_batch_size=0)
        self.assertIn("at least 1", caught.exception.expected + caught.exception.given)

    def test_a_missing_file_is_a_file_not_found_error(self):
        with self.assertRaises(FileNotFoundError) as caught:
            self.fit(self.folder / "none.csv")
        self.assertIsInstance(caught.exception, portatune.NotFoundError)
        self.assertIn("none.csv", str(caught.exception))

    def test_a_missing_file_with_a_space_in_its_path_is_no_text(self):
        for name in ("my data.csv", "my data/train", "my data/train.csv", "my data/*"):
            with self.subTest(name=name), self.assertRaises(portatune.NotFoundError) as caught:
                self.fit(name)
            self.assertNotIn("texts are no rows", str(caught.exception))
        given = _errors.NotFoundError("my data.csv", "my data.csv", "no such file", "local files or URLs")
        self.assertEqual(given.fix, "")

    def test_errors_can_be_copied_and_pickled(self):
        for kind in (portatune.Error, portatune.UsageError, portatune.NotFoundError, portatune.IoError):
            for fix in ("", "--lr"):
                error = kind("a film\n  given  --x 1", "a film", "--x 1", "local files or URLs", fix)
                for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):
                    self.assertIs(type(other), kind)
                    self.assertEqual((str(other), vars(other)), (str(error), vars(error)))
        full = portatune.IoError("a full disk")
        full.errno = errno.ENOSPC
        self.assertEqual(pickle.loads(pickle.dumps(full)).errno, errno.ENOSPC)

    def test_a_bad_row_names_file_and_line(self):
        (self.folder / "bad.csv").write_text("text,label\na,b,c\n")
        with self.assertRaises(portatune.DataError) as caught:
            self.fit(self.folder / "bad.csv")
        self.assertIn("bad.csv:2", caught.exception.where)

    def test_a_bad_row_in_memory_has_its_index(self):
        rows = [{"text": "a film", "label": "good"}, {"text": "another", "label": None}]
        for fit in (self.fit, lambda rows: portatune.Trainer(MODEL, rows, **OPTIONS)):
            with self.assertRaises(portatune.DataError) as caught:
                fit(rows)
            self.assertEqual(caught.exception.where, "train, row 1")
            self.assertTrue(str(caught.exception).startswith("train, row 1\n"))

    def test_advice_is_in_keywords(self):
        with self.assertRaises(portatune.DataError) as caught:
            self.fit([{"review": "a film", "label": "good"}])
        self.assertEqual(caught.exception.fix,
                         'if it has another name: text_column="NAME", or rename_columns="NAME=text"')
        self.assertIn(caught.exception.fix, str(caught.exception))

    def test_arguments_of_a_wrong_type_say_what_is_expected(self):
        for options, words in (({"train": 5}, "train\n.*type int.*expected +a path, a table"),
                               ({"train": ["a wonderful film"]}, 'fix +texts are no rows: {"text": ...'),
                               ({"validation": 100}, "validation_split 100"),
                               ({"train_dataset": TRAIN}, 'fix +train="FILE"'),
                               ({"tokenizer": object()}, "fix +the tokenizer of the model folder is used"),
                               ({"callbacks": portatune.Callback()}, r"type Callback.*fix +callbacks=\["),
                               ({"callbacks": ["early"]}, "type str without hooks.*such as on_step_end"),
                               ({"callbacks": [types.SimpleNamespace(on_gpu=True)]}, "SimpleNamespace without hooks"),
                               ({"map": "upper"}, "type str.*expected +a function of a row"),
                               ({"compute_metrics": "f1"}, "type str.*expected +a function of an EvalPrediction")):
            with self.subTest(options=options), self.assertRaisesRegex(portatune.Error, f"(?s){words}"):
                self.fit(**options)

    def test_an_output_that_is_no_path_is_refused(self):
        for output, words in ((5, r"output\n +given +a value of type int\n +expected +a path"),
                              ("~/tuned", r"output ~/tuned\n.*\n +fix +write the path in full")):
            with self.assertRaisesRegex(portatune.UsageError, words):
                portatune.fit(MODEL, TRAIN, output=output, **OPTIONS)

    def test_missing_arguments_say_what_they_are(self):
        for call, name, words in ((lambda: self.fit(None), "train", "a table"),
                                  (lambda: portatune.Trainer(MODEL, **OPTIONS), "train", "a table"),
                                  (lambda: portatune.fit(None, TRAIN), "model", "Hugging Face Hub"),
                                  (lambda: portatune.evaluate(MODEL, None), "data", "a list of dicts")):
            with self.assertRaises(portatune.UsageError) as caught:
                call()
            error = caught.exception
            self.assertEqual(error.given, f"no {name}")
            self.assertRegex(error.expected, f"^{name}: .*{words}")
            self.assertIn(f"expected  {error.expected}", str(error))
        with self.assertRaises(portatune.UsageError) as caught:
            portatune.predict(MODEL)
        self.assertEqual(caught.exception.expected, 'data="FILE", data="-" or text="TEXT"')

    def test_a_recipe_may_have_the_output(self):
        recipe = self.folder / "toy.yaml"
        recipe.write_text(f"output_dir: {self.folder / 'by_recipe'}\n")
        run = portatune.fit(MODEL, TRAIN, recipe=recipe, **OPTIONS)
        self.assertEqual(run.output, self.folder / "by_recipe")
        self.assertTrue((run.output / "model.safetensors").exists())
        trainer = portatune.Trainer(MODEL, TRAIN, recipe=recipe, **OPTIONS | {"overwrite_output": True})
        self.assertEqual(trainer.fit().output, run.output)
        recipe.write_text("seed: 1\n")
        self.assertNotEqual(portatune.fit(MODEL, TRAIN, recipe=recipe, **OPTIONS).output, run.output)

    def test_a_recipe_may_have_the_rows(self):
        recipe = self.folder / "toy.yaml"
        recipe.write_text(f"train: {TRAIN}\n")
        self.assertTrue(portatune.fit(MODEL, recipe=recipe, output=self.folder / "tuned", **OPTIONS).model.exists())

    def test_an_option_under_two_names_has_both_in_its_error(self):
        with self.assertRaises(portatune.UsageError) as caught:
            self.fit(lr=1e-4, learning_rate=1e-5)
        self.assertIn("as learning_rate, lr", caught.exception.given)
        self.assertEqual(caught.exception.fix, "see help(portatune.fit)")

    def test_an_output_of_another_origin_is_an_io_error(self):
        (self.folder / "tuned").write_text("a file")
        with self.assertRaisesRegex(portatune.IoError, "expected +a folder") as caught:
            self.fit()
        self.assertEqual(caught.exception.errno, 0)

    def test_options_of_the_command_alone_are_refused(self):
        for options in ({"folds": 3}, {"hang_timeout": 5}, {"print_config": True}):
            with self.subTest(options=options), self.assertRaises(portatune.UsageError):
                self.fit(**options)

    def test_other_functions_refuse_the_timeout_of_the_command(self):
        for call in (lambda: portatune.evaluate(MODEL, TRAIN, hang_timeout=5),
                     lambda: portatune.predict(MODEL, TRAIN, hang_timeout=5),
                     lambda: portatune.generate(MODEL, "good", hang_timeout=5)):
            with self.assertRaises(portatune.UsageError) as caught:
                call()
            self.assertIn("hang_timeout", str(caught.exception))

    def test_a_task_of_python_is_refused_by_functions_that_run_the_command(self):
        for call in (lambda: portatune.plan(MODEL, TRAIN, on="cpu", task=portatune.Task()),
                     lambda: portatune.parity(model=MODEL, task=portatune.Task())):
            with self.assertRaises(portatune.UsageError) as caught:
                call()
            self.assertEqual(caught.exception.given, "a Task of Python")
            self.assertIn("  expected  the name of a task of the command", str(caught.exception))

    def test_errors_of_the_command_keep_their_parts(self):
        with self.assertRaises(portatune.UsageError) as caught:
            portatune.plan(MODEL, TRAIN, on="tpu:v99", **OPTIONS)
        self.assertIn("v99", caught.exception.given)

    def test_a_message_may_be_of_another_program(self):
        lost = _errors.error_of("error while loading shared libraries: libz.so", 127)
        self.assertEqual(str(lost), "error while loading shared libraries: libz.so")
        self.assertEqual(str(_errors.error_of("", -9)), "portatune ended with exit code -9")
        denied = _errors.error_of("a remark\nportatune: open x\n  given     portatune: y\n", 77)
        self.assertIsInstance(denied, portatune.IoError)
        self.assertEqual((denied.where, denied.given), ("open x", "portatune: y"))


if __name__ == "__main__":
    toy.main()
