"""The peer of portune_tokenizer_bench: the same work by the Python package `tokenizers`, whichever version is installed.

    python bench/peers/tokenizer.py tokenizer.json TEXTS IDS
Formats and output as in bench/tokenizer_bench.cpp. One thread; only the calls that load and encode are timed, and the
result stays in the library's own objects.
"""

import array
import os
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

import tokenizers  # noqa: E402: reads the environment


def read_texts(path):
    with open(path, "rb") as file:
        data = file.read()
    at, texts = 0, []
    while at < len(data):
        end = at + 4 + int.from_bytes(data[at:at + 4], "little")
        texts.append(data[at + 4:end].decode())
        at = end
    return texts


def main():
    tokenizer_json, texts_file, ids_file = sys.argv[1:]
    texts = read_texts(texts_file)
    begin = time.process_time()
    tokenizer = tokenizers.Tokenizer.from_file(tokenizer_json)
    load_s = time.process_time() - begin
    # Version 1 has one way only; before, encode_batch_fast is the one that leaves out the offsets.
    encode_batch = getattr(tokenizer, "encode_batch_fast", None) or tokenizer.encode_batch
    begin = time.process_time()
    encodings = encode_batch(texts)
    print(load_s, time.process_time() - begin)
    with open(ids_file, "wb") as file:
        for encoding in encodings:
            array.array("i", [len(encoding.ids), *encoding.ids]).tofile(file)


main()
