"""Callbacks: their order, what they get, and how they end a run."""

import contextlib
import importlib.util
import os
import pathlib
import signal
import threading
import time
import unittest

import portatune
import toy
from toy import VALIDATION


class Recorder(portatune.Callback):
    def __init__(self, stop_at=None):
        self.calls, self.threads, self.stop_at = [], set(), stop_at

    def on_train_begin(self, args, state, control, **kwargs):
        self.calls.append(("begin", args.learning_rate))

    def on_step_end(self, args, state, control, **kwargs):
        self.threads.add(threading.get_ident())
        self.calls.append(("step", state.global_step, state.max_steps))
        control.should_training_stop = state.global_step == self.stop_at

    def on_log(self, args, state, control, logs, **kwargs):
        self.calls.append(("log", logs["step"]))

    def on_evaluate(self, args, state, control, metrics, **kwargs):
        self.calls.append(("evaluate", metrics["step"], "eval_loss" in metrics))

    def on_save(self, args, state, control, checkpoint, **kwargs):
        self.calls.append(("save", checkpoint.rpartition("/")[2]))

    def on_epoch_end(self, args, state, control, **kwargs):
        self.calls.append(("epoch", state.epoch))

    def on_train_end(self, args, state, control, **kwargs):
        self.calls.append(("end", len(state.log_history)))


class Callbacks(toy.InFolder):
    def test_they_are_called_in_order_on_the_thread_of_the_caller(self):
        recorder = Recorder()
        self.fit(validation=VALIDATION, callbacks=[recorder], max_steps=4, logging_steps=2)
        self.assertEqual([call for call in recorder.calls if call[0] != "save"],
                         [("begin", 1e-3), ("step", 1, 4), ("step", 2, 4), ("log", 2), ("step", 3, 4), ("step", 4, 4),
                          ("log", 4), ("log", 4), ("evaluate", 4, True), ("epoch", 1.0), ("end", 4)])
        self.assertEqual(recorder.threads, {threading.get_ident()})

    def test_all_hooks_have_the_order_of_transformers(self):
        names = []

        class All(portatune.Callback):
            def __getattribute__(self, name):
                if name.startswith("on_"):
                    names.append(name)
                return super().__getattribute__(name)

        trainer = portatune.Trainer(toy.MODEL, toy.TRAIN, output=self.folder / "tuned", callbacks=[All()],
                                    **{**toy.OPTIONS, "max_steps": None, "num_train_epochs": 2,
                                       "gradient_accumulation_steps": 3, "save_strategy": "no"})
        self.assertEqual(names, ["on_init_end"])
        trainer.fit()
        step = ["on_step_begin", "on_substep_end", "on_substep_end", "on_pre_optimizer_step", "on_optimizer_step",
                "on_step_end"]
        epoch = ["on_epoch_begin", *step * trainer.steps_per_epoch, "on_epoch_end"]
        hooks = [name for name in names if name not in ("on_log", "on_save")]
        self.assertEqual(hooks, ["on_init_end", "on_train_begin", *epoch * 2, "on_train_end"])
        trainer.predict(text=["a film"])
        self.assertEqual(names[-1], "on_predict")

    def test_the_state_has_the_best_evaluation_so_far(self):
        for options in ({}, {"metric_for_best_model": "eval_accuracy"},
                        {"metric_for_best_model": "accuracy", "greater_is_better": False}):
            seen, metric = [], options.get("metric_for_best_model", "loss").removeprefix("eval_")
            best = max if metric == "accuracy" and options.get("greater_is_better", True) else min

            class Watching(portatune.Callback):
                def on_evaluate(self, args, state, control, metrics, **kwargs):
                    seen.append((state.best_metric, metrics[f"eval_{metric}"]))

                def on_train_end(self, args, state, control, **kwargs):
                    seen.append((state.best_metric, state.best_global_step))

            run = self.fit(validation=VALIDATION, eval_steps=2, callbacks=[Watching()], name=metric + str(len(options)),
                           **options)
            scores = [score for _, score in seen[:-1]]
            self.assertEqual([before for before, _ in seen[:-1]],
                             [None, *(best(scores[:count]) for count in range(1, len(scores)))])
            self.assertEqual(seen[-1], (best(scores), 2 * (scores.index(best(scores)) + 1)), run.history)

    def test_flags_without_an_effect_are_named(self):
        class Saving(portatune.Callback):
            def on_step_end(self, args, state, control, **kwargs):
                control.should_save = True

        with self.assertWarnsRegex(UserWarning, r"Saving has set control\.should_save.*save_steps"):
            self.fit(callbacks=[Saving()])

    def test_hooks_that_are_never_called_are_named(self):
        class Counting:
            def on_prediction_step(self, args, state, control, **kwargs):
                raise NotImplementedError

        with self.assertWarnsRegex(UserWarning, r"Counting\.on_prediction_step\(\) is never called"):
            self.fit(callbacks=[Counting()])

    def test_early_stopping_of_transformers_is_that_of_the_options(self):
        # Without transformers, a class of the same name takes its place.
        stopping = type("EarlyStoppingCallback", (), {"__module__": "transformers.trainer_callback"})()
        stopping.early_stopping_patience, stopping.early_stopping_threshold = 1, 10.0
        if importlib.util.find_spec("transformers"):
            from transformers import EarlyStoppingCallback

            stopping = EarlyStoppingCallback(1, 10.0)
        options = {"validation": VALIDATION, "eval_steps": 1, "load_best_model_at_end": True}
        run = self.fit(callbacks=[stopping], **options)
        expected = self.fit(early_stopping_patience=1, early_stopping_threshold=10.0, name="expected", **options)
        self.assertTrue(run.result["stopped_early"])
        self.assertLess(run.result["steps"], 6)
        self.assertEqual(toy.weights(run.model), toy.weights(expected.model))

    def test_they_do_not_change_the_weights(self):
        observed = self.fit(callbacks=[Recorder()], name="observed")
        self.assertEqual(toy.weights(observed.model), toy.weights(self.fit().model))

    def test_one_that_stops_leaves_a_checkpoint(self):
        run = self.fit(callbacks=[Recorder(stop_at=2)])
        self.assertTrue(run.stopped)
        self.assertIn(run.model.name, ("checkpoint-2", "checkpoint-3"))  # the next step may have begun
        self.assertEqual(self.fit(resume=True).result["steps"], 6)

    def test_ctrl_c_during_one_leaves_a_checkpoint(self):
        class Interrupting:
            def on_step_end(self, args, state, control, **kwargs):
                if state.global_step == 2:
                    os.kill(os.getpid(), signal.SIGINT)
                    time.sleep(5)  # the handler raises here

        with self.assertRaises(KeyboardInterrupt) as caught:
            self.fit(callbacks=[Interrupting()])
        self.assertTrue(pathlib.Path(caught.exception.checkpoint, "model.safetensors").exists())
        self.assertEqual(self.fit(resume=True).result["steps"], 6)

    def test_an_exception_ends_the_run_unchanged(self):
        class Failing:
            def on_step_end(self, args, state, control, **kwargs):
                raise LookupError("enough")

        try:
            self.fit(callbacks=[Failing()])
        except LookupError as error:  # its frames keep the objects of the run
            self.assertEqual(str(error), "enough")
            self.assertEqual([path for path in open_files() if path.endswith("metrics.jsonl")], [])
        else:
            self.fail("no exception")


def open_files():
    paths = []
    for file in pathlib.Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # the folder itself was open
            paths.append(os.readlink(file))
    return paths


if __name__ == "__main__":
    toy.main()
