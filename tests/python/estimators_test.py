"""Estimators: the predictions of the command, and what scikit-learn does with an estimator."""

import os
import pathlib
import pickle
import subprocess
import sys
import unittest

import toy
from toy import MODEL, TRAIN, VALIDATION

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

import page_data  # noqa: E402

try:
    import numpy
    import sklearn
    from sklearn.base import clone
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer
except ImportError as missing:
    print(f"{missing.name} is not installed", file=sys.stderr)
    sys.exit(toy.SKIPPED)

from portatune.sklearn import (ImageClassifier, QuestionAnswerer, TextClassifier, TextRegressor,  # noqa: E402
                               TokenClassifier)

TEXTS, LABELS = ([row[name] for row in toy.rows()] for name in ("text", "label"))
NEW_TEXTS = [row["text"] for row in toy.rows(VALIDATION)]
PARAMETERS = {"max_length": 16, "batch_size": 4, "learning_rate": 1e-3, "options": {"max_steps": 6}}
WORDS = ("--max-length", 16, "--batch-size", 4, "--learning-rate", 1e-3, "--max-steps", 6)


def classifier(**parameters):
    return TextClassifier(str(MODEL), **{**PARAMETERS, **parameters})


class Text(toy.InFolder):
    """What one fitted classifier does."""

    @classmethod
    def setUpClass(cls):
        cls.fitted = classifier().fit(TEXTS, LABELS)

    def test_the_predictions_equal_those_of_the_command(self):
        toy.command("fit", "--model", MODEL, "--train", TRAIN, *WORDS, "--output", self.folder / "tuned")
        lines = toy.predictions("--model", self.folder / "tuned", "--data", VALIDATION)
        self.assertEqual(self.fitted.predict(NEW_TEXTS).tolist(), [line["label"] for line in lines])
        self.assertEqual(self.fitted.predict_proba(NEW_TEXTS).tolist(),
                         [[line["scores"][name] for name in self.fitted.classes_] for line in lines])

    def test_classes_are_sorted_and_probabilities_have_their_order(self):
        self.assertEqual(self.fitted.classes_.tolist(), sorted(set(LABELS)))
        probabilities = self.fitted.predict_proba(NEW_TEXTS)
        self.assertEqual(self.fitted.predict(NEW_TEXTS).tolist(),
                         self.fitted.classes_[probabilities.argmax(axis=1)].tolist())

    def test_the_score_is_the_accuracy(self):
        labels = [row["label"] for row in toy.rows(VALIDATION)]
        right = [predicted == label for predicted, label in zip(self.fitted.predict(NEW_TEXTS), labels)]
        self.assertAlmostEqual(self.fitted.score(NEW_TEXTS, labels), sum(right) / len(right))

    def test_a_pickle_has_the_model(self):
        expected = self.fitted.predict_proba(NEW_TEXTS)
        copy = classifier().fit(TEXTS, LABELS)
        stored, folder = pickle.dumps(copy), copy.model_
        del copy
        self.assertFalse(folder.exists())
        self.assertEqual(pickle.loads(stored).predict_proba(NEW_TEXTS).tolist(), expected.tolist())

    def test_a_clone_has_the_parameters_and_no_model(self):
        copy = clone(self.fitted)
        self.assertEqual(copy.get_params(), self.fitted.get_params())
        with self.assertRaises(sklearn.exceptions.NotFittedError):
            copy.predict(NEW_TEXTS)
        self.assertEqual(copy.set_params(epochs=7).epochs, 7)
        self.assertRaises(ValueError, copy.set_params, lerning_rate=1)

    def test_columns_and_arrays_are_the_same_as_a_list(self):
        expected = self.fitted.predict_proba(NEW_TEXTS).tolist()
        forms = [numpy.array(NEW_TEXTS), numpy.array(NEW_TEXTS, dtype=object)[:, None], tuple(NEW_TEXTS)]
        for module in ("pandas", "polars"):
            try:
                frame = __import__(module).DataFrame({"review": NEW_TEXTS})
            except ImportError:
                print(f"{module} is not installed", file=sys.stderr)
                continue
            forms += [frame, frame["review"]]
        for form in forms:
            with self.subTest(form=type(form)):
                self.assertEqual(self.fitted.predict_proba(form).tolist(), expected)

    def test_the_model_can_be_saved_and_has_a_report_and_a_history(self):
        saved = self.fitted.save(self.folder / "saved")
        lines = toy.predictions("--model", saved, "--data", VALIDATION)
        self.assertEqual(self.fitted.predict(NEW_TEXTS).tolist(), [line["label"] for line in lines])
        self.assertTrue(self.fitted.report().startswith("<!doctype html>"))
        self.assertEqual(self.fitted.history_[-1]["step"], 6)

    def test_wrong_inputs_are_refused(self):
        cases = [("a text", "str"), ([], "no rows"), ([b"bytes"], "bytes"), ([1, 2], "row 0"), (["a", None], "row 1"),
                 ([("a", "b", "c")], "3 columns"), ([("a", "b"), ("a",)], "rows of 1 and of 2"),
                 ({"text": ["a"]}, "dict")]
        for X, words in cases:
            with self.subTest(X=X), self.assertRaisesRegex(ValueError, words):
                self.fitted.predict(X)

    def test_wrong_labels_are_refused(self):
        texts = TEXTS[:4]
        for y, words in [(["a", "b"], "X has 4, y has 2"), (["a"] * 4, "alone"), ([0.5, 1, 0, 1], "fractions"),
                         (None, "missing"), ([1, 2, float("nan"), 1], "missing"), ([[1, 2]] * 4, "0 and 1")]:
            with self.subTest(y=y), self.assertRaisesRegex(ValueError, words):
                classifier().fit(texts, y)

    def test_options_that_are_parameters_are_refused(self):
        with self.assertRaisesRegex(ValueError, "options has batch_size"):
            classifier(options={"batch_size": 2}).fit(TEXTS, LABELS)


