"""soak/power_cut.py: the files that a power cut can leave after writes with and without fsync."""

import pathlib
import random
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "soak"))

import crashes  # noqa: E402
import power_cut  # noqa: E402
import recording  # noqa: E402
from recording import Change  # noqa: E402

FOLDER = pathlib.Path("/work")


def change(kind, *names, offset=0, content=b""):
    return Change(kind, tuple(str(FOLDER / name) if name else str(FOLDER) for name in names), offset, content)


def trees(changes, before, length=None):
    """All trees that a cut can leave, behind `length` changes or any number of them."""
    history = power_cut.History(FOLDER, before, changes)
    return [history.tree(state.length, state.omitted, state.torn)
            for state in power_cut.states(history, random.Random(1)) if length in (None, state.length)]


WRITE = [change("create", "tmp.a"), change("write", "tmp.a", content=b"new!")]


class PowerCut(unittest.TestCase):
    def test_without_fsync_a_renamed_file_may_be_empty_or_torn(self):
        found = [tree["a"] for tree in trees([*WRITE, change("rename", "tmp.a", "a")], {"a": b"old"}) if "a" in tree]
        self.assertEqual(set(found), {b"old", b"", b"ne", b"new!"})

    def test_with_fsync_it_is_the_old_or_the_new_one(self):
        found = trees([*WRITE, change("fsync", "tmp.a"), change("rename", "tmp.a", "a")], {"a": b"old"})
        self.assertEqual({tree["a"] for tree in found}, {b"old", b"new!"})

    def test_a_name_is_durable_after_the_fsync_of_its_folder(self):
        changes = [*WRITE, change("fsync", "tmp.a"), change("rename", "tmp.a", "a"), change("fsync", "")]
        self.assertEqual(trees(changes, {"a": b"old"}, len(changes)), [{"a": b"new!"}] * 2)
        self.assertIn({"a": b"old"}, trees(changes, {"a": b"old"}, len(changes) - 1))

    def test_a_new_folder_may_be_gone_with_all_that_is_durable_in_it(self):
        changes = [change("mkdir", "out"), change("create", "out/a"), change("fsync", "out/a"), change("fsync", "out")]
        self.assertIn({}, trees(changes, {}, len(changes)))
        self.assertIn({"out": None, "out/a": b""}, trees(changes, {}, len(changes)))

    def test_an_exchange_is_whole_or_absent(self):
        before = {"a": None, "a/x": b"1", "b": None, "b/x": b"2"}
        swapped = {"a": None, "a/x": b"2", "b": None, "b/x": b"1"}
        for tree in trees([change("exchange", "a", "b")], before):
            self.assertIn(tree, (before, swapped))

    def test_removals_and_the_rename_before_them_come_in_any_order(self):
        before = {"a": None, "a/x": b"1", "a/y": b"2"}
        found = trees([change("rename", "a", "tmp.a"), change("unlink", "tmp.a/x")], before)
        self.assertIn({"a": None, "a/y": b"2"}, found)

    def test_a_start_stands_for_states_that_differ_in_what_it_has_not_seen(self):
        starts = crashes.Starts()
        starts.add({"out": None, "out/model": b"1", "out/events": b"torn"}, unseen={"out/events"})
        self.assertTrue(starts.covers({"out": None, "out/model": b"1", "out/events": b""}))
        self.assertFalse(starts.covers({"out": None, "out/model": b"2", "out/events": b"torn"}))
        self.assertFalse(starts.covers({"out": None, "out/model": b"1"}))
        self.assertFalse(starts.covers({"out": None, "out/model": b"1", "out/events": None}))

    def test_a_file_is_seen_under_the_name_that_it_had_at_the_start(self):
        moves = [Change("rename", ("tmp.a", "a")), Change("exchange", ("a", "b")), Change("link", ("b/x", "c"))]
        self.assertEqual(recording.path_before(moves, "c"), "tmp.a/x")
        self.assertEqual(recording.path_before(moves, "a/y"), "b/y")
        self.assertEqual(recording.path_before(moves, "ab"), "ab")


if __name__ == "__main__":
    unittest.main()
