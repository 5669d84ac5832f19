"""Makes tests/data/tasks/speech_ctc.json: batches of two recordings with the loss and the transcriptions of transformers.

Run by hand from the root of the repository, with transformers 5.23 and soundfile 0.14:
    python tests/oracle/tasks/make_speech_ctc_cases.py
"""

import json
import pathlib
import tempfile

import soundfile
import torch
from transformers import AutoModelForCTC, Wav2Vec2CTCTokenizer, Wav2Vec2FeatureExtractor

DATA = pathlib.Path("tests/data")
TEXTS = ["ab cc", "fed"]


def vocabulary(pad):
    tokens = ["a", "b", "|", "c", "<unk>", "d", "e", "f"]
    return {token: i for i, token in enumerate(tokens[:pad] + ["<pad>"] + tokens[pad:])}


def recordings():
    """Two beginnings of a recording; the longer one has as many samples as its frames need."""
    samples, _ = soundfile.read(DATA / "audio/decode/16k.wav", dtype="float32")
    return [samples[:1910], samples[:1000]]


@torch.no_grad()
def case(name):
    model = AutoModelForCTC.from_pretrained(DATA / "models" / name).eval()
    pad = model.config.pad_token_id
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "vocab.json").write_text(json.dumps(vocabulary(pad)))
        tokenizer = Wav2Vec2CTCTokenizer.from_pretrained(folder, bos_token=None, eos_token=None)
    has_mask = model.config.feat_extract_norm == "layer"
    extractor = Wav2Vec2FeatureExtractor(return_attention_mask=has_mask)
    batch = extractor(recordings(), sampling_rate=16_000, padding=True, return_tensors="pt")
    if not has_mask:  # as run_speech_recognition_ctc.py: each recording is normalised before it is padded
        alone = [extractor(samples, sampling_rate=16_000).input_values[0] for samples in recordings()]
        batch = extractor.pad({"input_values": alone}, padding=True, return_tensors="pt")
    labels = [tokenizer(text + " ").input_ids for text in TEXTS]
    longest = max(map(len, labels))
    padded = torch.tensor([row + [-100] * (longest - len(row)) for row in labels])
    result = model(**batch, labels=padded)
    samples = torch.tensor([len(samples) for samples in recordings()])
    frames = model._get_feat_extract_output_lengths(samples, add_adapter=False)
    real_frames = model._get_feat_extract_output_lengths(samples)
    ids = result.logits.argmax(-1)
    return {
        "vocabulary": vocabulary(pad),
        "extractor": {"return_attention_mask": has_mask, "do_normalize": True},
        "labels": labels,
        "frames": frames.tolist(),
        "loss": result.loss.item(),
        "transcriptions": [tokenizer.decode(row[:real]) for row, real in zip(ids, real_frames)],
    }


golden = {
    "texts": TEXTS,
    "samples": [len(samples) for samples in recordings()],
    "cases": {name: case(name) for name in ("wav2vec2_ctc", "wav2vec2_ctc_mean", "wav2vec2_adapter")},
}
(DATA / "tasks/speech_ctc.json").write_text(json.dumps(golden, indent=1) + "\n")
