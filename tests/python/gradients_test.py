"""Steps with gradients of one's own, compared with the steps of batches and with torch."""

import portatune
import toy

# Without clipping and decay, a step of SGD subtracts the gradient.
SUBTRACT = {"optim": "sgd", "learning_rate": 1, "lr_scheduler_type": "constant", "max_grad_norm": 0}


class InMemory(toy.InFolder):
    def setUp(self):
        super().setUp()
        self.numpy = toy.installed("numpy")

    def trainer(self, model=toy.MODEL, name="trained", **options):
        return portatune.Trainer(model, toy.TRAIN, output=self.folder / name, **{**toy.OPTIONS, **options})

    def assert_equal(self, found, expected):
        self.assertEqual(list(found), list(expected))
        for name in expected:
            self.numpy.testing.assert_array_equal(found[name], expected[name], err_msg=name)


class Steps(InMemory):
    def test_the_gradients_of_a_batch_make_its_step(self):
        for options in ({"weight_decay": 0.1}, {"gradient_accumulation_steps": 2}, {"freeze": "embeddings"},
                        {"adapter": "lora", "lora_target_modules": ["query", "value"]}):
            with self.subTest(options=options):
                by_batch, by_gradients = (self.trainer(name=f"{name}-{len(str(options))}", **options)
                                          for name in ("batch", "gradients"))
                for batch in by_batch.batches():
                    step, same = by_batch.step(batch), by_gradients.apply_gradients(by_gradients.gradients(batch))
                    self.assertEqual((step.step, step.loss, step.grad_norm, step.learning_rate),
                                     (same.step, same.loss, same.grad_norm, same.learning_rate))
                self.assert_equal(dict(by_gradients.weights), dict(by_batch.weights))
                self.assert_equal(dict(by_gradients.optimizer_state), dict(by_batch.optimizer_state))

    def test_changed_gradients_change_the_step(self):
        trainer = self.trainer(**SUBTRACT)
        batch = next(trainer.batches())
        gradients, before = trainer.gradients(batch), dict(trainer.weights)
        gradients["classifier.bias"] *= 3
        gradients["classifier.weight"] = self.numpy.ones_like(gradients["classifier.weight"])
        step = trainer.apply_gradients(gradients)
        self.assertEqual((step.loss, step.tokens), (gradients.loss, 0))
        for name, gradient in gradients.items():
            self.numpy.testing.assert_allclose(trainer.weights[name], before[name] - gradient, atol=1e-6, err_msg=name)

    def test_any_mapping_of_arrays_is_a_step(self):
        trainer = self.trainer(**SUBTRACT)
        before = dict(trainer.weights)
        mean = {name: self.numpy.zeros(array.shape) for name, array in before.items()}  # float64
        mean["classifier.bias"] = [0.5, -0.25]
        step = trainer.apply_gradients(mean, learning_rate=2)
        self.assertEqual((step.step, step.loss, step.learning_rate, trainer.updates), (1, 0, 2, 1))
        self.numpy.testing.assert_array_equal(trainer.weights["classifier.bias"] - before["classifier.bias"],
                                              self.numpy.float32([-1, 0.5]))

    def test_a_run_goes_on_after_them(self):
        trainer = self.trainer()
        for batch in trainer.batches():
            trainer.apply_gradients(trainer.gradients(batch))
            if trainer.steps == 3:
                break
        checkpoint = trainer.save_checkpoint(self.folder / "checkpoint")
        trainer.resume(checkpoint)
        run = trainer.fit()
        self.assertEqual(run.result["steps"], 6)
        self.assertEqual(toy.weights(run.model), toy.weights(self.fit().model))

    def test_gradients_that_are_not_finite_skip_the_update(self):
        trainer = self.trainer(on_non_finite="skip")
        batch, before = next(trainer.batches()), dict(trainer.weights)
        gradients = trainer.gradients(batch)
        gradients["classifier.bias"][0] = self.numpy.nan
        self.assertTrue(trainer.apply_gradients(gradients).skipped)
        self.assertEqual((trainer.steps, trainer.updates), (1, 0))
        self.assert_equal(dict(trainer.weights), before)

    def test_faults_are_named(self):
        trainer = self.trainer(freeze="embeddings")
        gradients = trainer.gradients(next(trainer.batches()))
        frozen = next(name for name in trainer.weights if "embeddings" in name)
        self.assertNotIn(frozen, gradients)
        bias = "classifier.bias"
        for change, kind, words in (
                (lambda: gradients.pop(bias), ValueError, f"no gradient of {bias}"),
                (lambda: gradients.update(nonsense=gradients[bias]), portatune.UsageError, '"nonsense", which is no'),
                (lambda: gradients.update({frozen: gradients[bias]}), portatune.UsageError, "which is not trained"),
                (lambda: gradients.update({bias: self.numpy.zeros(3)}), portatune.ShapeError, r"float32\[3\]"),
                (lambda: gradients.update({bias: [1, 2]}), portatune.ShapeError, r"int32\[2\]"),
                (lambda: gradients.update({bias: self.numpy.zeros(2, "float16")}), portatune.ShapeError, "float16"),
                (lambda: gradients.update({bias: None}), portatune.UsageError, f"(?s)of {bias}.*given +None"),
                (lambda: gradients.update({bias: self.numpy.zeros(2, "c8")}), portatune.UsageError, "of complex64")):
            with self.subTest(words=words):
                whole = dict(gradients)
                change()
                with self.assertRaisesRegex(kind, words):
                    trainer.apply_gradients(gradients)
                gradients.clear()
                gradients.update(whole)
        with self.assertRaisesRegex(portatune.UsageError, "type list"):
            trainer.apply_gradients(list(gradients.values()))
        self.assertEqual(trainer.steps, 0)


class Torch(InMemory):
    """AdamW of torch with the same gradients, which are scaled and noisy."""

    def test_the_weights_are_those_of_torch(self):
        torch = toy.installed("torch")
        options = {"learning_rate": 1e-2, "weight_decay": 0.1, "max_grad_norm": 0.5, "lr_scheduler_type": "linear"}
        trainer = self.trainer(**options)
        weights = {name: torch.nn.Parameter(torch.tensor(array)) for name, array in trainer.weights.items()}
        decays = {name for name, array in trainer.weights.items() if array.ndim > 1}
        adamw = torch.optim.AdamW([
            {"params": [weight for name, weight in weights.items() if (name in decays) == has_decay],
             "weight_decay": 0.1 if has_decay else 0.0} for has_decay in (True, False)], lr=1e-2)  # fmt: skip
        noise = self.numpy.random.default_rng(3)
        for number, batch in enumerate(trainer.batches()):
            gradients = {name: 0.5 * array + 0.01 * noise.standard_normal(array.shape)
                         for name, array in trainer.gradients(batch).items()}
            step = trainer.apply_gradients(gradients)
            for name, weight in weights.items():
                weight.grad = torch.tensor(gradients[name], dtype=torch.float32)
            norm = torch.nn.utils.clip_grad_norm_(weights.values(), 0.5)
            for group in adamw.param_groups:
                group["lr"] = 1e-2 * (1 - number / trainer.total_steps)
            adamw.step()
            self.assertAlmostEqual(step.grad_norm, float(norm), places=5)
            # Each step moves a weight by up to 0.01. The noise keeps all gradients away from 0.
            for name, weight in weights.items():
                self.numpy.testing.assert_allclose(trainer.weights[name], weight.detach().numpy(), atol=2e-6,
                                                   err_msg=name)


if __name__ == "__main__":
    toy.main()
