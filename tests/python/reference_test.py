"""The reference of the package (docs/python_reference.py) has all public names with what their docstrings say."""

import pathlib
import re
import sys

import portatune
import toy

sys.path.insert(0, str(toy.DATA.parents[1] / "docs"))

import python_reference  # noqa: E402

STUBS = pathlib.Path(portatune.__file__).parent / "lib" / "_core"


class Reference(toy.InFolder):
    def test_it_has_all_names_of_the_package(self):
        page = "".join(python_reference.reference(STUBS))
        names = set(portatune.__all__) - {"nn", "ops", "options"}
        self.assertLessEqual(names, set(re.findall(r"(?m)^### (\w+)$", page)))
        self.assertIn("\n## portatune.ops\n", page)
        self.assertIn("\nsoftmax(x: Value, axis: int = -1) -> Value\n", page)

    def test_docstrings_become_markdown(self):
        text = ('Makes it.\n\n    make("it")\n\nIt is made.\n\n'
                "Args:\n    it: what is made,\n        wholly\n    to: where")
        self.assertEqual(python_reference.markdown(text),
                         'Makes it.\n\n```python\nmake("it")\n```\n\nIt is made.\n\nArgs:\n\n'
                         "- `it`: what is made, wholly\n- `to`: where\n")


if __name__ == "__main__":
    toy.main()
