"""The peer of portatune_tokenizer_bench: the same work by the installed version of a Python package.

    python bench/peers/tokenizer.py tokenizer.json TEXTS IDS WHAT THREADS PACKAGE
Formats and output as in bench/tokenizer_bench.cpp. PACKAGE: tokenizers, nanotoken or gigatoken. Only the calls that
load and encode are timed, and the result stays in the library's own objects.
"""

import array
import importlib
import os
import sys
import time

tokenizer_json, texts_file, ids_file, what, threads, package = sys.argv[1:]
os.environ["TOKENIZERS_PARALLELISM"] = "true" if int(threads) > 1 else "false"
os.environ["RAYON_NUM_THREADS"] = threads
library = importlib.import_module(package)  # reads the environment


def read_texts():
    with open(texts_file, "rb") as file:
        data = file.read()
    at, texts = 0, []
    while at < len(data):
        end = at + 4 + int.from_bytes(data[at : at + 4], "little")
        texts.append(data[at + 4 : end].decode())
        at = end
    return texts


def load():
    """A function that encodes a list of texts, and one that gives the ids of one text of its result."""
    if package == "tokenizers":
        tokenizer = library.Tokenizer.from_file(tokenizer_json)
        # Before version 1, encode_batch_fast leaves out the offsets; version 1 has only encode_batch.
        fast = getattr(tokenizer, "encode_batch_fast", None)
        return tokenizer.encode_batch if what == "offsets" or not fast else fast, lambda encoding: encoding.ids
    tokenizer = library.Tokenizer(tokenizer_json)
    return lambda texts: tokenizer.encode_batch(texts, parallel=int(threads) > 1), lambda ids: ids.tolist()


def main():
    texts = read_texts()
    begin = time.process_time()
    encode_batch, ids_of = load()
    load_s = time.process_time() - begin
    cpu, wall = time.process_time(), time.perf_counter()
    encodings = encode_batch(texts)
    print(load_s, time.process_time() - cpu, time.perf_counter() - wall)
    with open(ids_file, "wb") as file:
        for encoding in encodings:
            ids = ids_of(encoding)
            array.array("i", [len(ids), *ids]).tofile(file)


main()
