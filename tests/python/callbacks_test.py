"""Callbacks: their order, what they get, and how they end a run."""

import contextlib
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
    unittest.main()
