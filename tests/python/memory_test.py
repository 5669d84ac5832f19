"""Freed memory: the C library keeps large blocks until a trainer is closed."""

import os
import subprocess
import sys
import unittest

import toy

SCRIPT = """
import ctypes, os, sys
import portatune

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
SIZE = 256 << 20

def resident():
    pages = int(open("/proc/self/statm").read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")

# The memory of a large block that the process still has after it has freed the block.
def kept_bytes():
    before = resident()
    block = ctypes.c_void_p(libc.malloc(ctypes.c_size_t(SIZE)))
    ctypes.memset(block, 1, SIZE)
    libc.free(block)
    return resident() - before

def is_kept():
    return kept_bytes() > SIZE / 2

if is_kept():
    sys.exit("an import has changed malloc")
trainer = portatune.Trainer(sys.argv[1], sys.argv[2], max_length=16, quiet=True)
was_kept = is_kept()
before = resident()
del trainer
print(was_kept, before - resident() > SIZE / 2)
"""


class FreedMemory(unittest.TestCase):
    def kept(self, **environment):
        """What the script prints: whether a freed block is kept beside a trainer, and whether it is released later."""
        names = ("MALLOC_", "GLIBC_TUNABLES", "LD_PRELOAD")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(names)}
        done = subprocess.run([sys.executable, "-c", SCRIPT, str(toy.MODEL), str(toy.TRAIN)], check=False,
                              env={**clean, **environment}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()

    def test_a_trainer_keeps_large_blocks_until_it_is_closed(self):
        self.assertEqual(self.kept(), ["True", "True"])

    def test_a_variable_of_malloc_keeps_its_settings(self):
        self.assertEqual(self.kept(MALLOC_ARENA_MAX="16"), ["False", "False"])


if __name__ == "__main__":
    toy.main()
