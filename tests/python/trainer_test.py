"""Trainer: the bits of fit(), with a model that stays in memory, and loops of one's own."""

import resource
import signal
import subprocess
import sys
import threading
import unittest

import portatune
import toy
from toy import MODEL, OPTIONS, TRAIN, VALIDATION

try:
    import numpy
except ImportError:
    numpy = None


class Table:
    """A table without a truth value, as those of pandas and polars."""

    def __init__(self, rows):
        self.columns, self._rows = list(rows[0]), rows

    def __getitem__(self, column):
        return [row[column] for row in self._rows]

    def __bool__(self):
        raise ValueError("the truth value of a table is ambiguous")


class InMemory(toy.InFolder):
    def trainer(self, train=TRAIN, name="trained", **options):
        return portatune.Trainer(MODEL, train, output=self.folder / name, **{**OPTIONS, **options})


class Trainer(InMemory):
    def test_fit_makes_the_run_of_the_function(self):
        run = self.trainer(validation=VALIDATION).fit()
        expected = self.fit(validation=VALIDATION)
        self.assertEqual(toy.weights(run.model), toy.weights(expected.model))
        self.assertEqual(run.metrics, expected.metrics)
        self.assertEqual([record["step"] for record in run.history], [record["step"] for record in expected.history])

    def test_the_model_in_memory_is_the_saved_one(self):
        trainer = self.trainer(validation=VALIDATION)
        run = trainer.fit()
        rows = toy.rows(VALIDATION)
        self.assertEqual(trainer.evaluate()["accuracy"], run.metrics["accuracy"])
        expected = portatune.evaluate(run.model, rows, batch_size=4, quiet=True)
        self.assertEqual(trainer.evaluate(rows), {name: expected[name] for name in run.metrics})
        self.assertEqual(trainer.predict(rows), portatune.predict(run.model, rows, batch_size=4, quiet=True))
        self.assertEqual(trainer.predict(Table(rows)), trainer.predict(rows))
        text = ["a fine film that is much longer than any of the rows for training, which differ", "no"]
        self.assertEqual(trainer.predict(text=text), portatune.predict(run.model, text=text, batch_size=4, quiet=True))

    def test_rows_of_any_length_follow_each_other_after_a_packed_training(self):
        trainer = portatune.Trainer(MODEL, toy.rows(), output=self.folder / "packed", quiet=True, batch_size=4)
        trainer.evaluate([{"text": "no", "label": "good"}])
        longer = ["a fine film that is much longer than any of the rows for training, which differ"]
        self.assertEqual(len(trainer.predict(text=longer)), 1)

    def test_without_output_the_model_lives_as_long_as_its_run(self):
        run = portatune.Trainer(MODEL, toy.rows(), validation=0.25, **OPTIONS).fit()
        folder = run.model
        self.assertTrue((folder / "config.json").exists())
        del run
        self.assertFalse(folder.exists())

    def test_callbacks_and_metrics_are_those_of_fit(self):
        seen = []

        class Recorder(portatune.Callback):
            def on_step_end(self, args, state, control, **kwargs):
                seen.append((state.global_step, threading.get_ident()))

        trainer = self.trainer(callbacks=[Recorder()])
        trainer.fit()
        self.assertEqual(seen, [(step + 1, threading.get_ident()) for step in range(6)])

    def test_a_callback_cannot_use_the_trainer(self):
        class Meddler(portatune.Callback):
            def on_step_end(self, args, state, control, **kwargs):
                trainer.predict(text=["a film"])

        trainer = self.trainer(callbacks=[Meddler()])
        with self.assertRaisesRegex(portatune.UsageError, "from a callback"):
            trainer.fit()

    def test_a_second_fit_is_refused(self):
        trainer = self.trainer(max_steps=1)
        trainer.fit()
        with self.assertRaisesRegex(portatune.UsageError, "one call for a run"):
            trainer.fit()

    def test_unknown_options_have_the_error_of_fit(self):
        with self.assertRaisesRegex(portatune.UsageError, "lerning_rate"):
            self.trainer(lerning_rate=1)

    def test_two_trainers_in_two_threads_do_not_disturb_each_other(self):
        expected = toy.weights(self.fit().model)
        trainers = [self.trainer(name=f"thread-{i}") for i in range(2)]
        threads = [threading.Thread(target=trainer.fit) for trainer in trainers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for i in range(2):
            self.assertEqual(toy.weights(self.folder / f"thread-{i}"), expected)


class Loop(InMemory):
    def loop(self, trainer, **arguments):
        return [trainer.step(batch, **arguments) for batch in trainer.batches()]

    def test_all_batches_give_the_bits_of_fit(self):
        options = {"max_steps": None, "num_train_epochs": 2, "max_train_samples": 20}
        trainer = self.trainer(**options)
        steps = self.loop(trainer)
        self.assertEqual([step.step for step in steps], list(range(1, trainer.total_steps + 1)))
        self.assertEqual(trainer.total_steps, 2 * trainer.steps_per_epoch)
        saved = trainer.save(self.folder / "saved")
        run = self.fit(**options)
        self.assertEqual(toy.weights(saved), toy.weights(run.model))
        self.assertAlmostEqual(steps[-1].learning_rate, run.history[-1]["learning_rate"], places=9)
        self.assertEqual(list(trainer.batches()), [])

    def test_fit_makes_the_steps_that_are_left(self):
        trainer = self.trainer(validation=VALIDATION)
        for batch in trainer.batches():
            trainer.step(batch)
            if trainer.steps == 2:
                break
        run = trainer.fit()
        self.assertEqual(run.result["steps"], 6)
        self.assertEqual(toy.weights(run.model), toy.weights(self.fit().model))

    def test_evaluation_and_prediction_in_the_middle_change_nothing(self):
        trainer = self.trainer(validation=VALIDATION)
        for batch in trainer.batches():
            trainer.step(batch)
            trainer.evaluate()
            trainer.predict(text=["a film of another length than the batches have had so far"])
        self.assertEqual(toy.weights(trainer.save(self.folder / "saved")), toy.weights(self.fit().model))

    def test_a_checkpoint_continues_with_the_next_batch(self):
        trainer = self.trainer()
        for batch in trainer.batches():
            trainer.step(batch)
            if trainer.steps == 3:
                break
        checkpoint = trainer.save_checkpoint(self.folder / "checkpoint")
        trainer.step(batch)  # a step that the checkpoint does not have
        trainer.resume(checkpoint)
        self.assertEqual(trainer.steps, 3)
        self.loop(trainer)
        self.assertEqual(toy.weights(trainer.save(self.folder / "saved")), toy.weights(self.fit().model))

    def test_a_resume_without_a_checkpoint_is_refused(self):
        trainer = self.trainer()
        trainer.step(next(trainer.batches()))
        with self.assertRaisesRegex(ValueError, f"no checkpoint in {self.folder / 'trained'}\n.*\n +fix +fit"):
            trainer.resume()
        with self.assertRaisesRegex(portatune.UsageError, "no checkpoint in nowhere"):
            trainer.resume("nowhere")
        self.assertEqual(trainer.steps, 1)

    def test_after_a_failed_resume_the_trainer_says_that_it_has_no_model(self):
        trainer = self.trainer()
        trainer.step(next(trainer.batches()))
        good, bad = (trainer.save_checkpoint(self.folder / name) for name in ("good", "bad"))
        (bad / "training_state.json").write_text("{}")
        with self.assertRaises(portatune.CheckpointError):
            trainer.resume(bad)
        for use in (lambda: trainer.steps, lambda: trainer.weights, trainer.fit):
            with self.assertRaisesRegex(portatune.UsageError, "a trainer without a model"):
                use()
        with self.assertRaises(AttributeError):
            trainer.nonsense
        trainer.resume(good)
        self.assertEqual(trainer.steps, 1)

    def test_numbers_of_a_step(self):
        trainer = self.trainer()
        step = self.loop(trainer)[0]
        self.assertEqual((step.step, step.skipped, float(step)), (1, False, step.loss))
        self.assertGreater(step.grad_norm, 0)
        self.assertGreater(step.tokens, 0)


@unittest.skipUnless(numpy, "NumPy is not installed")
class Arrays(InMemory):
    def test_a_rate_of_a_step_replaces_that_of_the_schedule(self):
        trainer = self.trainer(weight_decay=0.1)
        name = next(name for name in trainer.weights if name.endswith("classifier.weight"))
        before = trainer.weights[name]
        batch = next(trainer.batches())
        self.assertEqual(trainer.step(batch, learning_rate=0).learning_rate, 0)
        numpy.testing.assert_array_equal(trainer.weights[name], before)
        for rate in (-1, float("nan")):
            with self.assertRaisesRegex(portatune.UsageError, "learning_rate of a step"):
                trainer.step(batch, learning_rate=rate)
        trainer.step(batch, learning_rate=0.5)
        self.assertGreater(numpy.abs(trainer.weights[name] - before).max(), 0.1)

    def test_batches_are_arrays_and_arrays_are_batches(self):
        trainers = [self.trainer(name=name) for name in ("batch", "arrays")]
        for batch, other in zip(*(trainer.batches() for trainer in trainers)):
            self.assertEqual(set(batch), {*batch.keys()} | {"input_ids", "attention_mask", "labels"})
            self.assertEqual(batch["input_ids"].dtype, numpy.int32)
            self.assertEqual(batch["labels"].shape, (4,))
            self.assertTrue(batch.origins[0].startswith(str(TRAIN)), batch.origins)
            trainers[0].step(batch)
            arrays = dict(other.items())
            self.assertEqual([array.shape for array in other.values()], [other[name].shape for name in other])
            arrays["input_ids"] = arrays["input_ids"].astype(numpy.int64)
            trainers[1].step(arrays)
        saved = [toy.weights(trainer.save(self.folder / f"saved-{i}")) for i, trainer in enumerate(trainers)]
        self.assertEqual(*saved)

    def test_a_batch_without_a_column_says_which(self):
        trainer = self.trainer()
        batch = next(trainer.batches())
        with self.assertRaisesRegex(portatune.DataError, "labels"):
            trainer.step({name: batch[name] for name in batch if name != "labels"})
        with self.assertRaisesRegex(portatune.UsageError, "batch\n.*None"):
            trainer.step(None)

    def test_sgd_subtracts_the_gradients(self):
        trainer = self.trainer(optim="sgd", max_grad_norm=0, lr_scheduler_type="constant", learning_rate=1)
        batch = next(trainer.batches())
        gradients = trainer.gradients(batch)
        before = dict(trainer.weights)
        step = trainer.step(batch)
        self.assertEqual(gradients.loss, step.loss)
        norm = sum((array.astype(numpy.float64) ** 2).sum() for array in gradients.values()) ** 0.5
        self.assertAlmostEqual(norm, step.grad_norm, places=5)
        for name, gradient in gradients.items():
            numpy.testing.assert_allclose(before[name] - trainer.weights[name], gradient, atol=1e-6, err_msg=name)

    def test_a_copy_of_the_state_makes_the_same_steps(self):
        model = toy.without_dropout(MODEL, self.folder / "without_dropout")  # the trainers have different seeds
        first, second = (portatune.Trainer(model, TRAIN, seed=seed, **OPTIONS) for seed in (1, 2))
        batches = list(first.batches())
        first.step(batches[0], learning_rate=1e-3)
        for name in first.weights:
            second.weights[name] = first.weights[name]
        for name in first.optimizer_state:
            second.optimizer_state[name] = first.optimizer_state[name]
        second.updates = first.updates
        for trainer in (first, second):
            trainer.step(batches[1], learning_rate=1e-3)
        self.assertEqual((first.updates, second.updates), (2, 2))
        for name in first.weights:
            numpy.testing.assert_array_equal(first.weights[name], second.weights[name], err_msg=name)

    def test_a_thousand_steps_need_no_more_memory_than_the_first_ones(self):
        def resident_bytes():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * resource.getpagesize()

        def steps(count):
            for _ in range(count):
                trainer.step(batch, learning_rate=1e-3)
                trainer.gradients(batch)
                trainer.weights[name] = trainer.weights[name]

        trainer = self.trainer()
        batch, name = next(trainer.batches()), next(iter(trainer.weights))
        steps(200)
        before = resident_bytes()
        steps(1000)
        self.assertLess(resident_bytes() - before, 4e6)

    def test_arrays_of_the_wrong_shape_or_name_are_refused(self):
        trainer = self.trainer()
        name = next(iter(trainer.weights))
        with self.assertRaisesRegex(portatune.ShapeError, name):
            trainer.weights[name] = numpy.zeros(3)
        with self.assertRaisesRegex(portatune.UsageError, f"{name}\n.*None"):
            trainer.weights[name] = None
        with self.assertRaises(KeyError):
            trainer.weights["nonsense"]
        self.assertEqual(len(trainer.weights), len(list(trainer.weights)))
        self.assertEqual({name.partition(".")[2] for name in trainer.optimizer_state}, set(trainer.weights))


class Process(InMemory):
    INTERRUPTED = """
import signal, sys, portatune
signal.signal(signal.SIGINT, signal.default_int_handler)
trainer = portatune.Trainer(sys.argv[1], sys.argv[2], num_train_epochs=100000, max_length=16, quiet=True)
try:
    for batch in trainer.batches():
        trainer.step(batch).loss
        if trainer.steps == 3:
            print("running", flush=True)
except KeyboardInterrupt:
    before = trainer.steps
    trainer.step(next(trainer.batches()))
    print(trainer.steps - before)
"""
    FORKED = """
import os, sys, portatune
trainer = portatune.Trainer(sys.argv[1], sys.argv[2], max_length=16, quiet=True)
if os.fork() == 0:
    try:
        next(trainer.batches())
    except portatune.UsageError as error:
        print(error.fix, flush=True)
    os._exit(0)
os.wait()
"""

    def start(self, script):
        return subprocess.Popen([sys.executable, "-c", script, MODEL, TRAIN], text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def test_ctrl_c_ends_a_loop_and_the_trainer_can_go_on(self):
        process = self.start(self.INTERRUPTED)
        self.assertEqual(process.stdout.readline(), "running\n")
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(output, "1\n", errors)

    def test_a_forked_process_gets_an_error(self):
        output, errors = self.start(self.FORKED).communicate(timeout=60)
        self.assertIn("spawn", output, errors)


if __name__ == "__main__":
    toy.main()
