"""What notebooks show: tables of scores and records, and the progress of a training."""

import html.parser
import sys
import types
import unittest

import toy
from portatune import _notebook
from portatune._runs import History
from toy import VALIDATION


class Cells(html.parser.HTMLParser):
    """The rows of the table in a text."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.open_tags = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.open_tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open_tags.pop() == tag

    def handle_data(self, data):
        if self.open_tags and self.open_tags[-1] in ("td", "th"):
            self.rows[-1][-1] += data


class Tables(unittest.TestCase):
    def test_a_history_is_a_table_of_all_names(self):
        shown = Cells(History([{"step": 1, "loss": 0.123456}, {"step": 2, "eval_<b>": None}])._repr_html_())
        self.assertEqual(shown.rows, [["step", "loss", "eval_<b>"], ["1", "0.1235", ""], ["2", "", ""]])
        self.assertEqual(shown.open_tags, [])

    def test_a_long_one_has_its_ends(self):
        rows = Cells(History({"step": step} for step in range(100))._repr_html_()).rows
        self.assertEqual(rows[1] + rows[20] + rows[21] + rows[22] + rows[-1], ["0", "19", "60 more rows", "80", "99"])
        self.assertEqual(len(Cells(History({"step": step} for step in range(40))._repr_html_()).rows), 41)

    def test_scores_before_and_after(self):
        result = {"before": {"loss": 0.7}, "after": {"loss": 0.5, "f1": 1.0}}
        self.assertEqual(Cells(_notebook.scores(result)).rows,
                         [["held out", "before", "after"], ["loss", "0.7", "0.5"], ["f1", "", "1"]])
        self.assertEqual(_notebook.scores({"before": None}), "")


class Kernel(toy.InFolder):
    """fit() in a notebook, whose Python has a kernel."""

    def setUp(self):
        super().setUp()
        self.shown = shown = []

        class Handle:
            def update(self, text):
                shown.append(text)

        def display(text, display_id):
            shown.append(text)
            return Handle()

        python = types.SimpleNamespace(kernel=object())
        self.replace("IPython", types.SimpleNamespace(get_ipython=lambda: python))
        self.replace("IPython.display", types.SimpleNamespace(HTML=str, display=display))

    def replace(self, name, module):
        before = sys.modules.get(name)
        sys.modules[name] = module
        self.addCleanup(lambda: sys.modules.pop(name) if before is None else sys.modules.update({name: before}))

    def test_the_progress_ends_with_the_last_step_and_all_evaluations(self):
        run = self.fit(validation=VALIDATION, quiet=False, max_steps=4, eval_steps=2, logging_steps=1)
        self.assertIn("step 0 of", self.shown[0])
        self.assertIn("step 4 of 4, loss", self.shown[-1])
        self.assertEqual([row[0] for row in Cells(self.shown[-1]).rows], ["step", "0", "2", "4"])
        self.assertLess(len(self.shown), 12)
        page = run._repr_html_()
        self.assertIn("<th>before</th>", page)
        self.assertIn("<iframe srcdoc=", page)

    def test_quiet_shows_nothing(self):
        self.fit()
        self.assertEqual(self.shown, [])


if __name__ == "__main__":
    toy.main()
