"""Callbacks: their order, what they get, and how they end a run."""

import contextlib
import gc
import importlib.util
import json
import os
import pathlib
import shutil
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
                          ("log", 4), ("log", 4), ("evaluate", 4, True), ("epoch", 4 / 12), ("end", 4)])
        self.assertEqual(recorder.threads, {threading.get_ident()})

    def test_all_hooks_have_the_order_of_transformers(self):
        names = []

        class All(portatune.Callback):
            def __getattribute__(self, name):
                if name.startswith("on_"):
                    return lambda *args, **kwargs: names.append(name)
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

    def test_the_state_has_step_and_epoch_from_the_start(self):
        seen = []

        class Watching(portatune.Callback):
            def on_train_begin(self, args, state, control, **kwargs):
                seen.append((state.global_step, state.max_steps, state.epoch))

            def on_step_end(self, args, state, control, **kwargs):
                seen.append((state.global_step, state.max_steps, state.epoch))
                control.should_training_stop = state.global_step == 3

        self.fit(callbacks=[Watching()], logging_steps=100)
        trainer = portatune.Trainer(toy.MODEL, toy.TRAIN, output=self.folder / "tuned", callbacks=[Watching()],
                                    resume=True, **{**toy.OPTIONS, "logging_steps": 100})
        trainer.fit()
        per_epoch = trainer.steps_per_epoch
        steps = [0, 1, 2, 3, 3, 4, 5, 6]
        self.assertEqual(seen, [(step, 6, step / per_epoch) for step in steps])

    def test_a_failed_run_without_an_output_keeps_its_checkpoint(self):
        class Failing(portatune.Callback):
            def on_save(self, args, state, control, checkpoint, **kwargs):
                self.checkpoint = pathlib.Path(checkpoint)
                raise LookupError("enough")

        failing = Failing()
        with self.assertRaisesRegex(LookupError, "enough"):
            portatune.fit(toy.MODEL, toy.TRAIN, callbacks=[failing],
                          **{**toy.OPTIONS, "save_strategy": "steps", "save_steps": 2})
        gc.collect()
        self.assertTrue((failing.checkpoint / "model.safetensors").exists())
        shutil.rmtree(failing.checkpoint.parents[1])

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

    def test_hooks_that_are_never_called_are_named(self):
        class Counting:
            def on_prediction_step(self, args, state, control, **kwargs):
                raise NotImplementedError

        with self.assertWarnsRegex(UserWarning, r"Counting\.on_prediction_step\(\) is never called"):
            self.fit(callbacks=[Counting()])

    def test_a_misspelt_hook_is_named(self):
        class Misspelt(portatune.Callback):
            def on_epoch_ends(self, args, state, control, **kwargs):
                raise NotImplementedError

        with self.assertWarnsRegex(UserWarning, r"Misspelt\.on_epoch_ends\(\) .*did you mean on_epoch_end\?"):
            self.fit(callbacks=[Misspelt()])

    def test_attributes_that_are_no_functions_are_no_hooks(self):
        class Counting:
            on_gpu = True  # the name is like on_log

            def on_epoch_ends(self, args, state, control, **kwargs):
                raise NotImplementedError

            def on_step_ends(self, args, state, control, **kwargs):
                raise NotImplementedError

        with self.assertWarns(UserWarning) as caught:
            self.fit(callbacks=[Counting()])
        names = [str(warning.message).partition("(")[0] for warning in caught.warnings]
        self.assertEqual(names, ["Counting.on_epoch_ends", "Counting.on_step_ends"])

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
        self.assertEqual(run.model.name, "checkpoint-2")
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


class Asking:
    """Asks for something after some steps, and notes the events of a run."""

    def __init__(self):
        self.calls = []

    def on_step_end(self, args, state, control, **kwargs):
        self.calls.append(("step", state.global_step))
        control.should_save = state.global_step in (2, 5)
        control.should_evaluate = state.global_step in (3, 5)
        control.should_log = state.global_step == 4

    def on_log(self, args, state, control, logs, **kwargs):
        self.calls.append(("log", state.global_step))

    def on_evaluate(self, args, state, control, metrics, **kwargs):
        self.calls.append(("evaluate", state.global_step))
        if state.global_step == 3:
            control.should_save = True

    def on_save(self, args, state, control, **kwargs):
        self.calls.append(("save", state.global_step))


