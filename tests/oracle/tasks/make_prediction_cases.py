"""Makes tests/data/tasks/predictions.json: embeddings of sentence-transformers, and results of two pipelines.

The models are those of tests/data/models with the tokenizer of tests/data/tiny_bert. Run by hand from the root of the
repository, with transformers 5.23.0 and sentence-transformers 6.2.0:
    python tests/oracle/tasks/make_prediction_cases.py
"""

import contextlib
import json
import pathlib
import shutil
import tempfile

import sentence_transformers
import torch
import transformers
from sentence_transformers.base.modules import Normalize, Transformer
from sentence_transformers.sentence_transformer.modules import Pooling

DATA = pathlib.Path("tests/data")
TEXTS = ["The film was good.", "it", "the story was fine and the end was poor and the music was great"]
MAX_LENGTH = 12
EMBEDDINGS = [("bert_mlm", "mean", False), ("bert_mlm", "cls", False), ("bert_mlm", "max", False),
              ("bert_mlm", "lasttoken", True), ("bert_softmax", "mean", True), ("distilbert_mlm", "mean", False),
              ("modernbert_mlm", "cls", True), ("t5_lm", "mean", True), ("t5_encoder", "lasttoken", False),
              ("umt5_lm", "mean", False), ("gpt2_lm", "mean", False), ("gpt2_lm", "lasttoken", True),
              ("llama_lm", "lasttoken", False), ("qwen3_lm", "lasttoken", True), ("gemma3_lm", "mean", True)]
MASKED = ["the [MASK] was good", "[MASK] film was [MASK] and the [MASK] .", "the film was [MASK]."]
LABELS = ["good", "bad", "a play"]
NAMED = {"0": "contradiction", "1": "neutral", "2": "entailment"}
FIRST = {"0": "ENTAILMENT", "1": "neutral", "2": "contradiction"}
TEMPLATE = "This example is {}."
ZERO_SHOT = [("bert_softmax", NAMED, LABELS, TEMPLATE, False), ("bert_softmax", NAMED, LABELS, TEMPLATE, True),
             ("bert_softmax", FIRST, LABELS, "it was {}", False), ("bert_softmax", FIRST, LABELS, "it was {}", True),
             ("bert_softmax", None, ["good"], TEMPLATE, False), ("bart_softmax", NAMED, LABELS, TEMPLATE, False)]


@contextlib.contextmanager
def model_folder(name, config=None):
    """The folder of a model with a tokenizer, and other values in its config.json."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for file in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
            shutil.copy(DATA / "tiny_bert" / file, folder)
        shutil.copy(DATA / "models" / name / "model.safetensors", folder)
        settings = json.loads((DATA / "models" / name / "config.json").read_text()) | (config or {})
        (folder / "config.json").write_text(json.dumps(settings))
        yield str(folder)


def embeddings(name, pooling, normalize):
    with model_folder(name) as folder:
        transformer = Transformer(folder, max_seq_length=MAX_LENGTH)
        modules = [transformer, Pooling(transformer.get_embedding_dimension(), pooling_mode=pooling)]
        model = sentence_transformers.SentenceTransformer(modules=modules + [Normalize()] * normalize, device="cpu")
        model.tokenizer.padding_side = "right"
        if name.startswith("gpt2"):  # whose own tokenizer makes no token types, which would be added as words
            model.tokenizer.model_input_names = ["input_ids", "attention_mask"]
        vectors = model.encode(TEXTS).tolist()
    return {"model": name, "pooling": "last" if pooling == "lasttoken" else pooling, "normalize": normalize,
            "max_length": MAX_LENGTH, "texts": TEXTS, "embeddings": [[float(f"{x:.7g}") for x in v] for v in vectors]}


def fill_mask(name, top_k):
    with model_folder(name) as folder:
        results = [transformers.pipeline("fill-mask", model=folder, device="cpu")(text, top_k=top_k) for text in MASKED]
    return {"model": name, "top_k": top_k, "texts": MASKED,
            "results": [result if isinstance(result[0], list) else [result] for result in results]}


def zero_shot(name, names, labels, template, multi_label):
    config = {"id2label": names, "label2id": {v: int(k) for k, v in names.items()}} if names else {}
    with model_folder(name, config) as folder:
        pipe = transformers.pipeline("zero-shot-classification", model=folder, device="cpu")
        results = [pipe(t, candidate_labels=labels, hypothesis_template=template, multi_label=multi_label) for t in TEXTS]
    return {"model": name, "config": config, "candidate_labels": labels, "hypothesis_template": template,
            "multi_label": multi_label, "texts": TEXTS, "results": results}


def main():
    torch.set_num_threads(1)
    cases = {"transformers": transformers.__version__, "sentence_transformers": sentence_transformers.__version__,
             "feature-extraction": [embeddings(*case) for case in EMBEDDINGS],
             "fill-mask": [fill_mask("bert_mlm", 3), fill_mask("distilbert_mlm", 2), fill_mask("modernbert_mlm", 5)],
             "zero-shot-classification": [zero_shot(*case) for case in ZERO_SHOT]}
    (DATA / "tasks" / "predictions.json").write_text(json.dumps(cases, ensure_ascii=False) + "\n")
    print({task: len(of_task) for task, of_task in cases.items() if isinstance(of_task, list)})


if __name__ == "__main__":
    main()
