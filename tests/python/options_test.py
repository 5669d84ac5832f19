"""Options of training, compared with transformers' Trainer: the weights after the same batches."""

import re

import portatune
import toy

STEPS = 6
# Options of both sides, under the names of TrainingArguments. The losses of micro-batches are a sum in transformers and
# a mean here, because BERT's loss ignores num_items_in_batch; clipping hides this factor.
CASES = [
    {},
    {"weight_decay": 0.5},
    {"max_grad_norm": 0.05},
    {"max_grad_norm": 0},
    {"label_smoothing_factor": 0.2},
    {"warmup_steps": 3},
    {"warmup_steps": 0.4},
    {"adam_beta1": 0.7, "adam_beta2": 0.9, "adam_epsilon": 1e-3},
    {"max_steps": 4},
    {"gradient_accumulation_steps": 2, "max_grad_norm": 0.05},
    {"lr_scheduler_type": "cosine", "warmup_steps": 2},
    {"lr_scheduler_type": "cosine_with_restarts", "lr_scheduler_kwargs": {"num_cycles": 2}},
    {"lr_scheduler_type": "cosine_with_min_lr", "lr_scheduler_kwargs": {"min_lr_rate": 0.3}},
    {"lr_scheduler_type": "polynomial", "lr_scheduler_kwargs": {"power": 2.0, "lr_end": 1e-4}},
    {"lr_scheduler_type": "constant"},
    {"lr_scheduler_type": "constant_with_warmup", "warmup_steps": 3},
    {"lr_scheduler_type": "inverse_sqrt", "warmup_steps": 2},
    {"lr_scheduler_type": "warmup_stable_decay", "warmup_steps": 1, "lr_scheduler_kwargs": {"num_decay_steps": 3}},
    {"optim": "adafactor"},
    {"optim": "sgd", "learning_rate": 0.1},
    {"optim": "sgd", "learning_rate": 0.1, "optim_args": "momentum=0.9,nesterov=True", "weight_decay": 0.1},
    {"optim": "rmsprop", "optim_args": "momentum=0.5,alpha=0.9,centered=True"},
]
# The gradient of the biases of keys is 0 but for rounding errors, which some optimizers scale to whole steps.
WITHOUT_GRADIENT = r"\.key\.bias$"
# The largest difference seen is 2.2e-7; six steps of Adam with a rate that falls from 1e-3 move weights by 3.5e-3.
TOLERANCE = 2e-6


class Options(toy.InFolder):
    def setUp(self):
        super().setUp()
        self.torch, self.transformers = toy.installed("torch"), toy.installed("transformers")
        self.transformers.logging.set_verbosity_error()
        self.transformers.logging.disable_progress_bar()
        self.start = toy.without_dropout(toy.MODEL, self.folder / "start")
        self.torch.manual_seed(0)
        self.model(id2label={0: "bad", 1: "good"}, label2id={"bad": 0, "good": 1}).save_pretrained(self.start)

    def model(self, **config):
        return self.transformers.AutoModelForSequenceClassification.from_pretrained(self.start, **config)

    def trained(self, train=toy.TRAIN, **options):
        """Returns the batches of a run, and the weights after it."""
        trainer = portatune.Trainer(self.start, train, output=self.folder / "ours", **{**toy.OPTIONS, **options})
        batches = list(trainer.batches())
        for batch in batches:
            trainer.step(batch)
        return batches, dict(trainer.weights)

    def expected(self, batches, callback=None, is_frozen=None, loss=None, **options):
        """Returns the weights after the same batches by transformers' Trainer.

        loss: a function of logits, labels and weights of rows in place of the loss of the model
        """
        names = ("input_ids", "attention_mask", "token_type_ids", *(["example_weight"] if loss else []))
        rows = [{**{name: self.torch.tensor(batch[name][i]) for name in names}, "labels": int(batch["labels"][i])}
                for batch in batches for i in range(len(batch["labels"]))]
        options = {"learning_rate": 1e-3, "max_steps": STEPS, **options}
        arguments = self.transformers.TrainingArguments(
            self.folder / "trainer", per_device_train_batch_size=4, train_sampling_strategy="sequential",
            remove_unused_columns=False, save_strategy="no", logging_strategy="no", report_to="none", use_cpu=True,
            disable_tqdm=True, **options)
        model = self.model()
        for name, weight in model.named_parameters():
            weight.requires_grad_(is_frozen is None or not is_frozen(name))

        class WithLoss(self.transformers.Trainer):
            def compute_loss(self, model, inputs, **kwargs):
                if loss is None:
                    return super().compute_loss(model, inputs, **kwargs)
                labels, weights = inputs.pop("labels"), inputs.pop("example_weight")
                return loss(model(**inputs).logits, labels, weights)

        trainer = WithLoss(model, arguments, train_dataset=rows, callbacks=[callback] if callback else [])
        trainer.remove_callback(self.transformers.PrinterCallback)
        trainer.train()
        return {name: weight.detach().numpy() for name, weight in model.named_parameters()}

    def check(self, found, expected):
        self.assertEqual(sorted(found), sorted(expected))
        off = {name: abs(found[name] - weight).max() for name, weight in expected.items()
               if not re.search(WITHOUT_GRADIENT, name)}
        self.assertLess(max(off.values()), TOLERANCE, off)

    def test_options_of_training_arguments(self):
        for options in CASES:
            with self.subTest(options=options):
                batches, found = self.trained(**options)
                self.check(found, self.expected(batches, **options))

    def test_elements_of_the_gradient_are_clipped_after_its_norm(self):
        clip = self.torch.nn.utils.clip_grad_value_

        class Clipping(self.transformers.TrainerCallback):
            def on_pre_optimizer_step(self, args, state, control, model, **kwargs):
                clip(model.parameters(), 1e-3)

        options = {"optim": "sgd", "learning_rate": 1.0, "max_grad_norm": 0.5}
        batches, found = self.trained(max_grad_value=1e-3, **options)
        self.check(found, self.expected(batches, Clipping(), **options))

    def test_frozen_parameters_are_those_without_a_gradient(self):
        batches, found = self.trained(freeze=["embeddings", "layer.0.attention"], weight_decay=0.1)
        self.check(found, self.expected(batches, None, re.compile(r"\.(embeddings|layer\.0\.attention)\.").search,
                                        weight_decay=0.1))

    def test_losses(self):
        cross_entropy, class_weights = self.torch.nn.functional.cross_entropy, self.torch.tensor([0.5, 2.0])
        weighted = [{**row, "example_weight": (0.5, 1, 3, 0)[i % 4]} for i, row in enumerate(toy.rows())]

        def weighted_mean(logits, labels, weights):
            return (cross_entropy(logits, labels, reduction="none") * weights).sum() / weights.sum()

        def focal(logits, labels, weights):
            losses = cross_entropy(logits, labels, reduction="none")
            return ((1 - (-losses).exp()) ** 2 * losses).mean()

        for loss, options in (
                (lambda x, y, _: cross_entropy(x, y, class_weights), {"class_weights": [0.5, 2.0]}),
                (lambda x, y, _: cross_entropy(x, y, class_weights, label_smoothing=0.2),
                 {"class_weights": [0.5, 2.0], "label_smoothing_factor": 0.2}),
                (focal, {"focal_gamma": 2}),
                (weighted_mean, {"train": weighted})):
            with self.subTest(options=str(options)[:60]):
                batches, found = self.trained(**options)
                self.check(found, self.expected(batches, loss=loss))


if __name__ == "__main__":
    toy.main()
