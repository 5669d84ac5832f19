"""examples/service.cpp answers with the predictions of `portatune predict`, and refuses other requests."""

import json
import os
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

ROWS = [{"text": "good film"}, {"text": "a bad film that is far too long"}, {"text": "fine"}]


class Service(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = subprocess.Popen([os.environ["SERVICE"], os.environ["MODEL"], "0"], stdout=subprocess.PIPE,
                                       text=True)
        cls.addClassCleanup(cls.service.wait)
        cls.addClassCleanup(cls.service.stdout.close)
        cls.addClassCleanup(cls.service.kill)
        cls.url = cls.service.stdout.readline().strip()

    def post(self, body):
        request = urllib.request.Request(self.url, body.encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read().decode()

    def test_answers_are_those_of_the_command(self):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as rows:
            rows.write("".join(json.dumps(row) + "\n" for row in ROWS))
            rows.flush()
            printed = subprocess.run([os.environ["COMMAND"], "predict", "--model", os.environ["MODEL"], "--data",
                                      rows.name], check=True, capture_output=True, text=True).stdout
        expected = [{**json.loads(line)} for line in printed.splitlines()]
        for again in range(2):
            answers = [json.loads(line) for line in self.post("\n".join(map(json.dumps, ROWS))).splitlines()]
            self.assertEqual(len(answers), len(expected))
            for answer, prediction in zip(answers, expected):
                self.assertEqual(answer["label"], prediction["label"])
                self.assertAlmostEqual(answer["score"], prediction["score"], places=5)
        self.assertEqual(len(self.post(json.dumps(ROWS[0])).splitlines()), 1)

    def test_other_requests_are_refused(self):
        for body, reason in (("no JSON", "parse error"), ('{"words": "good"}', "text")):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                self.post(body)
            self.assertEqual(refused.exception.code, 400)
            self.assertIn(reason, refused.exception.read().decode())


if __name__ == "__main__":
    unittest.main()
