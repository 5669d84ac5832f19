"""examples/service.cpp answers with the predictions of `portatune predict`, and refuses other requests."""

import json
import os
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

ROWS = [{"text": "good film"}, {"text": "a bad film that is far too long"}, {"text": "fine"}]


def without_row(prediction):
    return {key: value for key, value in prediction.items() if key != "row"}


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
        expected = [json.loads(line) for line in printed.splitlines()]
        for _ in range(2):
            answers = [json.loads(line) for line in self.post("\n".join(map(json.dumps, ROWS))).splitlines()]
            self.assertEqual(len(answers), len(expected))
            for answer, prediction in zip(answers, expected):
                self.assert_close(without_row(answer), without_row(prediction))
        self.assertEqual(len(self.post(json.dumps(ROWS[0])).splitlines()), 1)

    def assert_close(self, value, expected):
        if isinstance(expected, dict):
            self.assertEqual(value.keys(), expected.keys())
            for key in expected:
                self.assert_close(value[key], expected[key])
        elif isinstance(expected, list):
            self.assertEqual(len(value), len(expected))
            for element, expected_element in zip(value, expected):
                self.assert_close(element, expected_element)
        elif isinstance(expected, float) or isinstance(value, float):
            self.assertAlmostEqual(value, expected, places=5)
        else:
            self.assertEqual(value, expected)

    def test_null_is_an_empty_text(self):
        of_null, of_empty = self.post('{"text": null}'), self.post('{"text": ""}')
        self.assert_close(json.loads(of_null), json.loads(of_empty))

    def test_other_requests_are_refused(self):
        for body, reason in (("no JSON", "parse error"), ('{"words": "good"}', "text"), ('["good"]', "object")):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                self.post(body)
            self.assertEqual(refused.exception.code, 400)
            self.assertIn(reason, refused.exception.read().decode())


if __name__ == "__main__":
    unittest.main()
