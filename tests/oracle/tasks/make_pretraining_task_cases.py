"""Makes tests/data/tasks/pretraining_tasks.json: logits and losses of BertForNextSentencePrediction and
ElectraForPreTraining.

The models are those of tests/data/models with the tokenizer of tests/data/tiny_bert. Run by hand from the root of the
repository, with transformers 5.23.0:
    python tests/oracle/tasks/make_pretraining_task_cases.py
"""

import json
import pathlib

import torch
import transformers
from make_prediction_cases import model_folder

MAX_LENGTH = 10
PAIRS = [("the film was good", "we liked it", 0), ("it", "the music was very poor and the end was bad", 1),
         ("a book", "they saw the play", 1)]
WORDS = [(["the", "film-play", "was", "good."], [0, 1, 0, 1]), (["it", "was", "of"], [0, 0, 1]),
         (["the", "story", "was", "fine", "and", "the", "end", "was", "poor"], [0, 0, 1, 0, 0, 1, 0, 1, 1])]


def next_sentences():
    with model_folder("bert_nsp") as folder:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        model = transformers.BertForNextSentencePrediction.from_pretrained(folder).eval()
    first, second, labels = zip(*PAIRS)
    inputs = tokenizer(list(first), list(second), padding="max_length", truncation=True, max_length=MAX_LENGTH,
                       return_tensors="pt")
    output = model(**inputs, labels=torch.tensor(labels))
    rows = [{"text": a, "text_pair": b, "label": label} for a, b, label in PAIRS]
    return {"rows": rows, "loss": output.loss.item(), "logits": output.logits.tolist()}


def replaced_tokens():
    with model_folder("electra_pretraining") as folder:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        model = transformers.ElectraForPreTraining.from_pretrained(folder).eval()
    inputs = tokenizer([words for words, _ in WORDS], is_split_into_words=True, padding="max_length", truncation=True,
                       max_length=MAX_LENGTH, return_tensors="pt")
    labels = [[0 if word is None else replaced[word] for word in inputs.word_ids(row)]
              for row, (_, replaced) in enumerate(WORDS)]
    output = model(**inputs, labels=torch.tensor(labels))
    rows = [{"tokens": words, "replaced": replaced} for words, replaced in WORDS]
    return {"rows": rows, "loss": output.loss.item(), "logits": output.logits.tolist(),
            "input_ids": inputs["input_ids"].tolist(), "labels": labels,
            "attention_mask": inputs["attention_mask"].tolist()}


if __name__ == "__main__":
    torch.manual_seed(0)
    with torch.no_grad():
        cases = {"max_length": MAX_LENGTH, "next_sentences": next_sentences(), "replaced_tokens": replaced_tokens()}
    pathlib.Path("tests/data/tasks/pretraining_tasks.json").write_text(json.dumps(cases, indent=1) + "\n")
