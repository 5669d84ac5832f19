"""tools/readme_commands.py: finds the commands of a README, and recognises each of its lines."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import readme_commands  # noqa: E402
from readme_commands import UnknownCommand, extract  # noqa: E402

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


class Extract(unittest.TestCase):
    def test_commands_come_from_blocks_sentences_and_tables(self):
        self.assertEqual(extract(README), [
            "make demo",
            "build/portatune fit --model DIR --train train.csv",
            "build/portatune devices",
            "portatune plan --help",
            f"mpirun -n 4 portatune fit {readme_commands.REST}",
            "build/portatune fit --output tuned --model bert",
        ])

    def test_a_line_of_another_program_is_unknown(self):
        with self.assertRaisesRegex(UnknownCommand, "frobnicate --fast"):
            extract("Text\n\n    frobnicate --fast\n")

    def test_the_readme_has_commands_of_each_kind(self):
        commands = "\n".join(extract((ROOT / "README.md").read_text()))
        for part in ("make build", "portatune fit", "portatune evaluate", "--task ", "--recipe ", "mpirun"):
            self.assertIn(part, commands)


if __name__ == "__main__":
    unittest.main()
