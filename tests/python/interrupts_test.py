"""Ctrl-C at each part of a run, and what a run leaves of the process: signals, threads of OpenMP, forked workers."""

import importlib.util
import pathlib
import signal
import subprocess
import sys
import unittest

import toy

BEGIN = """
import os, pathlib, signal, sys, time, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
import portatune
model, train, validation, folder = sys.argv[1:5]
OPTIONS = dict(max_length=16, per_device_train_batch_size=4, output=pathlib.Path(folder, "tuned"), quiet=True)
interrupt = lambda: os.kill(os.getpid(), signal.SIGINT)
"""
# A new folder of programs, so that all of them are compiled; the output says when that begins.
DURING_COMPILATION = """
OPTIONS.update(quiet=False, cache_folder=pathlib.Path(folder, "programs"))
try:
    portatune.fit(model, train, validation, max_steps=100000, **OPTIONS)
except KeyboardInterrupt:
    print("interrupted")
"""
IN_A_GENERATOR = """
def rows():
    yield {"text": "a good film", "label": "good"}
    interrupt()
    time.sleep(5)
    yield {"text": "a bad film", "label": "bad"}
try:
    portatune.fit(model, rows, max_steps=2, **OPTIONS)
except KeyboardInterrupt:
    print("interrupted", portatune.fit(model, train, max_steps=2, **OPTIONS).result["steps"])
"""
# The validation rows are many copies, so that a signal soon after a step comes while they are measured.
IN_A_VALIDATION = """
rows = [{"text": "a good film", "label": "good"}, {"text": "a bad film", "label": "bad"}] * 20000
class Interrupting(portatune.Callback):
    def on_step_end(self, args, state, control, **kwargs):
        if state.global_step == 4:
            threading.Timer(0.3, interrupt).start()
try:
    portatune.fit(model, train, rows, max_steps=400, eval_steps=4, callbacks=[Interrupting()], no_eval_on_start=True,
                  **OPTIONS)
except KeyboardInterrupt as error:
    print("interrupted", bool(error.checkpoint))
"""
# struct sigaction of Linux on 64 bits: handler, mask of 128 bytes, flags, restorer. glibc fills 8 bytes of the mask.
# The library has a handler of SIGBUS, for files that shrink while they are mapped. /proc/self/status is no measure: its
# SigIgn changes with that handler, and with those of the C library's own signals, where the parent ignored them.
SIGNALS = """
import ctypes
libc = ctypes.CDLL(None)
def action(number):
    old = ctypes.create_string_buffer(152)
    assert libc.sigaction(number, None, old) == 0
    return old.raw[:16] + old.raw[136:140]
SA_RESTART = 0x10000000
old = ctypes.create_string_buffer(152)
libc.sigaction(signal.SIGINT, None, old)
raw = bytearray(old.raw)
raw[8 + (signal.SIGUSR1 - 1) // 8] |= 1 << (signal.SIGUSR1 - 1) % 8
raw[136:140] = (int.from_bytes(raw[136:140], "little") | SA_RESTART).to_bytes(4, "little")
assert libc.sigaction(signal.SIGINT, bytes(raw), None) == 0
signal.signal(signal.SIGUSR1, lambda *_: None)
def all_actions():
    others = (signal.SIGKILL, signal.SIGSTOP, signal.SIGBUS)
    return {number: action(number) for number in range(1, 32) if number not in others}
def blocked():
    return signal.pthread_sigmask(signal.SIG_BLOCK, [])
actions, mask = all_actions(), blocked()
def changes():
    return sorted(all_actions().items() - actions.items()), blocked() ^ mask
portatune.fit(model, train, validation, max_steps=2, **OPTIONS)
assert changes() == ([], set()), changes()
class Interrupting(portatune.Callback):
    def on_step_end(self, args, state, control, **kwargs):
        if state.global_step == 2:  # a second one would end the process
            interrupt()
            time.sleep(5)
OPTIONS["output"] = pathlib.Path(folder, "other")
try:
    portatune.fit(model, train, max_steps=6, callbacks=[Interrupting()], **OPTIONS)
except KeyboardInterrupt:
    print(changes())
"""
OPENMP = """
import threadpoolctl, numpy, sklearn.cluster
def pools():
    return sorted((pool["filepath"], pool["num_threads"]) for pool in threadpoolctl.threadpool_info())
numpy.ones((64, 64)) @ numpy.ones((64, 64))
threadpoolctl.threadpool_limits(3)
before = pools()
portatune.fit(model, train, max_steps=2, **OPTIONS)
print(bool(before) and set(before) <= set(pools()))  # the library has an OpenMP of its own
"""
DATA_LOADER = """
import torch, torch.utils.data
tokenizer = portatune.Tokenizer(model)
portatune.fit(model, train, max_steps=2, **OPTIONS)
threads = torch.get_num_threads()
class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        try:
            portatune.fit(model, train, max_steps=1, quiet=True)
        except portatune.UsageError as error:
            return len(tokenizer.encode("the film was good").ids), error.fix
loader = torch.utils.data.DataLoader(Rows(), batch_size=2, num_workers=2)
for ids, fixes in loader:
    print(ids.tolist(), all("spawn" in fix for fix in fixes))
print(torch.get_num_threads() == threads)
"""


def has(*modules):
    return all(importlib.util.find_spec(module) for module in modules)


class Process(toy.InFolder):
    def start(self, script):
        words = [sys.executable, "-c", BEGIN + script, toy.MODEL, toy.TRAIN, toy.VALIDATION, self.folder]
        return subprocess.Popen(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def output_of(self, script):
        output, errors = self.start(script).communicate(timeout=120)
        self.errors = errors
        return output

    def test_ctrl_c_during_compilation(self):
        process = self.start(DURING_COMPILATION)
        for line in process.stderr:
            if line.startswith("train "):
                break
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=120)
        self.assertEqual(output, "interrupted\n", errors)

    def test_ctrl_c_in_a_generator_of_rows(self):
        self.assertEqual(self.output_of(IN_A_GENERATOR), "interrupted 2\n", self.errors)

    def test_ctrl_c_during_a_validation_leaves_a_checkpoint(self):
        self.assertEqual(self.output_of(IN_A_VALIDATION), "interrupted True\n", self.errors)
        self.assertTrue(any(pathlib.Path(self.folder, "tuned").glob("checkpoint-4")), self.errors)

    def test_signals_have_their_actions_flags_and_masks_afterwards(self):
        self.assertEqual(self.output_of(SIGNALS), "([], set())\n", self.errors)

    @unittest.skipUnless(has("threadpoolctl", "numpy", "sklearn"), "scikit-learn is not installed")
    def test_libraries_keep_their_numbers_of_threads(self):
        self.assertEqual(self.output_of(OPENMP), "True\n", self.errors)

    @unittest.skipUnless(has("torch"), "torch is not installed")
    def test_workers_of_a_data_loader_tokenize_and_refuse_to_train(self):
        self.assertEqual(self.output_of(DATA_LOADER), "[6, 6] True\n[6, 6] True\nTrue\n", self.errors)


if __name__ == "__main__":
    toy.main()
