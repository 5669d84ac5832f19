"""Tiny random models and data: a run on them takes a fraction of a second. Photos, recordings and tables of Arrow are
test data."""

import array
import gzip
import json
import math
import pathlib
import random
import shutil
import struct
import tarfile
import wave
import zlib

TEST_DATA = pathlib.Path(__file__).resolve().parents[1] / "tests" / "data"
WORDS = ("good fine great lovely bad poor awful dreary film play book story music actor scene end the a was is it and "
         "we saw liked very quite of in").split()
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *"bcdefghijklmnopqrstuvwxyz.,"]
HIDDEN, INNER, HEADS = 16, 32, 2
ROWS = 64


def make_all(folder):
    """Writes the models and the data into a new folder."""
    folder.mkdir(parents=True)
    bert(folder / "bert", "BertModel", {})
    bert(folder / "bert_mlm", "BertForMaskedLM", mlm_head(), prefix="bert.")
    shards(folder / "bert", folder / "bert_shards")
    gpt2(folder / "gpt2")
    bart(folder / "bart")
    vit(folder / "vit")
    wav2vec2(folder / "wav2vec2")
    colorizer(folder / "colorizer")
    (folder / "plain").mkdir()
    for name in ("vocab.txt", "tokenizer_config.json"):
        shutil.copy(folder / "bert" / name, folder / "plain")
    tables(folder)
    for name in ("rows.parquet", "data-00000-of-00001.arrow"):
        shutil.copy(TEST_DATA / "arrow" / name, folder)
    photos(folder)
    recordings(folder)
    questions(folder / "questions.json")
    (folder / "stages.yaml").write_text("- max_steps: 4\n- layers: 2\n  max_steps: 4\n  learning_rate: 1e-3\n")
    for split, count in (("images", 12), ("other_images", 4)):
        pictures(folder / split, count)


def draw(*shape, rng):
    """Returns (shape, float32 values) of a random tensor."""
    size = 1
    for length in shape:
        size *= length
    return shape, [rng.gauss(0, 0.1) for _ in range(size)]


def write_safetensors(file, tensors):
    """Writes float32 tensors {name: (shape, values)}."""
    header, end = {}, 0
    for name, (shape, values) in sorted(tensors.items()):
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [end, end + 4 * len(values)]}
        end += 4 * len(values)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    content = b"".join(struct.pack(f"<{len(values)}f", *values) for _, (_, values) in sorted(tensors.items()))
    file.write_bytes(struct.pack("<Q", len(text)) + text + content)


def linear(name, outputs, inputs, rng):
    return {f"{name}.weight": draw(outputs, inputs, rng=rng), f"{name}.bias": draw(outputs, rng=rng)}


def norm(name):
    return {f"{name}.weight": ((HIDDEN,), [1.0] * HIDDEN), f"{name}.bias": ((HIDDEN,), [0.0] * HIDDEN)}


def mlm_head():
    rng = random.Random(2)
    return {"cls.predictions.bias": draw(len(VOCABULARY), rng=rng),
            **linear("cls.predictions.transform.dense", HIDDEN, HIDDEN, rng),
            **norm("cls.predictions.transform.LayerNorm")}


def bert(folder, architecture, head, prefix=""):
    rng = random.Random(1)
    layer = "encoder.layer.0"
    body = {
        "embeddings.word_embeddings.weight": draw(len(VOCABULARY), HIDDEN, rng=rng),
        "embeddings.position_embeddings.weight": draw(32, HIDDEN, rng=rng),
        "embeddings.token_type_embeddings.weight": draw(2, HIDDEN, rng=rng),
        **norm("embeddings.LayerNorm"),
        **{key: value for name in ("query", "key", "value")
           for key, value in linear(f"{layer}.attention.self.{name}", HIDDEN, HIDDEN, rng).items()},
        **linear(f"{layer}.attention.output.dense", HIDDEN, HIDDEN, rng), **norm(f"{layer}.attention.output.LayerNorm"),
        **linear(f"{layer}.intermediate.dense", INNER, HIDDEN, rng),
        **linear(f"{layer}.output.dense", HIDDEN, INNER, rng), **norm(f"{layer}.output.LayerNorm"),
    }
    if not head:
        body.update(linear("pooler.dense", HIDDEN, HIDDEN, rng))
    config = {"architectures": [architecture], "model_type": "bert", "vocab_size": len(VOCABULARY),
              "hidden_size": HIDDEN, "num_hidden_layers": 1, "num_attention_heads": HEADS, "intermediate_size": INNER,
              "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1,
              "max_position_embeddings": 32, "type_vocab_size": 2, "layer_norm_eps": 1e-12, "pad_token_id": 0}
    model_folder(folder, config, {prefix + name: value for name, value in body.items()} | head)
    tokenizer(folder)


