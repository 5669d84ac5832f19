"""The files that the commands of pages name: tiny models and toy data, made from those of the tests."""

import base64
import csv
import gzip
import io
import json
import math
import pathlib
import shutil
import struct
import tarfile
import wave
import zlib

DATA = pathlib.Path(__file__).resolve().parents[1] / "tests" / "data"
SENTENCES = ("the film was good and we saw the play", "the book was bad and we saw the film")
# Names on the Hugging Face Hub -> the toy models behind them.
HUB_MODELS = {"bert-base-uncased": "bert", "google-bert/bert-base-uncased": "bert", "roberta-base": "bert",
              "sentence-transformers/all-MiniLM-L6-v2": "minilm", "facebook/bart-base": "bart", "t5-small": "t5",
              "google-t5/t5-small": "t5", "Helsinki-NLP/opus-mt-en-ROMANCE": "marian",
              "facebook/mbart-large-cc25": "mbart"}
COMMIT = "0" * 40


def write_all(folder):
    """Writes everything into `folder`."""
    for name in ("bert", "minilm", "roberta"):
        model(folder / name, DATA / "tiny_bert", positions=512)
    model(folder / "gpt2", DATA / "models" / "gpt2_lm", positions=1024, tokenizer=DATA / "tiny_bert")
    model(folder / "bigbird", DATA / "models" / "bigbirdsparse_softmax", positions=4096, tokenizer=DATA / "tiny_bert")
    model(folder / "bigbird-pegasus", DATA / "models" / "bigbirdpegasus_lm", positions=4096, tokenizer=DATA / "tiny_bert")
    model(folder / "qwen", DATA / "models" / "qwen2_lm", positions=1024, tokenizer=DATA / "chat" / "toy")
    shutil.copy(DATA / "chat" / "chatml.jinja", folder / "qwen" / "chat_template.jinja")
    model(folder / "electra", DATA / "models" / "electra_pretraining", positions=512, tokenizer=DATA / "tiny_bert")
    model(folder / "bart", DATA / "models" / "bart_lm", positions=1024, tokenizer=DATA / "tiny_bert")
    model(folder / "t5", DATA / "models" / "t5_lm", positions=1024, tokenizer=DATA / "tiny_bert")
    marian_model(folder / "marian")
    mbart_model(folder / "mbart")
    classifier(folder / "mnli", ("contradiction", "neutral", "entailment"))
    image_model(folder / "vit")
    file_model(folder / "ast", "ast_softmax", {"num_mel_bins": 12, "max_length": 24})
    file_model(folder / "wav2vec2", "wav2vec2_stable", {"feature_extractor_type": "Wav2Vec2FeatureExtractor"})
    file_model(folder / "wav2vec2-pretrained", "wav2vec2_model", {"feature_extractor_type": "Wav2Vec2FeatureExtractor"})
    model_of_languages(folder / "mms")
    shutil.copytree(DATA / "speech_seq2seq", folder / "whisper", ignore=shutil.ignore_patterns("*.wav", "golden.json"))
    shutil.copytree(DATA / "models" / "bert_softmax", folder / "case")
    shutil.copytree(DATA / "coltran", folder / "coltran")
    for name, toy in HUB_MODELS.items():
        cached_model(folder / "hub", name, folder / toy)
    from_scratch = json.loads((folder / "bert" / "config.json").read_text())
    del from_scratch["vocab_size"]
    (folder / "config.json").write_text(json.dumps(from_scratch))
    for split in ("train", "dev", "test"):
        photos(folder / "photos" / split)
    shutil.copytree(folder / "photos" / "test", folder / "new-photos")
    shard(folder / "photos" / "train", folder / "shards" / "train-0.tar")
    for split in ("train", "dev", "test"):
        recordings(folder / "speech" / split)
    shutil.copytree(folder / "speech" / "test", folder / "new-clips")
    talks(folder / "talks")
    tables(folder)
    texts(folder)
    conversations(folder)
    questions(folder)


