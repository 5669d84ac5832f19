"""report.html in headless Chromium: no message in the console, the numbers of metrics.jsonl in the page, and pictures.

Skipped where there is no Chromium. The pictures also need matplotlib.
"""

import html.parser
import importlib.util
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SKIPPED = 77

# Points at the middle of each chart, and notes what the page then says of the step.
POINT_AT_CHARTS = """<script>
for (const svg of document.querySelectorAll("svg")) {
  const {left, width, top} = svg.getBoundingClientRect();
  svg.dispatchEvent(new PointerEvent("pointermove", {clientX: left + width / 2, clientY: top + 50}));
}
const {scrollWidth, clientWidth} = document.documentElement;
document.body.setAttribute("data-overflow", scrollWidth - clientWidth);
</script>"""


class Tables(html.parser.HTMLParser):
    """The rows of each table of a page, the lines of each tooltip, and the items of lists."""

    def __init__(self):
        super().__init__()
        self.tables, self.tips, self.items, self.overflow = [], [], [], None
        self.texts = None  # the list that takes the texts of the open element

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "body":
            self.overflow = attributes.get("data-overflow")
        elif tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            self.texts = self.tables[-1][-1]
            self.texts.append("")
        elif tag == "div" and attributes.get("class") == "tip":
            self.tips.append([])
        elif tag == "li":
            self.texts = self.items
            self.texts.append("")
        elif tag == "p" and self.tips and self.texts is not self.items:
            self.texts = self.tips[-1]
            self.texts.append("")

    def handle_endtag(self, tag):
        if tag in ("th", "td", "li") or (tag == "p" and self.texts is not self.items):
            self.texts = None

    def handle_data(self, text):
        if self.texts:
            self.texts[-1] += text


def loss_at(step):
    return None if step == 300 else 0.7 * math.exp(-step / 400) + 0.05 * math.sin(step)


def log_of(factor):
    """The lines of a run of 528 steps with two validations, a resumption and a loss that is not finite."""
    lines = [{"step": 0, "epoch": 0.0, "eval_loss": 0.69, "eval_roc_auc": 0.4358}]
    for step in range(10, 529, 10):
        loss = loss_at(step)
        lines.append({"step": step, "epoch": step / 264, "loss": loss and factor * loss, "learning_rate": 3e-5 / step,
                      "tokens_per_second": 16000.5, "padding_share": 0.113, "memory_bytes": 1 << 30, "seconds": step})
        if step == 200:
            lines.append({"step": step, "resumed": True, "seconds": step})
    lines.append({"step": 264, "epoch": 1.0, "eval_loss": factor * 0.4213, "eval_roc_auc": 0.9217, "eval_seconds": 3.1})
    lines.append({"step": 528, "epoch": 2.0, "eval_loss": factor * 0.4513, "eval_roc_auc": 0.9117, "eval_seconds": 3.1})
    return lines