def gpt2(folder):
    rng = random.Random(3)
    block = "transformer.h.0"
    tensors = {
        "transformer.wte.weight": draw(len(VOCABULARY), HIDDEN, rng=rng),
        "transformer.wpe.weight": draw(32, HIDDEN, rng=rng),
        **norm(f"{block}.ln_1"), **norm(f"{block}.ln_2"), **norm("transformer.ln_f"),
    }
    # Conv1D stores the axis of inputs before that of outputs.
    for name, inputs, outputs in (("attn.c_attn", HIDDEN, 3 * HIDDEN), ("attn.c_proj", HIDDEN, HIDDEN),
                                  ("mlp.c_fc", HIDDEN, 4 * HIDDEN), ("mlp.c_proj", 4 * HIDDEN, HIDDEN)):
        tensors[f"{block}.{name}.weight"] = draw(inputs, outputs, rng=rng)
        tensors[f"{block}.{name}.bias"] = draw(outputs, rng=rng)
    config = {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "vocab_size": len(VOCABULARY),
              "n_embd": HIDDEN, "n_head": HEADS, "n_layer": 1, "n_positions": 32, "activation_function": "gelu_new",
              "attn_pdrop": 0.1, "embd_pdrop": 0.1, "resid_pdrop": 0.1, "layer_norm_epsilon": 1e-5,
              "bos_token_id": 3, "eos_token_id": 3, "tie_word_embeddings": True}
    model_folder(folder, config, tensors)
    tokenizer(folder)


def vit(folder):
    rng = random.Random(4)
    layer = "vit.encoder.layer.0"
    tensors = {
        "vit.embeddings.cls_token": draw(1, 1, HIDDEN, rng=rng),
        "vit.embeddings.position_embeddings": draw(1, 10, HIDDEN, rng=rng),
        "vit.embeddings.patch_embeddings.projection.weight": draw(HIDDEN, 3, 4, 4, rng=rng),
        "vit.embeddings.patch_embeddings.projection.bias": draw(HIDDEN, rng=rng),
        **{key: value for name in ("query", "key", "value")
           for key, value in linear(f"{layer}.attention.attention.{name}", HIDDEN, HIDDEN, rng).items()},
        **linear(f"{layer}.attention.output.dense", HIDDEN, HIDDEN, rng),
        **linear(f"{layer}.intermediate.dense", INNER, HIDDEN, rng),
        **linear(f"{layer}.output.dense", HIDDEN, INNER, rng),
        **norm(f"{layer}.layernorm_before"), **norm(f"{layer}.layernorm_after"), **norm("vit.layernorm"),
        **linear("classifier", 2, HIDDEN, rng),
    }
    config = {"architectures": ["ViTForImageClassification"], "model_type": "vit", "hidden_size": HIDDEN,
              "num_hidden_layers": 1, "num_attention_heads": HEADS, "intermediate_size": INNER, "hidden_act": "gelu",
              "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "layer_norm_eps": 1e-12,
              "image_size": 12, "patch_size": 4, "num_channels": 3, "qkv_bias": True,
              "id2label": {"0": "blue", "1": "red"}, "label2id": {"blue": 0, "red": 1}}
    model_folder(folder, config, tensors)
    processor = {"image_processor_type": "ViTImageProcessor", "size": {"height": 12, "width": 12}, "do_resize": True,
                 "resample": 2, "do_rescale": True, "rescale_factor": 1 / 255, "do_normalize": True,
                 "image_mean": [0.5] * 3, "image_std": [0.5] * 3}
    (folder / "preprocessor_config.json").write_text(json.dumps(processor))


# The models below have no weights: they are trained from their config.


def bart(folder):
    config = {"architectures": ["BartForConditionalGeneration"], "model_type": "bart", "vocab_size": len(VOCABULARY),
              "d_model": HIDDEN, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": HEADS,
              "decoder_attention_heads": HEADS, "encoder_ffn_dim": INNER, "decoder_ffn_dim": INNER,
              "max_position_embeddings": 32, "activation_function": "gelu", "dropout": 0.1, "pad_token_id": 0,
              "bos_token_id": 2, "eos_token_id": 3, "decoder_start_token_id": 3, "is_encoder_decoder": True}
    config_folder(folder, config)
    tokenizer(folder)


