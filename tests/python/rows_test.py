"""Rows in memory: the weights are those of a run on the file with the same rows."""

import datetime
import json

import numpy
import portatune
import toy
from portatune import _rows


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

    def test_rows_by_index_alone(self):
        class Dataset:  # as those of torch.utils.data
            def __getitem__(_, index):
                return self.rows[index]

            def __len__(_):
                return len(self.rows)

        self.check(Dataset())

    def test_a_table_of_pandas(self):
        self.check(toy.installed("pandas").DataFrame(self.columns))

    def test_columns_of_one_name_are_refused(self):
        pandas = toy.installed("pandas")
        table = pandas.DataFrame([["a", "b", "good"]] * 4, columns=["text", "text", "label"])
        with self.assertRaisesRegex(portatune.DataError, r"train\n +given +two columns 'text'"):
            self.fit(table)

    def test_a_table_of_pyarrow(self):
        self.check(toy.installed("pyarrow").table(self.columns))

    def test_a_table_of_polars(self):
        self.check(toy.installed("polars").DataFrame(self.columns))

    def test_numbers_and_missing_values(self):
        rows = {"text": ["good", "bad"] * 8, "label": [0, 1] * 8, "score": [1.5, float("nan")] * 8}
        run = self.fit(rows, validation=rows, max_steps=1)
        self.assertEqual(run.result["train_examples"], 16)
        self.assertEqual({line["label"] for line in run.predict(rows)} - {"0", "1", 0, 1}, set())

    def test_numbers_that_are_not_finite_are_empty(self):
        path = _rows.write([{"a": float("nan"), "b": [1.0, float("inf")], "c": numpy.float32("nan")}],
                           self.folder / "rows.jsonl")
        self.assertEqual(json.loads(path.read_text()), {"a": None, "b": [1.0, None], "c": None})
        self.assertEqual(_rows.function_of_texts(lambda row: row)({"a": float("nan")}), {"a": ""})

    def test_a_run_resumes_on_the_same_rows_alone(self):
        self.fit(self.rows, max_steps=3, save_strategy="steps", save_steps=3)
        with self.assertRaises(portatune.UsageError):
            self.fit(self.rows[1:], resume=True)
        self.assertEqual(self.fit(self.rows, resume=True).result["steps"], 6)

    def test_columns_of_different_lengths_are_refused(self):
        with self.assertRaisesRegex(ValueError, "(?s)train.*lengths"):
            self.fit({"text": ["a"], "label": []})

    def test_a_value_without_a_text_is_refused(self):
        image = type("Image", (), {"getpixel": None})()
        words = r"train, row 1\n +given +a value of type Image\n.*\n +fix +images are paths"
        with self.assertRaisesRegex(portatune.DataError, words):
            self.fit({"text": ["a", "b"], "label": ["good", image]})

    def test_half_a_character_is_refused(self):
        words = r"train, row 1\n +given +'\\ud83d' in a text\n"
        with self.assertRaisesRegex(portatune.DataError, words):
            self.fit({"text": ["a", "a \ud83d"], "label": ["good", "bad"]})

    def test_texts_are_no_rows(self):
        with self.assertRaisesRegex(ValueError, r"train, row 0\n +given +a value of type str\n +expected +a dict"):
            self.fit(lambda: ["good", "bad"])

    def test_several_tables_are_refused(self):
        table = type("Table", (), {"column_names": ["text", "label"]})
        with self.assertRaisesRegex(ValueError, r"several tables: train, test\n.*\n +fix +train=tables\['train'\]"):
            self.fit({"train": table(), "test": table()})


TEXTS = ["", "a\tb\n\"c\" \\ \x00\x1f\x7f", "größer 😀", None, "a text of more than twelve bytes", "x"]


