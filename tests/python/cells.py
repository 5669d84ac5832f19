"""Executes the blocks of a page, or the cells of a notebook, in one namespace and in a folder of toy data.

usage: cells.py FILE, a JSON list of blocks

The value of the last expression of a block is shown as a notebook shows it, so faults of _repr_html_ are found.
"""

import ast
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import page_data  # noqa: E402

MODELS = page_data.DATA / "models"
# Names on the Hugging Face Hub -> the toy models behind them, beside those of page_data.
HUB_MODELS = {"distilbert-base-uncased": "distilbert_softmax", "facebook/opt-125m": "opt_lm"}


def toy_folder(folder):
    """Fills a new folder with toy data and models. Returns the environment of a process that uses it."""
    folder.mkdir()
    page_data.write_all(folder)
    for name, model in HUB_MODELS.items():
        page_data.model(folder / model, MODELS / model, positions=1024, tokenizer=page_data.DATA / "tiny_bert")
        page_data.cached_model(folder / "hub", name, folder / model)
    cache = os.environ.get("PORTATUNE_TEST_CACHE", str(folder / "cache"))  # of compiled programs
    return {**os.environ, "HOME": str(folder), "XDG_CACHE_HOME": cache, "HF_HOME": str(folder),
            "HF_HUB_CACHE": str(folder / "hub"), "HF_HUB_OFFLINE": "1", "MPLBACKEND": "Agg"}


def run(blocks, folder, environment):
    """Executes blocks in a new process. Returns its exit code and what it printed."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(blocks, file)
        file.flush()
        done = subprocess.run([sys.executable, "-B", __file__, file.name], cwd=folder, env=environment, text=True,
                              check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def execute(block, names, number):
    """Executes a block and shows the value of its last expression."""
    tree = ast.parse(block, f"block {number}")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, f"block {number}", "exec"), names)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), f"block {number}", "eval"), names)
        print(value._repr_html_()[:200] if hasattr(value, "_repr_html_") else repr(value)[:200])


def main():
    names = {"__name__": "__main__"}
    for number, block in enumerate(json.loads(pathlib.Path(sys.argv[1]).read_text()), start=1):
        try:
            execute(block, names, number)
        except BaseException:
            print(f"block {number} failed:\n{block}", file=sys.stderr)
            raise


if __name__ == "__main__":
    main()