@unittest.skipUnless(BROWSER, "no Chromium")
class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        for name, factor in (("tuned", 1), ("other", 0.4)):
            cls.add_log(name, *log_of(factor))
            settings = {"options": {"seed": 42, "learning_rate": 3e-5 * factor}, "model": "<b onclick='x'>&amp;</b>"}
            (cls.folder / name / "training_args.json").write_text(json.dumps(settings))

    @classmethod
    def add_log(cls, name, *lines):
        (cls.folder / name).mkdir()
        (cls.folder / name / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    def browse(self, page, *options, width=1200):
        command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0",
                   f"--user-data-dir={self.folder / 'profile'}", f"--window-size={width},2000",
                   "--virtual-time-budget=5000", *options, page.as_uri()]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)

    def open(self, page, width=1200):
        """The tables and tooltips of a page after its scripts have run, and the messages in the console."""
        result = self.browse(page, "--dump-dom", width=width)
        tables = Tables()
        tables.feed(result.stdout)
        return tables, [line for line in result.stderr.splitlines() if "CONSOLE" in line]

    def page_of(self, *runs):
        page = self.folder / "report.html"
        subprocess.run([os.environ["PORTATUNE_COMMAND"], "report", *(self.folder / run for run in runs),
                        "--output", page], check=True, stdout=subprocess.DEVNULL)
        return page

    def report(self, *runs, width=1200):
        page = self.page_of(*runs)
        page.write_text(page.read_text() + POINT_AT_CHARTS)
        tables, messages = self.open(page, width)
        self.assertEqual(messages, [])
        return tables

    def test_messages_in_the_console_are_found(self):
        page = self.folder / "fault.html"
        page.write_text("<script>missing()</script>")
        self.assertIn("missing is not defined", "".join(self.open(page)[1]))

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib")
    def test_pictures_are_light_or_dark_and_have_curves(self):
        import matplotlib.image
        import numpy

        page = self.page_of("tuned", "other")
        background = {}
        for scheme, number in (("dark", 0), ("light", 1)):
            picture = self.folder / f"{scheme}.png"
            self.browse(page, f"--screenshot={picture}", f"--blink-settings=preferredColorScheme={number}")
            pixels = matplotlib.image.imread(picture)[:, :, :3]
            background[scheme] = numpy.median(pixels)
            colours = numpy.unique((pixels.reshape(-1, 3) * 15).astype(int), axis=0)
            self.assertGreater(len(colours), 30, scheme)
        self.assertLess(background["dark"], 0.2)
        self.assertGreater(background["light"], 0.9)

    def test_scores_are_those_of_the_log(self):
        self.assertEqual(self.report("tuned").tables[0], [
            ["", "before", "best", "at step", "last"],
            ["Loss", "0.69", "0.4213", "264", "0.4513"],
            ["ROC AUC", "0.4358", "0.9217", "264", "0.9117"],
        ])

    def test_several_runs_are_side_by_side(self):
        overview, scores, different, equal = self.report("tuned", "other").tables
        self.assertEqual(overview[0], ["", "tuned", "other"])
        self.assertIn(["Steps", "528", "528"], overview)
        self.assertEqual(scores[1:], [["Loss", "0.4513", "0.1805 ★"], ["ROC AUC", "0.9117", "0.9117"]])
        self.assertEqual(different[1:], [["options.learning_rate", "3e-05", "1.2e-05"]])
        self.assertEqual(equal[1:], [["options.seed", "42"], ["model", "<b onclick='x'>&amp;</b>"]])

    def test_tooltips_have_the_numbers_of_the_log(self):
        numbers = {line["step"]: line for line in log_of(1) if "loss" in line}
        tips = self.report("tuned").tips
        self.assertEqual(len(tips), 6)  # loss, ROC AUC, learning rate, throughput, padding, memory
        at = [numbers.get(int(re.match(r"step (\d+) · epoch ", tip[0])[1])) for tip in tips]
        self.assertAlmostEqual(at[0]["step"], 264, delta=30)
        self.assertEqual(tips[0][1], f"training {at[0]['loss']:.5g}")
        self.assertEqual(tips[0][2], "validation 0.4213 at step 264")
        self.assertEqual(tips[1][1], "ROC AUC 0.9217")
        self.assertEqual(float(tips[2][1].split()[-1]), float(f"{at[2]['learning_rate']:.5g}"))
        self.assertEqual(tips[3][1], "Throughput (tokens per second) 16,001")
        self.assertEqual(tips[4][1], "Share of padding in the batches 11.3 %")
        self.assertEqual(tips[5][1], "Memory of the process 1 GiB")

    def test_data_are_those_of_report_json(self):
        self.add_log("detailed", {"step": 10, "loss": 0.5})
        training = {"name": "training", "rows": 1800, "examples": 1799, "classes": [["<i>bad", 902], ["good", 897]]}
        validation = {"name": "validation", "rows": 20, "examples": 20, "classes": [["good", 20]]}
        details = {"data": [training, validation],
                   "lengths": {"counts": [[7, 1000], [20, 799]], "batches": [16, 32], "packed": False}}
        (self.folder / "detailed" / "report.json").write_text(json.dumps(details))
        self.assertEqual(self.report("detailed").tables, [[
            ["", "training", "validation"],
            ["Rows", "1,800", "20"],
            ["Examples", "1,799", "20"],
            ["Class <i>bad", "902", "0"],
            ["Class good", "897", "20"],
        ]])

    def test_the_cost_of_a_step_is_compared_with_the_measurements(self):
        times = [2, 3, 4, 9, 10]  # seconds; the median is a second for ten steps, as there is an evaluation
        self.add_log("costly", *({"step": 10 * i, "loss": 0.5, "waiting_share": 0.02, "memory_bytes": 1 << 30,
                                  "seconds": seconds} for i, seconds in enumerate(times, 1)))
        step = {"parameters": 1 << 20, "optimizer": 1 << 21, "batch": 2048, "flops": 5e9, "shapes": 1,
                "peak": {"flops": 1e11, "device": "cuda:x"}}
        (self.folder / "costly" / "report.json").write_text(json.dumps({"step": step}))
        self.assertEqual(self.report("costly").tables[0][1:], [
            ["Memory of the parameters", "1 MiB"],
            ["Memory of the optimizer", "2 MiB"],
            ["Memory of a batch", "2 KiB"],
            ["Peak memory of the process, measured", "1 GiB"],
            ["Matrix products of a step", "5 GFLOP"],
            ["Time of a step, median", "100 ms"],
            ["Speed", "50 GFLOP/s"],
            ["Share of the peak of cuda:x", "50 %"],
            ["Waiting for input, median", "2 %"],
        ])

    def test_the_step_of_the_saved_model_is_in_the_overview(self):
        for name, saved in (("early", 264), ("late", 528)):
            self.add_log(name, *({"step": step, "loss": 0.5} for step in (264, 528)))
            (self.folder / name / "report.json").write_text(json.dumps({"saved_step": saved}))
        self.assertIn(["Saved model", "of step 264", "of the last step"], self.report("early", "late").tables[0])

    def test_errors_are_those_of_the_evaluations(self):
        self.add_log("wrong", {"step": 10, "eval_loss": 0.5})
        mistake = {"file": "dev.tsv", "row": 17, "label": "<i>a", "prediction": "b", "probability": 0.981, "loss": 3.1}
        classes = [{"name": "<i>a", "precision": 0.75, "recall": 0.6, "f1": 2 / 3, "support": 5, "right": 3},
                   {"name": "b", "precision": None, "recall": 0, "f1": 0, "support": 1, "right": 0}]
        line = {"step": 10, "set": "dev", "classes": classes, "confusions": [["<i>a", "b", 2], ["b", "<i>a", 1]],
                "mistakes": [mistake, {**mistake, "row": 18, "probability": None}]}
        (self.folder / "wrong" / "evaluations.jsonl").write_text(json.dumps(line) + "\n")
        (self.folder / "wrong" / "report.json").write_text(json.dumps({"texts": [["dev.tsv", 17, ["a <b>text</b>"]]]}))
        page = self.report("wrong")
        self.assertEqual(page.tables[1:], [
            [["", "precision", "recall", "F1", "support"],
             ["<i>a", "0.75", "0.6", "0.6667", "5"],
             ["b", "–", "0", "0", "1"]],
            [["", "<i>a", "b"], ["<i>a", "3", "2"], ["b", "1", "0"]],
        ])
        self.assertEqual(page.items, ["a <b>text</b>Label <i>a, predicted b (98.1 %) dev.tsv:17",
                                      "Label <i>a, predicted b dev.tsv:18"])

    def test_runs_of_one_folder_have_mean_and_standard_deviation(self):
        (self.folder / "folds").mkdir()
        for fold, loss in (("fold-1", 0.4), ("fold-2", 0.6)):
            self.add_log(f"folds/{fold}", {"step": 10, "eval_loss": loss})
        self.assertEqual(self.report("folds").tables[1], [["", "mean", "std", "fold-1", "fold-2"],
                                                          ["Loss", "0.5", "0.1414", "0.4 ★", "0.6"]])

    def test_logs_with_few_numbers_are_shown(self):
        self.add_log("empty")
        self.add_log("start", {"step": 0, "epoch": 0.0, "eval_loss": 0.69})
        self.add_log("diverged", {"step": 10, "loss": None}, {"step": 20, "loss": None})
        for run in ("empty", "start", "diverged"):
            with self.subTest(run):
                self.report(run)  # without messages in the console
        self.assertIn(["Steps", "0", "0", "20"], self.report("empty", "start", "diverged").tables[0])

    def test_a_narrow_window_needs_no_sideways_scrolling(self):
        self.assertEqual(self.report("tuned", "other", width=500).overflow, "0")


if __name__ == "__main__":
    if BROWSER is None:
        print("no Chromium")
        sys.exit(SKIPPED)
    unittest.main()