class Arrow(toy.InFolder):
    """Tables that give their columns as Arrow C streams, compared with what pyarrow makes of each value."""

    def lines(self, table):
        path = _rows.write(table, self.folder / "rows.jsonl")
        self.addCleanup(path.unlink, missing_ok=True)
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
        path.unlink()
        return lines

    def check(self, array):
        """Writes an array, parts of it, and the same in two chunks."""
        pyarrow = toy.installed("pyarrow")
        expected = [value.decode() if isinstance(value, bytes) else value for value in array.to_pylist()]
        self.assertTrue(core_writes(pyarrow.table({"x": array})), array.type)
        for begin, end in ((0, len(array)), (1, len(array)), (3, 4), (2, 2)):
            part = pyarrow.table({"x": array[begin:end]})
            self.assertEqual([line["x"] for line in self.lines(part)], expected[begin:end], array.type)
        chunks = pyarrow.table({"x": pyarrow.chunked_array([array[1:], array[:2]])})
        self.assertEqual([line["x"] for line in self.lines(chunks)], expected[1:] + expected[:2])

    def test_texts(self):
        pyarrow = toy.installed("pyarrow")
        for name in ("string", "large_string", "string_view", "binary", "large_binary", "binary_view"):
            kind = getattr(pyarrow, name)()
            values = [text.encode() if text and "binary" in name else text for text in TEXTS]
            self.check(pyarrow.array(values, kind))
            self.check(pyarrow.array(values[:2] + values[4:], kind))  # without missing values

    def test_numbers(self):
        pyarrow = toy.installed("pyarrow")
        self.check(pyarrow.array([None] * 5))
        self.check(pyarrow.array([True, False, None, True, True] * 3))
        for bits in (8, 16, 32, 64):
            top = 2 ** (bits - 1)
            self.check(pyarrow.array([0, -top, None, top - 1, 7], f"int{bits}"))
            self.check(pyarrow.array([0, 2 * top - 1, None, 1, 7], f"uint{bits}"))
        for kind in ("float16", "float32", "float64"):
            self.check(pyarrow.array([0.5, -1024.0, None, 1.5, 2.0], kind))
        self.check(pyarrow.array([0.1, 1e300, None, -1e-300, 3.0]))
        self.assertEqual(self.lines(pyarrow.table({"x": pyarrow.array([0.1], "float32")})), [{"x": 0.1}])
        infinite = pyarrow.table({"x": [float("nan"), float("inf")]})
        self.assertEqual(self.lines(infinite), [{"x": None}, {"x": None}])

    def test_lists_structs_and_dictionaries(self):
        pyarrow = toy.installed("pyarrow")
        lists = [[1, 2], [], None, [None], [3, 4, 5]]
        for name in ("list_", "large_list", "list_view", "large_list_view"):
            self.check(pyarrow.array(lists, getattr(pyarrow, name)(pyarrow.int16())))
        self.check(pyarrow.array([[1, 2], [3, None], None, [5, 6], [7, 8]], pyarrow.list_(pyarrow.int64(), 2)))
        structs = [{"a": text, "b\"": [{"c": len(text or "")}]} for text in TEXTS]
        self.check(pyarrow.array([*structs, None]))
        self.check(pyarrow.array(structs)[2:])
        for index in ("int8", "uint16", "int32", "uint64"):
            kind = pyarrow.dictionary(index, pyarrow.string())
            self.check(pyarrow.DictionaryArray.from_arrays(pyarrow.array([1, 0, None, 2, 1], index),
                                                           pyarrow.array(["a", None, "c"])))
            self.check(pyarrow.array(["x", "y", None, "x", "z"]).dictionary_encode().cast(kind))

    def test_a_reader_gives_its_rows_once(self):
        pyarrow = toy.installed("pyarrow")
        table = pyarrow.table({"text": TEXTS, "label": range(6)})
        reader = pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=2))
        self.assertEqual(self.lines(reader), table.to_pylist())

    def test_tables_of_other_packages(self):
        rows = [{"text": text, "label": number} for number, text in enumerate(TEXTS)]
        polars = toy.installed("polars")
        frame = polars.DataFrame(rows).with_columns(polars.lit("new").cast(polars.Categorical).alias("kind"))
        self.assertEqual(self.lines(frame), [{**row, "kind": "new"} for row in rows])
        self.assertEqual(self.lines(frame.lazy().drop("kind")), rows)
        frame = toy.installed("pandas").DataFrame(rows)
        self.assertEqual(self.lines(frame), rows)
        self.assertEqual(self.lines(frame[frame.label % 2 == 1]), rows[1::2])  # without its index

    def test_a_data_set_of_datasets(self):
        rows = [{"text": text, "label": number} for number, text in enumerate(TEXTS)]
        datasets, pyarrow = toy.installed("datasets"), toy.installed("pyarrow")
        # from_list() and select() pickle the table for a fingerprint, which fails in datasets 5.2 with pyarrow 26.
        data_set = datasets.Dataset(datasets.table.InMemoryTable(pyarrow.Table.from_pylist(rows)), fingerprint="toy")
        self.assertEqual(self.lines(data_set), rows)
        chosen = data_set.select([4, 0, 1], new_fingerprint="chosen")
        self.assertEqual(self.lines(chosen), [rows[4], rows[0], rows[1]])
        with self.assertRaisesRegex(portatune.DataError, r"several tables: train\n.*\n +fix +rows=tables\['train'\]"):
            self.lines(datasets.DatasetDict(train=data_set))

    def test_records_of_numpy(self):
        records = toy.installed("numpy").array([("a film", 1), ("no", 0)], dtype=[("text", "U9"), ("label", "i4")])
        self.assertEqual(self.lines(records), [{"text": "a film", "label": 1}, {"text": "no", "label": 0}])

    def test_columns_without_a_form_go_through_python(self):
        pyarrow, pandas = toy.installed("pyarrow"), toy.installed("pandas")
        dates = pyarrow.table({"x": [datetime.date(2026, 11, 28)]})
        self.assertFalse(core_writes(dates))
        self.assertEqual(self.lines(dates), [{"x": "2026-11-28"}])
        self.assertEqual(self.lines(pandas.DataFrame({"x": [1, "a", [2]]})), [{"x": 1}, {"x": "a"}, {"x": [2]}])

    def test_bytes_that_are_no_text_are_refused(self):
        pyarrow = toy.installed("pyarrow")
        with self.assertRaisesRegex(portatune.DataError, "not UTF-8") as caught:
            self.lines(pyarrow.table({"x": [b"fine", b"\xff"]}))
        self.assertIn("row 1", str(caught.exception))


def core_writes(table):
    """Whether the compiled module writes a table."""
    return _rows.core.append_arrow_rows(table.__arrow_c_stream__(), "/dev/null")


if __name__ == "__main__":
    toy.main()