class Training(unittest.TestCase):
    """What changes the weights."""

    def weights(self, labels=LABELS, sample_weight=None, **parameters):
        fitted = classifier(**parameters).fit(TEXTS, labels, sample_weight)
        return toy.weights(fitted.model_)

    def test_random_state_is_the_seed(self):
        seeds = [self.weights(random_state=state) for state in (42, None, 7, numpy.random.RandomState(0))]
        self.assertEqual(seeds[0], seeds[1])
        self.assertEqual(len(set(seeds)), 3)

    def test_balanced_class_weights_are_those_of_scikit_learn(self):
        labels = [LABELS[0]] * 32 + [next(label for label in LABELS if label != LABELS[0])] * 16
        weights = dict(zip(*numpy.unique(labels, return_counts=True)))
        weights = {str(label): len(labels) / (2 * count) for label, count in weights.items()}
        balanced, given, plain = (self.weights(labels, class_weight=one) for one in ("balanced", weights, None))
        self.assertEqual(balanced, given)
        self.assertNotEqual(balanced, plain)
        with self.assertRaisesRegex(ValueError, "class_weight has no"):
            classifier(class_weight={"goood": 2}).fit(TEXTS, LABELS)

    def test_sample_weights_scale_the_loss_of_rows(self):
        plain = self.weights()
        self.assertEqual(self.weights(sample_weight=numpy.ones(len(TEXTS))), plain)
        self.assertNotEqual(self.weights(sample_weight=[1, 3] * (len(TEXTS) // 2)), plain)

    def test_a_fraction_is_held_out(self):
        history = classifier(validation_fraction=0.25).fit(TEXTS, LABELS).history_
        self.assertIn("eval_accuracy", history[-1])

    def test_labels_of_other_types_keep_it(self):
        for first, second in ((0, 1), (10, 9), (True, False), (1.0, 2.0)):
            fitted = classifier().fit(TEXTS, [first if label == "good" else second for label in LABELS])
            with self.subTest(labels=(first, second)):
                self.assertEqual(fitted.classes_.tolist(), sorted([first, second]))
                self.assertIsInstance(fitted.predict(NEW_TEXTS).tolist()[0], type(first))


class SearchesAndPipelines(unittest.TestCase):
    def test_cross_validation(self):
        self.assertEqual(len(cross_val_score(classifier(), TEXTS, LABELS, cv=2, error_score="raise")), 2)

    def test_a_search_in_several_processes(self):
        grid = {"model__learning_rate": [1e-5, 3e-3]}
        pipeline = make_pipeline(FunctionTransformer(lower), classifier())
        pipeline.steps[-1] = ("model", pipeline.steps[-1][1])
        search = GridSearchCV(pipeline, grid, cv=2, n_jobs=2, error_score="raise").fit(numpy.array(TEXTS), LABELS)
        self.assertEqual(search.predict(NEW_TEXTS).shape, (len(NEW_TEXTS),))
        self.assertIn(search.best_params_["model__learning_rate"], grid["model__learning_rate"])

    def test_calibrated_probabilities(self):
        calibrated = CalibratedClassifierCV(classifier(), cv=2).fit(TEXTS, LABELS)
        self.assertTrue(numpy.allclose(calibrated.predict_proba(NEW_TEXTS).sum(axis=1), 1))


def lower(texts):
    return [text.lower() for text in texts]


class PairsAndTargets(toy.InFolder):
    def test_pairs_are_those_of_the_command(self):
        pairs = list(zip(TEXTS, reversed(TEXTS)))
        fitted = classifier().fit(pairs, LABELS)
        (self.folder / "pairs.csv").write_text("a,b,label\n" + "".join(
            f"{text},{other},{label}\n" for (text, other), label in zip(pairs, LABELS)))
        toy.command("fit", "--model", MODEL, "--train", self.folder / "pairs.csv", "--text-column", "a", *WORDS,
                    "--text-pair-column", "b", "--output", self.folder / "tuned")
        lines = toy.predictions("--model", self.folder / "tuned", "--data", self.folder / "pairs.csv")
        self.assertEqual(fitted.predict_proba(pairs).tolist(),
                         [[line["scores"][name] for name in fitted.classes_] for line in lines])
        self.assertEqual(fitted.predict(numpy.array(pairs)).tolist(), [line["label"] for line in lines])

    def test_several_labels_for_a_text(self):
        y = numpy.array([[index % 2, index % 3 == 0, label == "good"] for index, label in enumerate(LABELS)], dtype=int)
        fitted = classifier().fit(TEXTS, y)
        probabilities, predicted = fitted.predict_proba(NEW_TEXTS), fitted.predict(NEW_TEXTS)
        self.assertEqual(predicted.tolist(), (probabilities >= 0.5).astype(int).tolist())
        self.assertEqual(predicted.shape, (len(NEW_TEXTS), 3))
        self.assertEqual(fitted.score(TEXTS, y), (fitted.predict(TEXTS) == y).all(axis=1).mean())

    def test_numbers_are_those_of_the_command(self):
        numbers = [len(text) / 50 for text in TEXTS]
        fitted = TextRegressor(str(MODEL), **PARAMETERS).fit(TEXTS, numbers)
        (self.folder / "numbers.csv").write_text("text,label\n" + "".join(
            f"{text},{number}\n" for text, number in zip(TEXTS, numbers)))
        toy.command("fit", "--model", MODEL, "--train", self.folder / "numbers.csv", "--head", "regression", *WORDS,
                    "--output", self.folder / "tuned")
        lines = toy.predictions("--model", self.folder / "tuned", "--data", VALIDATION)
        self.assertEqual(fitted.predict(NEW_TEXTS).tolist(), [line["score"] for line in lines])
        predicted = fitted.predict(TEXTS)
        expected = 1 - ((predicted - numbers) ** 2).sum() / ((numbers - numpy.mean(numbers)) ** 2).sum()
        self.assertAlmostEqual(fitted.score(TEXTS, numbers), expected)

    def test_several_numbers_for_a_text(self):
        numbers = numpy.array([[len(text) / 50, text.count("o") / 10] for text in TEXTS])
        fitted = TextRegressor(str(MODEL), **PARAMETERS).fit(TEXTS, numbers)
        self.assertEqual(fitted.predict(NEW_TEXTS).shape, (len(NEW_TEXTS), 2))
        single = fitted.predict(TEXTS)
        self.assertEqual(clone(fitted).fit(TEXTS, numbers[:, ::-1]).predict(TEXTS).shape, single.shape)


class OtherTasks(toy.InFolder):
    def test_tags_are_those_of_the_command(self):
        words, tags = ["we", "saw", "the", "film"], ["O", "O", "B-WORK", "I-WORK"]
        fitted = TokenClassifier(str(MODEL), **PARAMETERS).fit([words] * 16, [tags] * 16)
        self.assertEqual(fitted.classes_.tolist(), ["B-WORK", "I-WORK", "O"])
        (self.folder / "train.conll").write_text("".join(
            "".join(f"{word} {tag}\n" for word, tag in zip(words, tags)) + "\n" for _ in range(16)))
        toy.command("fit", "--task", "token-classification", "--model", MODEL, "--train", self.folder / "train.conll",
                    *WORDS, "--output", self.folder / "tuned")
        lines = toy.predictions("--model", self.folder / "tuned", "--data", self.folder / "train.conll")
        self.assertEqual(fitted.predict([words] * 2), [line["tags"] for line in lines[:2]])
        right = [predicted == tag for predicted, tag in zip(fitted.predict([words])[0], tags)]
        self.assertEqual(fitted.score([words], [tags]), sum(right) / 4)
        self.assertEqual(len(cross_val_score(clone(fitted), [words] * 8, [tags] * 8, cv=2, error_score="raise")), 2)
        with self.assertRaisesRegex(ValueError, "row 0 of X has 4, row 0 of y has 3"):
            fitted.fit([words], [tags[:3]])

    def test_pictures_may_be_files_or_arrays(self):
        model = self.folder / "vit"
        page_data.image_model(model)
        page_data.photos(self.folder / "photos")
        files = sorted((self.folder / "photos").rglob("*.png"))
        labels = [file.parent.name for file in files]
        parameters = {"batch_size": 4, "learning_rate": 1e-3, "options": {"max_steps": 4}}
        fitted = ImageClassifier(str(model), **parameters).fit(files, labels)
        table = self.folder / "photos.csv"
        table.write_text("image,label\n" + "".join(f"{file},{label}\n" for file, label in zip(files, labels)))
        toy.command("fit", "--task", "image-classification", "--model", model, "--train", table, *WORDS[2:-1], 4,
                    "--output", self.folder / "tuned")
        lines = toy.predictions("--model", self.folder / "tuned", "--data", table)
        self.assertEqual(fitted.predict_proba(files).tolist(),
                         [[line["scores"][name] for name in "01"] for line in lines])
        colours = numpy.array([[200, 20, 20], [20, 20, 200]], numpy.uint8)
        arrays = [numpy.broadcast_to(colours[int(file.parent.name == "0")], (16, 16 + int(file.stem), 3))
                  for file in files]
        self.assertEqual(fitted.predict_proba(arrays).tolist(), fitted.predict_proba(files).tolist())
        self.assertEqual(fitted.predict(arrays).tolist(), [line["label"] for line in lines])
        with self.assertRaisesRegex(ValueError, "float64"):
            fitted.predict([numpy.zeros((4, 4))])

    def test_answers_are_texts_of_the_context(self):
        context = "we saw the film and the film was good"
        pairs, answers = [("was it good", context)] * 16, ["good", ""] * 8
        fitted = QuestionAnswerer(str(MODEL), **{**PARAMETERS, "max_length": 32}).fit(pairs, answers)
        page_data.questions(self.folder)
        toy.command("fit", "--task", "question-answering", "--model", MODEL, "--train", self.folder / "train-v2.0.json",
                    "--version-2-with-negative", "--max-length", 32, *WORDS[2:], "--output", self.folder / "tuned")
        lines = toy.predictions("--model", self.folder / "tuned", "--data", self.folder / "dev-v2.0.json")
        self.assertEqual(fitted.predict(pairs).tolist(), [line["prediction_text"] for line in lines])
        self.assertTrue(all(answer in context for answer in fitted.predict(pairs)))
        self.assertTrue(0 <= fitted.score(pairs, answers) <= 1)
        with self.assertRaisesRegex(ValueError, "row 0 of y is 'no film'"):
            fitted.fit(pairs[:1], ["no film"])


class WithoutScikitLearn(unittest.TestCase):
    SCRIPT = """
import sys
if sys.argv[2] == "without":
    sys.modules["sklearn"] = sys.modules["sklearn.base"] = None  # importing them raises ImportError
import toy
from portatune.sklearn import TextClassifier, TextRegressor

texts, labels = ([row[name] for row in toy.rows()] for name in ("text", "label"))
numbers, weights = [len(text) for text in texts], [1, 2] * (len(texts) // 2)
options = {"max_length": 16, "batch_size": 4, "options": {"max_steps": 2}}
classifier = TextClassifier(sys.argv[1], **options).set_params(learning_rate=1e-3)
regressor = TextRegressor(sys.argv[1], **options)
try:
    classifier.predict(texts)
except (ValueError, AttributeError) as error:
    print(error)
print(classifier.fit(texts, labels).score(texts, labels, weights))
print(regressor.fit(texts, numbers).score(texts, numbers, weights))
print(sorted(classifier.get_params()))
print(repr(classifier).startswith("TextClassifier("), classifier.__class__.__mro__[-2].__module__)
"""

    def test_they_work_alike(self):
        paths = os.pathsep.join([str(pathlib.Path(__file__).parent), *filter(None, sys.path)])
        with_it, without = (subprocess.run([sys.executable, "-c", self.SCRIPT, MODEL, which], check=True, text=True,
                                           capture_output=True, env={**os.environ, "PYTHONPATH": paths})
                            .stdout.splitlines() for which in ("with", "without"))
        self.assertEqual([without[0], without[3]], [with_it[0], with_it[3]])
        for ours, theirs in zip(without[1:3], with_it[1:3]):
            self.assertAlmostEqual(float(ours), float(theirs), places=9)
        self.assertEqual(without[4], "True portatune._without_sklearn")


if __name__ == "__main__":
    toy.main()