def wav2vec2(folder):
    config = {"architectures": ["Wav2Vec2ForCTC"], "model_type": "wav2vec2", "hidden_size": HIDDEN,
              "num_hidden_layers": 1, "num_attention_heads": HEADS, "intermediate_size": INNER, "hidden_act": "gelu",
              "conv_dim": [HIDDEN] * 3, "conv_kernel": [10, 8, 4], "conv_stride": [8, 5, 4],
              "num_feat_extract_layers": 3, "feat_extract_norm": "group", "conv_bias": False,
              "num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 4, "do_stable_layer_norm": False,
              "mask_time_prob": 0.1, "mask_time_length": 4, "layerdrop": 0.1, "vocab_size": 32, "pad_token_id": 0}
    config_folder(folder, config)
    extractor = {"feature_extractor_type": "Wav2Vec2FeatureExtractor", "sampling_rate": 16000, "feature_size": 1,
                 "padding_value": 0.0, "do_normalize": True, "return_attention_mask": False}
    (folder / "preprocessor_config.json").write_text(json.dumps(extractor))


def colorizer(folder):
    config = {"architectures": ["ColTranColorizer"], "model_type": "coltran", "hidden_size": 4, "ff_size": 6,
              "num_heads": 2, "num_encoder_layers": 1, "num_outer_layers": 1, "num_inner_layers": 1,
              "downsample_res": 4, "resolution": [4, 4], "dropout": 0.1}
    config_folder(folder, config)


def config_folder(folder, config):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config, indent=1))


def model_folder(folder, config, tensors):
    config_folder(folder, config)
    write_safetensors(folder / "model.safetensors", tensors)


def shards(source, folder):
    """Writes the model of `source` into two files with an index."""
    shutil.copytree(source, folder)
    stored = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").unlink()
    (size,) = struct.unpack("<Q", stored[:8])
    parts, index = [{}, {}], {}
    for i, (name, tensor) in enumerate(sorted(json.loads(stored[8:8 + size]).items())):
        begin, end = tensor["data_offsets"]
        values = struct.unpack(f"<{(end - begin) // 4}f", stored[8 + size + begin:8 + size + end])
        parts[i % 2][name] = (tensor["shape"], values)
        index[name] = f"model-{i % 2 + 1:05d}-of-00002.safetensors"
    for i, part in enumerate(parts):
        write_safetensors(folder / f"model-{i + 1:05d}-of-00002.safetensors", part)
    total = sum(4 * len(values) for part in parts for _, values in part.values())
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {"total_size": total}, "weight_map": index}, indent=1))


def tokenizer(folder):
    """Writes a WordPiece tokenizer like BERT's."""
    special = [{"id": i, "content": VOCABULARY[i], "single_word": False, "lstrip": False, "rstrip": False,
                "normalized": False, "special": True} for i in range(5)]

    def token(name, kind):
        return {"SpecialToken": {"id": name, "type_id": kind}}

    first, second = {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}
    single = [token("[CLS]", 0), first, token("[SEP]", 0)]
    post_processor = {"type": "TemplateProcessing", "single": single, "pair": [*single, second, token("[SEP]", 1)],
                      "special_tokens": {name: {"id": name, "ids": [VOCABULARY.index(name)], "tokens": [name]}
                                         for name in ("[CLS]", "[SEP]")}}
    content = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": special,
               "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                              "strip_accents": None, "lowercase": True},
               "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": post_processor,
               "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
               "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                         "max_input_chars_per_word": 100,
                         "vocab": {word: i for i, word in enumerate(VOCABULARY)}}}
    (folder / "tokenizer.json").write_text(json.dumps(content, indent=1))
    config = {"tokenizer_class": "BertTokenizer", "do_lower_case": True}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n")


def sentences(count, seed):
    """Yields (text, label): praise has label 1."""
    rng = random.Random(seed)
    for i in range(count):
        words = [rng.choice(WORDS[8:]) for _ in range(rng.randint(2, 10))]
        words.insert(rng.randrange(len(words)), rng.choice(WORDS[:4] if i % 2 else WORDS[4:8]))
        yield " ".join(words), i % 2