def model(folder, source, positions, tokenizer=None):
    """Copies a model and repeats its position embeddings, so that it reads longer texts."""
    shutil.copytree(source, folder)
    for file in sorted(tokenizer.iterdir()) if tokenizer else []:
        if "token" in file.name:
            shutil.copy(file, folder)
    config = json.loads((folder / "config.json").read_text())
    more = 0
    for key in config.keys() & {"max_position_embeddings", "n_positions"}:
        more, config[key] = positions - config[key], positions
    (folder / "config.json").write_text(json.dumps(config))
    lengthen(folder / "model.safetensors", more)


def marian_model(folder):
    """A model with a SentencePiece model for each side."""
    model(folder, DATA / "models" / "marian_lm", positions=1024)
    golden = json.loads((DATA / "tokenizer" / "marian.json").read_text())
    (texts, config, _), *_ = golden["cases"]
    for name, text in texts.items():
        (folder / name).write_text(text)
    for name, data in golden["files"].items():
        (folder / name).write_bytes(base64.b64decode(data))
    (folder / "tokenizer_config.json").write_text(json.dumps(config))


def mbart_model(folder):
    """A model with tokens for languages."""
    model(folder, DATA / "models" / "mbart_lm", positions=1024)
    golden = json.loads((DATA / "tokenizer" / "languages.json").read_text())
    case = golden["cases"][0]
    (folder / "tokenizer.json").write_text(json.dumps(case["tokenizer_json"]))
    (folder / "tokenizer_config.json").write_text(json.dumps(case["tokenizer_config"]))


def classifier(folder, classes):
    """A model with a trained head for these three classes."""
    model(folder, DATA / "models" / "bert_softmax", positions=512, tokenizer=DATA / "tiny_bert")
    config = json.loads((folder / "config.json").read_text())
    config["id2label"] = dict(enumerate(classes))
    config["label2id"] = {name: i for i, name in enumerate(classes)}
    (folder / "config.json").write_text(json.dumps(config))