# What transformers' Trainer calls for Asking in six steps.
EVENTS_OF_ASKING = [("step", 1), ("step", 2), ("save", 2), ("step", 3), ("log", 3), ("evaluate", 3), ("save", 3),
                    ("step", 4), ("log", 4), ("step", 5), ("log", 5), ("evaluate", 5), ("save", 5), ("step", 6),
                    ("log", 6)]


def trained_by_transformers(kind, arguments, texts, folder, **options):
    """Trains with transformers' Trainer, on texts with two labels in turn. Returns its callback of the class `kind`."""
    transformers, torch = toy.installed("transformers"), toy.installed("torch")
    callback = type("OfTrainer", (kind, transformers.TrainerCallback), {})(**arguments)
    tokenizer = transformers.AutoTokenizer.from_pretrained(toy.MODEL)
    columns = tokenizer(texts, padding="max_length", truncation=True, max_length=8)
    rows = [{**{name: torch.tensor(values[i]) for name, values in columns.items()}, "labels": i % 2}
            for i in range(len(texts))]
    trainer = transformers.Trainer(
        transformers.AutoModelForSequenceClassification.from_pretrained(toy.MODEL), callbacks=[callback],
        args=transformers.TrainingArguments(folder, per_device_train_batch_size=4, logging_strategy="no",
                                            report_to="none", use_cpu=True, disable_tqdm=True, **options),
        train_dataset=rows, eval_dataset=rows)
    trainer.remove_callback(transformers.PrinterCallback)
    trainer.train()
    return callback


class Flags(toy.InFolder):
    OPTIONS = {"validation": VALIDATION, "eval_strategy": "no", "save_strategy": "no", "logging_steps": 1000}

    def test_they_act_after_the_step_that_has_set_them(self):
        asking = Asking()
        run = self.fit(callbacks=[asking], save_total_limit=10, **self.OPTIONS)
        self.assertEqual(asking.calls, EVENTS_OF_ASKING)
        self.assertEqual([record["step"] for record in run.history if "eval_loss" in record], [0, 3, 5, 6])
        plain = self.fit(name="plain", save_strategy="steps", save_steps=1, save_total_limit=10)
        self.assertEqual(toy.weights(run.model), toy.weights(plain.model))
        for step in (2, 3, 5):
            self.assertEqual(toy.weights(run.model / f"checkpoint-{step}"),
                             toy.weights(plain.model / f"checkpoint-{step}"))

    def test_the_events_are_those_of_transformers(self):
        asking = trained_by_transformers(Asking, {}, ["good", "bad"] * 4, self.folder / "trainer", max_steps=6,
                                         eval_strategy="no", save_strategy="no")
        self.assertEqual(asking.calls, EVENTS_OF_ASKING)

    def test_an_evaluation_needs_rows(self):
        class Evaluating:
            def on_step_end(self, args, state, control, **kwargs):
                control.should_evaluate = True

        with self.assertRaisesRegex(portatune.UsageError, "asks for an evaluation after step 1"):
            self.fit(callbacks=[Evaluating()])

    def test_a_callback_that_looks_on_does_not_delay_the_next_step(self):
        observer = portatune._callbacks.Observer
        options = {"output": self.folder}
        self.assertTrue(observer([Asking()], options).waits_for_steps)
        self.assertFalse(observer([type("Passive", (Asking,), {"is_passive": True})()], options).waits_for_steps)
        logging = type("Logging", (portatune.Callback,), {"on_log": Asking.on_log})()
        self.assertFalse(observer([logging], options).waits_for_steps)


class EpochsAtEvents:
    """Ends epochs after some steps and evaluations, and notes step and epoch at all events."""

    def __init__(self, steps=(), evaluations=()):
        self.steps, self.evaluations, self.calls = steps, evaluations, []

    def note(self, event, state):
        self.calls.append((event, state.global_step, state.epoch))

    def on_epoch_begin(self, args, state, control, **kwargs):
        self.note("begin", state)

    def on_step_end(self, args, state, control, **kwargs):
        self.note("step", state)
        control.should_epoch_stop = state.global_step in self.steps

    def on_evaluate(self, args, state, control, **kwargs):
        self.note("evaluate", state)
        if state.global_step in self.evaluations:
            control.should_epoch_stop = True

    def on_epoch_end(self, args, state, control, **kwargs):
        self.note("end", state)

    def on_train_end(self, args, state, control, **kwargs):
        self.note("end of run", state)
        self.calls.append(("planned", state.max_steps))


