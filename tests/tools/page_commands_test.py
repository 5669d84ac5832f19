"""tools/page_commands.py: finds the commands of pages, and recognises each line of the README."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import page_commands  # noqa: E402
from page_commands import UnknownCommand, extract, extract_blocks, files_of  # noqa: E402

README = """# Title

    make demo     trains a model
    build/portatune fit --model DIR \\
      --train train.csv   # a comment

Text with `--option`, `portatune plan`, and `mpirun -n 4 portatune fit ...`.

```sh
$ build/portatune devices
platform  cpu
```

```cmake
find_package(portatune)
```

`P` is short for `build/portatune fit --output tuned`.

| task | command |
| --- | --- |
| one | `P --model bert` |
"""

PAGE = """# Title

    portatune fit --recipe r.yaml ...    # a comment
    loss 0.5

```console
$ RANK=0 portatune evaluate --model other ... --json
accuracy 0.9
```

Text with `portatune plan`.

```yaml
# r.yaml
task: masked-lm
```

```yaml
task: causal-lm
```
"""


class Extract(unittest.TestCase):
    def test_commands_come_from_blocks_sentences_and_tables(self):
        self.assertEqual(extract(README), [
            "make demo",
            "build/portatune fit --model DIR --train train.csv",
            "build/portatune devices",
            "portatune plan --help",
            f"mpirun -n 4 portatune fit {page_commands.REST}",
            "build/portatune fit --output tuned --model bert",
        ])

    def test_a_line_of_another_program_is_unknown(self):
        with self.assertRaisesRegex(UnknownCommand, "frobnicate --fast"):
            extract("Text\n\n    frobnicate --fast\n")

    def test_the_readme_has_commands_of_each_kind(self):
        commands = "\n".join(extract((ROOT / "README.md").read_text()))
        for part in ("make build", "portatune fit", "portatune evaluate", "--task ", "--recipe ", "mpirun"):
            self.assertIn(part, commands)

    def test_commands_of_a_page_come_from_its_blocks(self):
        self.assertEqual(extract_blocks(PAGE), [
            f"portatune fit --recipe r.yaml {page_commands.REST}",
            "RANK=0 portatune evaluate --model other --train train.csv --validation dev.csv --output tuned --json",
        ])

    def test_a_page_shows_files(self):
        self.assertEqual(files_of(PAGE), {"r.yaml": "task: masked-lm\n"})

    def test_pages_of_tasks_have_commands(self):
        for page in (ROOT / "docs" / "tasks").glob("*.md"):
            self.assertTrue(extract_blocks(page.read_text()), page)


if __name__ == "__main__":
    unittest.main()
