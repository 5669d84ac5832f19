"""Predictions and histories as arrays and tables."""

import toy
from portatune._tables import Predictions
from toy import VALIDATION

ROWS = [{"row": 0, "label": "a", "score": 0.5, "scores": {"a": 0.5, "b": 0.25}, "logits": [1, 2.5]},
        {"row": 1, "label": "b", "score": None, "scores": {"a": 0.0, "b": 1.0}, "logits": [3, 4]}]


class Tables(toy.InFolder):
    def test_columns_are_arrays(self):
        numpy = toy.installed("numpy")
        arrays = Predictions(ROWS).to_numpy()
        self.assertEqual(arrays["row"].tolist(), [0, 1])
        self.assertEqual(arrays["label"].tolist(), ["a", "b"])
        self.assertTrue(numpy.isnan(arrays["score"][1]))
        self.assertEqual(arrays["scores"].tolist(), [[0.5, 0.25], [0, 1]])
        self.assertEqual(arrays["logits"].tolist(), [[1, 2.5], [3, 4]])

    def test_lists_of_different_lengths_stay_lists(self):
        toy.installed("numpy")
        tags = Predictions([{"tags": ["O"]}, {"tags": ["O", "B"]}, {}]).to_numpy()["tags"]
        self.assertEqual(tags.tolist(), [["O"], ["O", "B"], None])
        self.assertEqual(Predictions().to_numpy(), {})

    def test_a_table_of_arrow_has_all_columns(self):
        toy.installed("pyarrow")
        table = Predictions([*ROWS, {"row": 2, "other": True}]).to_arrow()
        self.assertEqual(table.column_names, ["row", "label", "score", "scores", "logits", "other"])
        self.assertEqual(table["scores"][0].as_py(), {"a": 0.5, "b": 0.25})
        self.assertEqual(table["label"].null_count, 1)

    def test_results_of_a_run_have_these_forms(self):
        numpy = toy.installed("numpy")
        run = self.fit(validation=VALIDATION)
        predicted = run.predict(VALIDATION).to_numpy()
        self.assertEqual(predicted["logits"].shape, (len(toy.rows(VALIDATION)), 2))
        numpy.testing.assert_array_equal(predicted["score"], predicted["scores"].max(axis=1))
        self.assertEqual(len(run.history.to_numpy()["step"]), len(run.history))
        toy.installed("pyarrow")
        self.assertEqual(run.history.to_arrow().num_rows, len(run.history))
        toy.installed("pandas")
        self.assertEqual(list(run.predict(VALIDATION).to_pandas()["row"]), predicted["row"].tolist())


if __name__ == "__main__":
    toy.main()