def lengthen(file, more):
    """Repeats rows of position embeddings in a safetensors file, so that there are so many more."""
    stored = file.read_bytes()
    (size,) = struct.unpack("<Q", stored[:8])
    header, values = json.loads(stored[8:8 + size]), b""
    for name, tensor in header.items():
        if name == "__metadata__":
            continue
        begin, end = tensor["data_offsets"]
        own = stored[8 + size + begin:8 + size + end]
        if "position_embeddings" in name or "embed_positions" in name or name.endswith("wpe.weight"):
            row = len(own) // tensor["shape"][0]
            rows = tensor["shape"][0] + more
            own = (own * (rows // tensor["shape"][0] + 1))[:rows * row]
            tensor["shape"][0] = rows
        tensor["data_offsets"] = [len(values), len(values) + len(own)]
        values += own
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    file.write_bytes(struct.pack("<Q", len(text)) + text + values)


def image_model(folder):
    processor = json.loads((DATA / "image" / "processors" / "vit.json").read_text())
    file_model(folder, "vit_softmax", {**processor, "size": {"height": 12, "width": 12}})


def file_model(folder, case, preprocessor):
    """Copies a model of images or recordings."""
    folder.mkdir()
    for name in ("config.json", "model.safetensors"):
        shutil.copy(DATA / "models" / case / name, folder)
    (folder / "preprocessor_config.json").write_text(json.dumps(preprocessor))


def model_of_languages(folder):
    file_model(folder, "wav2vec2_language", {})
    shutil.copytree(DATA / "speech_languages", folder, dirs_exist_ok=True)


def cached_model(hub, name, source):
    """Puts a model into a cache of the Hugging Face Hub."""
    folder = hub / ("models--" + name.replace("/", "--"))
    shutil.copytree(source, folder / "snapshots" / COMMIT)
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text(COMMIT)


def examples():
    """32 rows with the columns of all pages, so that all tables can have the same rows."""
    with open(DATA / "quest" / "train.csv", newline="") as file:
        quest = list(csv.DictReader(file))
    texts = ("text", "sentence", "sentence1", "comment_text", "review", "question", "sent1")
    flags = ("label", "good", "toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate")
    numbers = ("score", "importance", "cohesion", "syntax", "grammar")
    return [{"id": i, **row, "question_title": f"title {i % 8}", **dict.fromkeys(texts, SENTENCES[i % 2]),
             **dict.fromkeys(flags, i % 2), **dict.fromkeys(numbers, (i % 4) / 4 + 0.25),
             "sentence2": SENTENCES[0], "sent2": "it was",
             "sentiment": ("positive", "negative")[i % 2], "genres": ("film|play", "book")[i % 2],
             **{f"ending{k}": word for k, word in enumerate(("good", "bad", "a play", "a book"))},
             "file": f"photos/train/{i % 2}/{i % 8}.png"}
            for i, row in enumerate(quest)]


def tables(folder):
    rows = examples()
    for name in ("train", "dev", "test", "new", "more", "labelled", "rows", "reviews", "essays", "films", "swag"):
        write_table(open(folder / f"{name}.csv", "w", newline=""), rows)
    for name in ("dataset/train", "dataset/test", "movie_reviews"):
        (folder / name).mkdir(parents=True)
    for name in ("train", "validation", "pairs", "sts", "movie_reviews/train"):
        write_table(open(folder / f"{name}.tsv", "w", newline=""), rows, dialect="excel-tab")
    for name in ("dataset/train/0", "dataset/test/0"):
        write_table(open(folder / f"{name}.csv", "w", newline=""), rows)
    for name in ("new.csv", "data/train-0.csv", "data/train-1.csv", "data/dev.csv"):
        (folder / name).parent.mkdir(exist_ok=True)
        write_table(gzip.open(folder / f"{name}.gz", "wt", newline=""), rows)
    articles = [{"article": row["text"], "summary": "good" if "good" in row["text"] else "bad"} for row in rows]
    write_table(open(folder / "articles.csv", "w", newline=""), articles)
    clips = [{"file": f"speech/train/{name}/{i}.wav", "label": name} for i in range(8) for name in ("no", "yes")]
    write_table(open(folder / "clips.csv", "w", newline=""), clips)
    masked = [{"text": row["text"].replace("film", "[MASK]")} for row in rows]
    write_table(open(folder / "masked.csv", "w", newline=""), masked)
    infinite = [{**row, "score": 3e38 if row["id"] == 2 else row["score"]} for row in rows[:16]]
    write_table(open(folder / "scores.csv", "w", newline=""), infinite)
    (folder / "r.yaml").write_text("train_file: train.csv\nvalidation_file: dev.csv\n")
    several_labels = [{**row, "label": row["genres"].split("|"), "translation": {"en": row["text"], "ro": row["sent2"]}}
                      for row in rows]
    for name in ("train", "dev", "new"):
        write_lines(folder / f"{name}.jsonl", map(json.dumps, several_labels))
    (folder / "imdb" / "plain_text").mkdir(parents=True)
    for name in ("data/dev.parquet", "imdb/plain_text/train-0.parquet"):
        shutil.copy(DATA / "arrow" / "rows.parquet", folder / name)
    shutil.copy(DATA / "arrow" / "data-00000-of-00001.arrow", folder / "data-00000-of-00001.arrow")
    cola = folder / "glue_data" / "CoLA"
    cola.mkdir(parents=True)
    for name in ("train.tsv", "dev.tsv"):
        write_lines(cola / name, [f"toy\t{row['label']}\t\t{row['text']}" for row in rows])
    shutil.copytree(cola, folder / "cola")
    shutil.copy(cola / "train.tsv", folder / "cola" / "in_domain_train.tsv")
    write_lines(cola / "test.tsv", ["index\tsentence", *(f"{row['id']}\t{row['text']}" for row in rows)])


def texts(folder):
    for name in ("corpus", "held-out", "test", "wiki", "prompts"):
        write_lines(folder / f"{name}.txt", SENTENCES * 16)
    (folder / "corpus").mkdir()
    for name in ("a", "b"):
        write_lines(folder / f"{name}.jsonl", [json.dumps({"body": text}) for text in SENTENCES] * 16)
        with gzip.open(folder / "corpus" / f"{name}.txt.gz", "wt") as file:
            file.writelines(text + "\n" for text in SENTENCES * 16)
    for name in ("train.conll", "dev.conll", "test.conll", "new.txt"):
        write_lines(folder / name, ["we O", "saw O", "the O", "film B-WORK", ""] * 16)
    replaced = [{"tokens": ["we", "saw", "the", word], "replaced": [0, 0, 0, int(word == "was")]}
                for word in ("film", "was")]
    write_lines(folder / "replaced.jsonl", [json.dumps(row) for row in replaced] * 16)


def conversations(folder):
    chat = [{"role": "user", "content": "is it day?"}, {"role": "assistant", "content": "yes."}]
    rows = {"chats": {"messages": chat}, "held-out": {"messages": chat},
            "pairs": {"prompt": "is it day?", "completion": " yes."},
            "alpaca": {"instruction": "is it day?", "input": "", "output": "yes."}}
    for name, row in rows.items():
        write_lines(folder / f"{name}.jsonl", [json.dumps(row)] * 16)


def questions(folder):
    context = "we saw the film and the film was good"
    asked = [{"id": f"{i}", "question": "was it good", "is_impossible": i % 2 == 1,
              "answers": [] if i % 2 else [{"text": "good", "answer_start": context.index("good")}]} for i in range(16)]
    squad = {"version": "v2.0", "data": [{"title": "", "paragraphs": [{"context": context, "qas": asked}]}]}
    for name in ("train", "dev"):
        (folder / f"{name}-v2.0.json").write_text(json.dumps(squad))


def write_table(file, rows, **dialect):
    with file:
        table = csv.DictWriter(file, rows[0].keys(), **dialect)
        table.writeheader()
        table.writerows(rows)


def write_lines(file, lines):
    file.write_text("".join(line + "\n" for line in lines))


def photos(folder):
    for name, colour in (("0", b"\x14\x14\xc8"), ("1", b"\xc8\x14\x14")):
        (folder / name).mkdir(parents=True)
        for i in range(8):
            (folder / name / f"{i}.png").write_bytes(png(16 + i, 16, colour))


def shard(photos, archive):
    """A WebDataset archive of photos."""
    archive.parent.mkdir()
    with tarfile.open(archive, "w") as members:
        for i, photo in enumerate(sorted(photos.rglob("*.png"))):
            # The content of a picture decides about its format, not the ending.
            for ending, content in (("jpg", photo.read_bytes()), ("cls", photo.parent.name.encode())):
                member = tarfile.TarInfo(f"{i:04}.{ending}")
                member.size = len(content)
                members.addfile(member, io.BytesIO(content))


def recordings(folder):
    for name, frequency in (("no", 400), ("yes", 2000)):
        (folder / name).mkdir(parents=True)
        for i in range(8):
            with wave.open(str(folder / name / f"{i}.wav"), "wb") as file:
                file.setparams((1, 2, 16000, 0, "NONE", ""))
                angles = [2 * math.pi * frequency * t / 16000 for t in range(3200 + 100 * i)]
                file.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(angle))) for angle in angles))


def talks(folder):
    """The same recordings with transcriptions."""
    recordings(folder / "clips")
    rows = [{"audio": f"clips/{name}/{i}.wav", "text": f"{name}, {name}!"} for i in range(8) for name in ("no", "yes")]
    for name in ("train", "dev", "test"):
        write_table(open(folder / f"{name}.csv", "w", newline=""), rows)


def png(width, height, colour):
    """A picture of one colour."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = zlib.compress((b"\0" + colour * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
