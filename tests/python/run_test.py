"""fit, evaluate, predict, sweep and plan: the results of the command, to the bit."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

import portatune
import toy
from toy import DATA, MODEL, OPTIONS, TRAIN, VALIDATION


class Fit(toy.InFolder):
    def test_the_weights_equal_those_of_the_command(self):
        run = self.fit(validation=VALIDATION)
        toy.command("fit", "--model", MODEL, "--train", TRAIN, "--validation", VALIDATION, "--max-length", 16,
                    "--batch-size", 4, "--max-steps", 6, "--learning-rate", 1e-3, "--output", self.folder / "command")
        self.assertEqual(toy.weights(run.model), toy.weights(self.folder / "command"))
        self.assertEqual(run.result["steps"], 6)

    def test_the_run_has_scores_and_history(self):
        run = self.fit(validation=VALIDATION, logging_steps=3)
        self.assertEqual(set(run.metrics) & {"loss", "accuracy"}, {"loss", "accuracy"})
        self.assertEqual([record["step"] for record in run.history if "learning_rate" in record], [3, 6])
        self.assertAlmostEqual(run.history[-1]["eval_loss"], run.metrics["loss"], places=5)
        self.assertEqual(run.evaluate(VALIDATION)["accuracy"], run.metrics["accuracy"])
        self.assertTrue(run.report()._repr_html_().startswith("<iframe srcdoc="))
        self.assertEqual(run.report().save(self.folder / "page.html").read_text(), run.report())

    def test_saving_fills_a_new_or_an_empty_folder(self):
        run = self.fit()
        (self.folder / "empty").mkdir()
        for name in ("new/copy", "empty"):
            self.assertEqual(toy.weights(run.save(self.folder / name)), toy.weights(run.model))
        with self.assertRaisesRegex(portatune.UsageError, "empty, which is not empty"):
            run.save(self.folder / "empty")
        (run.model / "dangling").symlink_to("/absent")  # copying fails
        with self.assertRaises(shutil.Error):
            run.save(self.folder / "failed")
        self.assertFalse(list(self.folder.glob("*failed*")))

    def test_without_output_the_model_lives_as_long_as_the_run(self):
        run = portatune.fit(MODEL, TRAIN, validation=0.25, **OPTIONS)
        self.assertTrue((run.model / "config.json").exists())
        self.assertIn("accuracy", run.metrics)
        folder = run.model
        del run
        self.assertFalse(folder.exists())

    def test_resume_continues_a_run(self):
        self.fit(max_steps=3, name="parts", keep_checkpoints=1, save_strategy="steps", save_steps=3)
        run = self.fit(name="parts", resume=True)
        self.assertEqual(run.result["steps"], 6)

    def test_true_is_the_newest_checkpoint(self):
        self.fit(max_steps=3, name="parts", keep_checkpoints=1, save_strategy="steps", save_steps=3)
        run = self.fit(name="parts", resume_from_checkpoint=True)
        self.assertEqual(run.result["steps"], 6)

    def test_resume_needs_an_output(self):
        for option in ("resume", "resume_from_checkpoint"):
            for train in (portatune.fit, portatune.Trainer):
                with self.assertRaisesRegex(portatune.UsageError, 'no output\n.*\n +fix +output="FOLDER"'):
                    train(toy.MODEL, toy.TRAIN, **{option: True, **toy.OPTIONS})

    def test_integers_may_be_floats(self):
        self.assertEqual(self.fit(num_train_epochs=1.0, max_steps=None).result["steps"], 12)

    def test_false_and_none_are_the_defaults_of_options(self):
        self.assertEqual(self.fit(overwrite_output=False, task=None, seed=None).result["steps"], 6)


class Interrupt(toy.InFolder):
    SCRIPT = """
import signal, sys, portatune
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background inherits that it is ignored
try:
    portatune.fit(*sys.argv[1:3], output=sys.argv[3], num_train_epochs=100000, max_length=16)
