"""Makes tests/data/tokenizer/older_files.json: small vocab.json with merges.txt, and SentencePiece models, with
transformers' encodings of texts by them.

Run by hand from the root of the repository, with transformers 5.23.0, tokenizers 0.23.3, sentencepiece 0.2.3, protobuf:
    python tests/oracle/text/make_older_goldens.py
"""

import base64
import io
import json
import pathlib
import tempfile

import sentencepiece
import transformers

from tokenizer_cases import SENTENCES, TEXTS, trained

TARGET = pathlib.Path("tests/data/tokenizer/older_files.json")
assert transformers.__version__ == "5.23.0"


def sentencepiece_model(kind, **options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES * 4), model_writer=model, model_type=kind, hard_vocab_limit=False,
        normalization_rule_name="identity", minloglevel=2, num_threads=1, user_defined_symbols=["<m>"], **options)
    return model.getvalue()


def byte_level_files():
    model = json.loads(trained(False).to_str())["model"]
    merges = "#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in model["merges"])
    return {"vocab.json": json.dumps(model["vocab"]).encode(), "merges.txt": merges.encode()}


def cases():
    gpt2 = byte_level_files()
    yield gpt2, {"tokenizer_class": "GPT2Tokenizer"}
    yield gpt2, {"tokenizer_class": "GPT2TokenizerFast", "add_bos_token": True, "add_prefix_space": True, "bos_token": "</s>"}
    yield gpt2, {"tokenizer_class": "RobertaTokenizer", "mask_token": {
        "content": "<mask>", "lstrip": True, "rstrip": False, "single_word": False, "normalized": False, "__type": "AddedToken"}}
    unigram, bpe = sentencepiece_model("unigram", vocab_size=120), sentencepiece_model("bpe", vocab_size=420, byte_fallback=True)
    yield {"spiece.model": unigram}, {"tokenizer_class": "AlbertTokenizer", "cls_token": "<s>", "sep_token": "</s>"}
    yield {"spiece.model": unigram}, {"tokenizer_class": "T5Tokenizer", "extra_ids": 3}
    yield {"sentencepiece.bpe.model": unigram}, {"tokenizer_class": "XLMRobertaTokenizer"}
    yield {"tokenizer.model": unigram}, {}
    yield {"tokenizer.model": bpe}, {"tokenizer_class": "LlamaTokenizer", "add_bos_token": True, "add_eos_token": True}
    yield {"tokenizer.model": bpe}, {"tokenizer_class": "LlamaTokenizer", "legacy": True}
    yield {"tokenizer.model": bpe}, {}
    # The special tokens of DeBERTa v3; its old folders name no class. [MASK] is added behind the vocabulary.
    deberta = sentencepiece_model(
        "unigram", vocab_size=120, pad_id=0, bos_id=1, eos_id=2, unk_id=3, pad_piece="[PAD]", bos_piece="[CLS]",
        eos_piece="[SEP]", unk_piece="[UNK]")
    yield {"spm.model": deberta}, {"do_lower_case": False, "vocab_type": "spm"}
    yield {"spm.model": deberta}, {"tokenizer_class": "DebertaV2TokenizerFast", "do_lower_case": True, "split_by_punct": True}


def results(files, config, texts):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, data in files.items():
            (folder / name).write_bytes(data)
        (folder / "tokenizer_config.json").write_text(json.dumps(config))
        (folder / "config.json").write_text("{}")
        unnamed = "DebertaV2Tokenizer" if "spm.model" in files else "TokenizersBackend"
        name = config.get("tokenizer_class", unnamed).removesuffix("Fast")
        tokenizer = getattr(transformers, name).from_pretrained(folder)._tokenizer
    encodings = [tokenizer.encode(text) for text in texts]
    return [[e.ids, [x for pair in e.offsets for x in pair], tokenizer.decode(e.ids, skip_special_tokens=False)] for e in encodings]


if __name__ == "__main__":
    texts, stored, rows = [TEXTS[i] for i in (0, 2, 3, 6, 8, 14, 15, 21)], [], []
    for files, config in cases():
        if files not in stored:
            stored.append(files)
        rows.append([stored.index(files), config, results(files, config, texts)])
    encoded = [{name: base64.b64encode(data).decode() for name, data in files.items()} for files in stored]
    lines = ",\n".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in rows)
    head = json.dumps({"texts": texts, "files": encoded}, ensure_ascii=False)
    TARGET.write_text(head[:-1] + ',"cases":[\n' + lines + "\n]}\n", encoding="utf-8")