# Sixteen rows in batches of four: the arguments of EpochsAtEvents, the options, and the steps that are made.
ENDED_EPOCHS = [
    ({"steps": (2,)}, {"num_train_epochs": 3, "eval_strategy": "epoch", "save_strategy": "epoch"}, 10),
    ({"steps": (2, 6)}, {"num_train_epochs": 2, "eval_strategy": "epoch", "save_strategy": "no"}, 6),
    ({"steps": (1,)}, {"max_steps": 6, "eval_strategy": "no", "save_strategy": "no"}, 5),
    ({"steps": (2,)}, {"max_steps": 6, "eval_strategy": "no", "save_strategy": "no"}, 6),
    ({"evaluations": (2, 9)},
     {"num_train_epochs": 3, "eval_strategy": "steps", "eval_steps": 1, "save_strategy": "no"}, 9),
]


class EndsOfEpochs(toy.InFolder):
    ROWS = [{"text": ["good", "bad"][i % 2] + " film" * i, "label": str(i % 2)} for i in range(16)]

    def run_of(self, arguments, options, name="tuned", kind=EpochsAtEvents, **others):
        callback = kind(**arguments)
        options = {"max_steps": None, "logging_steps": 1000, **options, **others}
        return callback, self.fit(self.ROWS, name, validation=self.ROWS, callbacks=[callback], **options)

    def trainer_of(self, arguments, options, name):
        texts = [row["text"] for row in self.ROWS]
        return trained_by_transformers(EpochsAtEvents, arguments, texts, self.folder / name, **options)

    def test_steps_and_epochs_are_those_of_transformers(self):
        for number, (arguments, options, steps) in enumerate(ENDED_EPOCHS):
            with self.subTest(options=options, **arguments):
                callback, run = self.run_of(arguments, options, f"run-{number}", save_total_limit=10)
                self.assertEqual(run.result["steps"], steps)
                self.assertFalse(run.stopped)
                # The evaluation of an epoch comes before on_epoch_end, and the last step always has one.
                expected = self.trainer_of(arguments, options, f"trainer-{number}").calls
                self.assertLessEqual(set(expected), set(callback.calls))
                self.assertEqual([call for call in callback.calls if call[0] != "evaluate"],
                                 [call for call in expected if call[0] != "evaluate"])
                self.assertEqual(*(sorted(path.name for path in folder.glob("checkpoint-*"))
                                   for folder in (run.output, self.folder / f"trainer-{number}")))

    def test_records_have_the_epoch(self):
        callback, run = self.run_of(*ENDED_EPOCHS[0][:2], logging_steps=1)
        epochs = {record["step"]: record["epoch"] for record in run.history}
        self.assertEqual(epochs, {0: 0, **{call[1]: call[2] for call in callback.calls if call[0] == "step"}})
        state = json.loads((run.model / "trainer_state.json").read_text(encoding="utf-8"))
        self.assertEqual((state["epoch"], state["global_step"], state["max_steps"]), (3, 10, 12))

    def test_a_run_resumes_to_the_same_weights(self):
        arguments, options, _ = ENDED_EPOCHS[0]
        _, whole = self.run_of(arguments, options, "whole")

        class Stopping(EpochsAtEvents):
            def on_step_end(self, args, state, control, **kwargs):
                super().on_step_end(args, state, control, **kwargs)
                control.should_training_stop = state.global_step in (2, 3)

        calls = []
        for resume in (False, True, True):
            callback, run = self.run_of(arguments, options, kind=Stopping, resume=resume)
            calls += [call[:2] for call in callback.calls if call[0] in ("step", "evaluate", "end")]
        self.assertFalse(run.stopped)
        self.assertEqual(toy.weights(run.model), toy.weights(whole.model))
        self.assertEqual(len(calls), len(set(calls)), "an event came twice")

    def test_a_run_that_they_have_ended_is_finished(self):
        arguments, options, steps = ENDED_EPOCHS[1]
        self.run_of(arguments, options)
        _, again = self.run_of(arguments, options, resume=True)
        self.assertEqual(again.result["steps"], steps)

    def test_a_loop_has_the_batches_that_are_left(self):
        arguments, options, _ = ENDED_EPOCHS[0]
        _, run = self.run_of(arguments, options, save_total_limit=10)
        trainer = portatune.Trainer(toy.MODEL, self.ROWS, self.ROWS, output=self.folder / "loop",
                                    **{**toy.OPTIONS, **options, "max_steps": None,
                                       "resume_from_checkpoint": run.model / "checkpoint-2"})
        self.assertEqual(sum(1 for batch in trainer.batches() if trainer.step(batch)), 8)
        self.assertEqual(toy.weights(trainer.save(self.folder / "looped")), toy.weights(run.model))

    def test_an_epoch_may_be_ended_as_it_begins(self):
        class Ending(EpochsAtEvents):
            def on_epoch_begin(self, args, state, control, **kwargs):
                control.should_epoch_stop = state.epoch >= 1

            def on_step_end(self, args, state, control, **kwargs):
                self.note("step", state)

        callback, _ = self.run_of({}, {"num_train_epochs": 3}, kind=Ending)
        self.assertEqual([call[2] for call in callback.calls if call[0] == "step"], [0.25, 0.5, 0.75, 1, 1.25, 2.25])


