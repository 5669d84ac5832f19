"""tools/demo_data.py: labels, the held-out fifth, and the omitted reviews."""

import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "demo_data.py"

# 16 is 1 modulo 5, so an md5 sum modulo 5 is the sum of its hex digits: c4ca4238a0b923820dcc509a6f75849b, that of "1",
# gives 1; a87ff679a2f3e71d9181a67b7542122c ("4") and 8f14e45fceea167a5a36dedd4bea2543 ("7") give 0 and are held out.
REVIEWS = (
    "1\t2.26666666667\tA splash even greater\r\n"
    "4\t-0.6\tEffective but too tepid\r\n"
    "7\t0.2\tcaf\u00e9, a good place to start\r\n"
    "77\t0.0\tAbsorbing and disturbing\r\n"
)


def add_file(archive, name, content):
    member = tarfile.TarInfo(name)
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))


def write_source_archive(path):
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w:gz") as archive:
        add_file(archive, "hutto_ICWSM_2014/movieReviewSnippets_GroundTruth.txt", REVIEWS.encode("utf-8"))
    with tarfile.open(path, "w:gz") as archive:
        add_file(archive, "vaderSentiment-3.3.2/additional_resources/hutto_ICWSM_2014.tar.gz", inner.getvalue())


class DemoData(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        write_source_archive(self.folder / "source.tar.gz")
        command = [sys.executable, TOOL, self.folder / "source.tar.gz", self.folder / "reviews"]
        subprocess.run(command, check=True, capture_output=True)

    def read(self, name):
        return (self.folder / "reviews" / name).read_text(encoding="utf-8")

    def test_train_holds_the_ids_that_are_not_held_out(self):
        self.assertEqual(self.read("train.tsv"), "id\tlabel\ttext\n1\t1\tA splash even greater\n")

    def test_validation_labels_ratings_above_zero_and_leaves_out_zero(self):
        expected = "id\tlabel\ttext\n4\t0\tEffective but too tepid\n7\t1\tcaf\u00e9, a good place to start\n"
        self.assertEqual(self.read("validation.tsv"), expected)


if __name__ == "__main__":
    unittest.main()
