"""The files that the README's commands name: tiny models and toy data, made from those of the tests."""

import csv
import gzip
import json
import pathlib
import shutil
import struct
import zlib

DATA = pathlib.Path(__file__).resolve().parents[1] / "tests" / "data"
SENTENCES = ("the film was good and we saw the play", "the book was bad and we saw the film")


def write_all(folder):
    """Writes everything into `folder`."""
    for name in ("bert", "minilm", "roberta"):
        model(folder / name, DATA / "tiny_bert", positions=512)
    model(folder / "gpt2", DATA / "models" / "gpt2_lm", positions=1024, tokenizer=DATA / "tiny_bert")
    model(folder / "qwen", DATA / "models" / "qwen2_lm", positions=1024, tokenizer=DATA / "chat" / "toy")
    shutil.copy(DATA / "chat" / "chatml.jinja", folder / "qwen" / "chat_template.jinja")
    model(folder / "bart", DATA / "models" / "bart_lm", positions=1024, tokenizer=DATA / "tiny_bert")
    image_model(folder / "vit")
    model(folder / "tuned", DATA / "export_softmax", positions=512)
    shutil.copytree(DATA / "models" / "bert_softmax", folder / "CASE")
    tables(folder)
    other_data(folder)
    for split in ("train", "test"):
        photos(folder / "photos" / split)


def model(folder, source, positions, tokenizer=None):
    """Copies a model and repeats its position embeddings, so that it reads longer texts."""
    shutil.copytree(source, folder)
    for file in sorted(tokenizer.iterdir()) if tokenizer else []:
        if "token" in file.name:
            shutil.copy(file, folder)
    config = json.loads((folder / "config.json").read_text())
    for key in config.keys() & {"max_position_embeddings", "n_positions"}:
        config[key] = positions
    (folder / "config.json").write_text(json.dumps(config))
    lengthen(folder / "model.safetensors", positions)


def lengthen(file, positions):
    """Repeats the rows of position embeddings in a safetensors file."""
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
            rows = positions + (2 if "embed_positions" in name else 0)  # BART's first two rows belong to no token
            own = (own * (rows // tensor["shape"][0] + 1))[:rows * row]
            tensor["shape"][0] = rows
        tensor["data_offsets"] = [len(values), len(values) + len(own)]
        values += own
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    file.write_bytes(struct.pack("<Q", len(text)) + text + values)


def image_model(folder):
    folder.mkdir()
    for name in ("config.json", "model.safetensors"):
        shutil.copy(DATA / "models" / "vit_softmax" / name, folder)
    processor = json.loads((DATA / "image" / "processors" / "vit.json").read_text())
    processor["size"] = {"height": 12, "width": 12}
    (folder / "preprocessor_config.json").write_text(json.dumps(processor))


def tables(folder):
    """train.csv has the columns of all tasks: those of qa-regression, a text and a label."""
    with open(DATA / "quest" / "train.csv", newline="") as file:
        quest = list(csv.DictReader(file))
    rows = [{**row, "question_title": f"title {i % 8}", "text": SENTENCES[i % 2], "label": ("good", "bad")[i % 2]}
            for i, row in enumerate(quest)]
    for name in ("train.csv", "dev.csv", "test.csv"):
        write_table(open(folder / name, "w", newline=""), rows)
    for name in ("train.tsv", "validation.tsv"):
        write_lines(folder / name, ["label\ttext"] + [f"{i % 2}\t{SENTENCES[i % 2]}" for i in range(32)])
    write_table(open(folder / "new.csv", "w", newline=""), [{"text": text} for text in SENTENCES])
    (folder / "data").mkdir()
    numbered = [{"text": SENTENCES[i % 2], "label": i % 2} for i in range(32)]  # as in rows.parquet
    for part in range(2):
        write_table(gzip.open(folder / "data" / f"train-{part}.csv.gz", "wt", newline=""), numbered)
    shutil.copy(DATA / "arrow" / "rows.parquet", folder / "data" / "dev.parquet")
    swag = {"sent1": "we saw the film", "sent2": "it was", "label": 0,
            **{f"ending{i}": word for i, word in enumerate(("good", "bad", "a play", "a book"))}}
    write_table(open(folder / "swag.csv", "w", newline=""), [swag] * 16)
    articles = [{"article": text, "summary": "good" if "good" in text else "bad"} for text in SENTENCES * 8]
    write_table(open(folder / "articles.csv", "w", newline=""), articles)
    glue = folder / "glue_data" / "CoLA"
    glue.mkdir(parents=True)
    for name in ("train.tsv", "dev.tsv"):
        (glue / name).write_text("".join(f"toy\t{i % 2}\t\t{SENTENCES[i % 2]}\n" for i in range(32)))


def write_table(file, rows):
    with file:
        table = csv.DictWriter(file, rows[0].keys())
        table.writeheader()
        table.writerows(rows)


def other_data(folder):
    write_lines(folder / "new.jsonl", [json.dumps({"text": text}) for text in SENTENCES])
    write_lines(folder / "corpus.txt", SENTENCES * 16)
    write_lines(folder / "train.conll", ["we O", "saw O", "the O", "film B-WORK", ""] * 16)
    chat = [{"role": "user", "content": "is it day?"}, {"role": "assistant", "content": "yes."}]
    write_lines(folder / "chats.jsonl", [json.dumps({"messages": chat})] * 16)
    context = "we saw the film and the film was good"
    questions = [{"id": f"{i}", "question": "was it good", "is_impossible": i % 2 == 1,
                  "answers": [] if i % 2 else [{"text": "good", "answer_start": context.index("good")}]}
                 for i in range(16)]
    squad = {"version": "v2.0", "data": [{"title": "", "paragraphs": [{"context": context, "qas": questions}]}]}
    (folder / "train-v2.0.json").write_text(json.dumps(squad))


def write_lines(file, lines):
    file.write_text("".join(line + "\n" for line in lines))


def photos(folder):
    for name, colour in (("blue", b"\x14\x14\xc8"), ("red", b"\xc8\x14\x14")):
        (folder / name).mkdir(parents=True)
        for i in range(8):
            (folder / name / f"{i}.png").write_bytes(png(16 + i, 16, colour))


def png(width, height, colour):
    """A picture of one colour."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = zlib.compress((b"\0" + colour * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