class Numbered(portatune.Callback):
    """Notes the number of each run, and what is known of it."""

    def __init__(self, stop_in=None):
        self.calls, self.stop_in = [], stop_in

    def on_train_begin(self, args, state, control, **kwargs):
        self.calls.append((state.fold or state.trial, pathlib.Path(args.output_dir).name, args.learning_rate,
                           state.trial_name, state.trial_params))

    def on_step_end(self, args, state, control, **kwargs):
        control.should_training_stop = (state.fold or state.trial) == self.stop_in and state.global_step == 2

    def on_train_end(self, args, state, control, **kwargs):
        self.calls.append(state.global_step)


class SeveralRuns(toy.InFolder):
    def test_each_fold_has_its_number(self):
        numbered = Numbered()
        result = portatune.cross_validate(toy.MODEL, toy.TRAIN, folds=2, output=self.folder / "folds",
                                          callbacks=[numbered], **toy.OPTIONS)
        self.assertEqual(numbered.calls, [(1, "fold-1", 1e-3, None, None), 6, (2, "fold-2", 1e-3, None, None), 6])
        plain = portatune.cross_validate(toy.MODEL, toy.TRAIN, folds=2, output=self.folder / "plain", **toy.OPTIONS)
        self.assertEqual(result["out_of_fold"], plain["out_of_fold"])

    def test_each_trial_has_its_number_and_settings(self):
        numbered = Numbered()
        portatune.sweep(toy.MODEL, toy.TRAIN, VALIDATION, output=self.folder / "sweep", callbacks=[numbered],
                        grid={"learning_rate": [1e-3, 2e-3]}, **{**toy.OPTIONS, "learning_rate": None})
        self.assertEqual(numbered.calls, [
            (1, "trial-001", 1e-3, "trial-001", {"learning_rate": 1e-3, "seed": 42}), 6,
            (2, "trial-002", 2e-3, "trial-002", {"learning_rate": 2e-3, "seed": 42}), 6])

    def test_one_that_stops_ends_all_and_they_can_go_on(self):
        options = {**toy.OPTIONS, "folds": 2, "output": self.folder / "folds"}
        numbered = Numbered(stop_in=2)
        self.assertEqual(portatune.cross_validate(toy.MODEL, toy.TRAIN, callbacks=[numbered], **options), {})
        self.assertEqual(numbered.calls[-1], 2)
        again = Numbered()
        result = portatune.cross_validate(toy.MODEL, toy.TRAIN, callbacks=[again], resume=True, **options)
        self.assertEqual(len(result["folds"]), 2)
        self.assertEqual([call[0] for call in again.calls if isinstance(call, tuple)], [2])


def open_files():
    paths = []
    for file in pathlib.Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # the folder itself was open
            paths.append(os.readlink(file))
    return paths


if __name__ == "__main__":
    toy.main()