except KeyboardInterrupt as interrupt:
    print(interrupt.checkpoint)
    print(interrupt)
"""

    def test_it_saves_a_checkpoint_and_names_it(self):
        process = subprocess.Popen([sys.executable, "-c", self.SCRIPT, MODEL, TRAIN, self.folder / "out"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        next(line for line in process.stderr if line.startswith("epoch"))
        process.send_signal(signal.SIGINT)
        checkpoint, message = process.communicate(timeout=60)[0].splitlines()
        self.assertTrue((pathlib.Path(checkpoint) / "model.safetensors").exists(), checkpoint)
        self.assertEqual(message, f'saved {checkpoint}; the same call with output="{self.folder / "out"}" and '
                                  "resume=True continues")


class CrossValidate(toy.InFolder):
    def test_it_measures_each_row_once(self):
        result = portatune.cross_validate(MODEL, TRAIN, folds=2, output=self.folder / "folds", **OPTIONS)
        self.assertEqual(len(result["folds"]), 2)
        self.assertIn("accuracy", result["out_of_fold"])


class Predict(toy.InFolder):
    def test_it_returns_the_lines_of_the_command(self):
        run = self.fit()
        lines = toy.command("predict", "--model", run.model, "--data", VALIDATION).splitlines()
        self.assertEqual(run.predict(VALIDATION), list(map(json.loads, lines)))
        self.assertIn("label", run.predict(text=["the film was good"])[0])


class Sweep(toy.InFolder):
    def test_it_ranks_the_configurations(self):
        result = portatune.sweep(MODEL, TRAIN, VALIDATION, output=self.folder / "sweep",
                                 grid={"learning_rate": [1e-4, 1e-3]}, **{**OPTIONS, "learning_rate": None})
        self.assertEqual(sorted(row["settings"]["learning_rate"] for row in result["rows"]), [1e-4, 1e-3])
        self.assertTrue(result["best"].startswith("trial-"))

    def test_a_number_is_the_part_of_the_rows_that_is_held_out(self):
        options = {**OPTIONS, "learning_rate": None, "max_steps": 2, "grid": {"learning_rate": [1e-3]}}
        number = portatune.sweep(MODEL, TRAIN, 0.25, output=self.folder / "number", **options)
        option = portatune.sweep(MODEL, TRAIN, output=self.folder / "option", validation_split=0.25, **options)
        self.assertEqual(number["rows"][0]["mean"], option["rows"][0]["mean"])


class Others(unittest.TestCase):
    def test_a_forked_process_raises_in_place_of_hanging(self):
        portatune.devices()
        child = os.fork()
        if child == 0:
            try:
                portatune.devices()
            except portatune.UsageError as error:
                os._exit(0 if "spawn" in error.fix else 1)
            os._exit(2)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_all_names_are_there(self):
        for name in portatune.__all__:
            self.assertIsNotNone(getattr(portatune, name), name)
        self.assertFalse(hasattr(portatune, "lerning"))

    def test_the_version_is_that_of_the_command(self):
        self.assertEqual(toy.command("--version"), f"portatune {portatune.__version__}\n")

    def test_devices_are_those_of_the_plugin(self):
        self.assertEqual(portatune.devices()["platform"], "cpu")

    def test_a_plan_is_that_of_the_command(self):
        plan = portatune.plan(MODEL, on="cpu", max_length=16)
        words = ("plan", "--model", MODEL, "--on", "cpu", "--max-length", "16", "--json")
        self.assertEqual(plan.keys(), json.loads(toy.command(*words)).keys())

    def test_parity_reads_a_case(self):
        case = next((DATA / "models").glob("*bert*"))
        self.assertIsInstance(portatune.parity(case), dict)

    def test_the_import_needs_no_other_package(self):
        environment = {**os.environ, "PYTHONNOUSERSITE": "1"}
        subprocess.run([sys.executable, "-S", "-c", "import portatune"], check=True, env=environment)


if __name__ == "__main__":
    toy.main()