def tables(folder):
    train, more = list(sentences(ROWS, 1)), list(sentences(37, 2))
    csv_file(folder / "train.csv", train)
    csv_file(folder / "more.csv", train[:32])
    csv_file(folder / "validation.csv", more)
    csv_file(folder / "bad_rows.csv", [*train[:20], ("no label", "x"), *train[20:40], ("none", ""), *train[40:]])
    csv_file(folder / "scores.csv", [(text, label / 2 + len(text) / 100) for text, label in train])
    # The square of the third label overflows float32.
    csv_file(folder / "overflow.csv", [(text, 3e38 if i == 2 else 0.5) for i, (text, _) in enumerate(train[:16])])
    pairs = [(text, " ".join(sorted(text.split())[:3])) for text, _ in train]
    csv_file(folder / "pairs.csv", pairs)
    csv_file(folder / "few_pairs.csv", pairs[:8])
    lines = "".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in train)
    (folder / "train.jsonl").write_text(lines)
    with open(folder / "train.jsonl.gz", "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        packed.write(lines.encode())
    (folder / "corpus.txt").write_text("".join(text + "\n" for text, _ in train))
    (folder / "train.conll").write_text("".join(
        "".join(f"{word} {'B-MARK' if word in WORDS[:8] else 'O'}\n" for word in text.split()) + "\n"
        for text, _ in train))
    (folder / "recipe.yaml").write_text("task: text-classification\ntext_column: text\nlearning_rate: 1e-2\n"
                                        "max_length: 16\nbatch_size: 16\nmax_steps: 1\n")


def csv_file(file, rows):
    file.write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in rows))


def questions(file):
    """Writes questions about texts, in the layout of SQuAD."""
    paragraphs = []
    for i, (text, _) in enumerate(sentences(24, 3)):
        answer = text.split()[-1]
        paragraphs.append({"context": text, "qas": [{
            "id": str(i), "question": "what is it", "answers": [{"text": answer, "answer_start": text.rindex(answer)}]}]})
    file.write_text(json.dumps({"version": "1.1", "data": [{"title": "films", "paragraphs": paragraphs}]}))


def photos(folder):
    """Writes JPEG and WebP files, tables that list them, and an archive of JPEG files with labels."""
    names = ("420.jpg", "422.jpg", "444.jpg", "gray_progressive.jpg")
    copies(folder, "photos", "image", [TEST_DATA / "image" / "decode" / name for name in names])
    names = ("lossy.webp", "lossless.webp", "alpha_lossy.webp", "orientation_6.webp")
    copies(folder, "webp", "image", [TEST_DATA / "image" / "decode" / name for name in names])
    with tarfile.open(folder / "photos.tar", "w") as archive:
        for i, file in enumerate(sorted((folder / "photos").iterdir())):
            archive.add(file, f"{i}.jpg")
            (folder / "label.cls").write_text(str(i % 2))
            archive.add(folder / "label.cls", f"{i}.cls")
    (folder / "label.cls").unlink()


def copies(folder, name, column, files):
    """Copies files to a folder, and writes a table that lists each of them twice with a label."""
    (folder / name).mkdir()
    for file in files:
        shutil.copy(file, folder / name)
    rows = "".join(f"{name}/{file.name},{i % 2}\n" for i, file in enumerate(2 * files))
    (folder / f"{name}.csv").write_text(f"{column},label\n{rows}")


def recordings(folder):
    """Writes WAV files of tones with a table of their transcriptions, and recordings in other formats."""
    rng = random.Random(6)
    (folder / "speech").mkdir()
    lines = []
    for i in range(16):
        letters = rng.choices("abc", k=rng.randint(2, 4))
        samples = array.array("h")
        for letter in letters:
            pitch = 2 * math.pi * (300 + 400 * "abc".index(letter)) / 16000
            samples.extend(int(9000 * math.sin(pitch * n) + rng.gauss(0, 300)) for n in range(1600))
        with wave.open(str(folder / "speech" / f"{i}.wav"), "wb") as file:
            file.setparams((1, 2, 16000, 0, "NONE", ""))
            file.writeframes(samples.tobytes())
        lines.append(f"speech/{i}.wav,{''.join(letters)}\n")
    (folder / "speech.csv").write_text("audio,text\n" + "".join(lines))
    names = ("22k.flac", "22k_stereo.ogg", "16k.mp3", "48k.opus", "16k_float.wav", "44k_stereo.aiff")
    copies(folder, "recordings", "audio", [TEST_DATA / "audio" / "decode" / name for name in names])


def pictures(folder, count):
    """Writes a folder of PNG files for each class."""
    rng = random.Random(5)
    for name, colour in (("blue", (20, 20, 200)), ("red", (200, 20, 20))):
        (folder / name).mkdir(parents=True)
        for i in range(count):
            (folder / name / f"{i}.png").write_bytes(png(16 + i % 3, 20 - i % 4, colour, rng))


def png(width, height, colour, rng):
    """Returns a PNG file of a noisy picture around one colour."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = b"".join(b"\0" + bytes(min(255, value + rng.randrange(40)) for _ in range(width) for value in colour)
                    for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
