"""load: the predictions of predict() by a model that stays in memory."""

import unittest

import portatune
import toy
from toy import VALIDATION


class Load(toy.InFolder):
    def test_predictions_are_those_of_the_function(self):
        run = self.fit()
        model = portatune.load(run.model, max_length=16, quiet=True)
        rows = toy.rows(VALIDATION)
        expected = portatune.predict(run.model, rows, quiet=True)
        for data in (rows, [row["text"] for row in rows], {"text": [row["text"] for row in rows]}):
            found = model.predict(data)
            self.assertEqual([row["row"] for row in found], list(range(len(rows))))
            self.assertEqual([row["label"] for row in found], [row["label"] for row in expected])
            for row, other in zip(found, expected):
                self.assertAlmostEqual(row["score"], other["score"], places=6)

    def test_one_text_is_one_row(self):
        model = portatune.load(self.fit().model, max_length=16, quiet=True)
        self.assertEqual(model.predict("a fine film"), model.predict(["a fine film"]))
        self.assertEqual(model.predict([]), [])

    def test_texts_may_have_the_keyword_of_the_function(self):
        model = portatune.load(self.fit().model, max_length=16, quiet=True)
        texts = ["a fine film", "a dull film"]
        self.assertEqual(model.predict(text=texts), model.predict(texts))
        with self.assertRaisesRegex(portatune.UsageError, "data and text"):
            model.predict(texts, text=texts)

    def test_a_missing_text_has_an_error_with_its_number(self):
        with self.assertRaisesRegex(portatune.DataError, r"data, row 1\n +given +None\n +expected +a text"):
            portatune.load(self.fit().model, quiet=True).predict(["good", None])

    def test_a_row_without_the_column_has_an_error_with_its_number(self):
        model = portatune.load(self.fit().model, quiet=True)
        with self.assertRaisesRegex(portatune.DataError, "rows:2"):
            model.predict([{"text": "a film"}, {"words": "a film"}])


if __name__ == "__main__":
    toy.main()
