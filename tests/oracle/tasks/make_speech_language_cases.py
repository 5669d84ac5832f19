"""Makes tests/data/speech_languages: the files of two languages for tests/data/models/wav2vec2_language, and batches of
two recordings with the loss and the transcriptions of transformers for each language.

Run by hand from the root of the repository, with transformers 5.23 and soundfile 0.14:
    python tests/oracle/tasks/make_speech_language_cases.py
"""

import json
import pathlib
import shutil
import tempfile

import soundfile
import torch
from safetensors.torch import save_file
from transformers import AutoModelForCTC, Wav2Vec2CTCTokenizer, Wav2Vec2FeatureExtractor

DATA = pathlib.Path("tests/data")
MODEL = DATA / "models" / "wav2vec2_language"
FOLDER = DATA / "speech_languages"
VOCABULARIES = {
    "eng": ["<pad>", "<unk>", "|", "a", "b", "c", "d", "e", "f"],
    "deu": ["<pad>", "<unk>", "|", "e", "d", "f", "ä"],
}
TEXTS = ["ab cc", "fed"]  # those of make_speech_ctc_cases.py


def recordings():
    samples, _ = soundfile.read(DATA / "audio/decode/16k.wav", dtype="float32")
    return [samples[:1910], samples[:1000]]


def make_files():
    """Writes the vocabularies, and random adapters of the second language with a head of another size."""
    FOLDER.mkdir(exist_ok=True)
    vocabularies = {name: {token: i for i, token in enumerate(tokens)} for name, tokens in VOCABULARIES.items()}
    (FOLDER / "vocab.json").write_text(json.dumps(vocabularies, ensure_ascii=False) + "\n")
    settings = {"bos_token": None, "eos_token": None, "target_lang": "eng", "tokenizer_class": "Wav2Vec2CTCTokenizer"}
    (FOLDER / "tokenizer_config.json").write_text(json.dumps(settings) + "\n")
    (FOLDER / "preprocessor_config.json").write_text('{"return_attention_mask": true, "do_normalize": true}\n')
    model = AutoModelForCTC.from_pretrained(MODEL)
    generator = torch.Generator().manual_seed(21)
    model.lm_head = torch.nn.Linear(model.config.hidden_size, len(VOCABULARIES["deu"]))
    adapters = model._get_adapters()
    weights = {name: torch.randn(weight.shape, generator=generator) * 0.4 for name, weight in adapters.items()}
    save_file(weights, FOLDER / "adapter.deu.safetensors", metadata={"format": "pt"})


@torch.no_grad()
def case(folder, language):
    """The results of the language, which the folder has as its own if it is eng."""
    of_language = {} if language == "eng" else {"target_lang": language, "ignore_mismatched_sizes": True}
    model = AutoModelForCTC.from_pretrained(folder, **of_language).eval()
    tokenizer = Wav2Vec2CTCTokenizer.from_pretrained(folder, target_lang=language)
    batch = Wav2Vec2FeatureExtractor(return_attention_mask=True)(
        recordings(), sampling_rate=16_000, padding=True, return_tensors="pt"
    )
    labels = [tokenizer(text + " ").input_ids for text in TEXTS]
    longest = max(map(len, labels))
    padded = torch.tensor([row + [-100] * (longest - len(row)) for row in labels])
    result = model(**batch, labels=padded)
    frames = model._get_feat_extract_output_lengths(torch.tensor([len(samples) for samples in recordings()]))
    ids = result.logits.argmax(-1)
    return {
        "vocab_size": model.config.vocab_size,
        "labels": labels,
        "frames": frames.tolist(),
        "loss": result.loss.item(),
        "transcriptions": [tokenizer.decode(row[:real]) for row, real in zip(ids, frames)],
    }


make_files()
with tempfile.TemporaryDirectory() as temporary:
    for file in [*FOLDER.iterdir(), MODEL / "config.json", MODEL / "model.safetensors"]:
        shutil.copy(file, temporary)
    golden = {"texts": TEXTS, "samples": [len(samples) for samples in recordings()],
              "cases": {language: case(temporary, language) for language in VOCABULARIES}}
(DATA / "tasks/speech_languages.json").write_text(json.dumps(golden, ensure_ascii=False, indent=1) + "\n")
