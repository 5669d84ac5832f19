"""Rows in memory: the weights are those of a run on the file with the same rows."""

import portatune
import toy


class Rows(toy.InFolder):
    def setUp(self):
        super().setUp()
        self.rows = toy.rows()
        self.columns = {name: [row[name] for row in self.rows] for name in self.rows[0]}

    def check(self, rows):
        expected = toy.weights(self.fit(name="file").model)
        self.assertEqual(toy.weights(self.fit(rows, name="memory").model), expected)

    def test_a_list_of_rows(self):
        self.check(self.rows)

    def test_a_dict_of_columns(self):
        self.check(self.columns)

    def test_a_function_that_makes_rows(self):
        self.check(lambda: iter(self.rows))

    def test_a_table_of_pandas(self):
        self.check(toy.installed("pandas").DataFrame(self.columns))

    def test_a_table_of_pyarrow(self):
        self.check(toy.installed("pyarrow").table(self.columns))

    def test_a_table_of_polars(self):
        self.check(toy.installed("polars").DataFrame(self.columns))

    def test_numbers_and_missing_values(self):
        rows = {"text": ["good", "bad"] * 8, "label": [0, 1] * 8, "score": [1.5, float("nan")] * 8}
        run = self.fit(rows, validation=rows, max_steps=1)
        self.assertEqual(run.result["train_examples"], 16)
        self.assertEqual({line["label"] for line in run.predict(rows)} - {"0", "1", 0, 1}, set())

    def test_a_run_resumes_on_the_same_rows_alone(self):
        self.fit(self.rows, max_steps=3, save_strategy="steps", save_steps=3)
        with self.assertRaises(portatune.UsageError):
            self.fit(self.rows[1:], resume=True)
        self.assertEqual(self.fit(self.rows, resume=True).result["steps"], 6)

    def test_columns_of_different_lengths_are_refused(self):
        with self.assertRaisesRegex(ValueError, "lengths"):
            self.fit({"text": ["a"], "label": []})

    def test_texts_are_no_rows(self):
        with self.assertRaisesRegex(ValueError, "row 0 is a str; expected a dict"):
            self.fit(lambda: ["good", "bad"])


if __name__ == "__main__":
    toy.main()
