"""JPEGs to normalised pixels by Pillow or torchvision and the image processors of transformers, on one thread.

    python images.py FOLDER PASSES pillow|torchvision
pillow: Pillow and transformers' Pillow backend; torchvision: its decoder and transformers' torchvision backend.
FOLDER and the output are those of images_bench.cpp.
"""

import io
import pathlib
import sys
import time

import numpy
import torch
from PIL import Image
from torchvision.io import ImageReadMode, decode_jpeg
from transformers import ViTImageProcessor, ViTImageProcessorPil


def pillow(folder):
    processor = ViTImageProcessorPil.from_pretrained(folder)
    return lambda data: processor(Image.open(io.BytesIO(data)).convert("RGB"), return_tensors="pt")["pixel_values"][0]


def torchvision(folder):
    processor = ViTImageProcessor.from_pretrained(folder)
    return lambda data: processor(
        decode_jpeg(torch.frombuffer(bytearray(data), dtype=torch.uint8), mode=ImageReadMode.RGB), return_tensors="pt"
    )["pixel_values"][0]


def main():
    folder, passes, mode = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    torch.set_num_threads(1)
    to_pixels = {"pillow": pillow, "torchvision": torchvision}[mode](folder)
    images = [path.read_bytes() for path in sorted(folder.glob("*.jpg"))]
    best = float("inf")
    for _ in range(passes):
        begin = time.process_time()
        for data in images:
            pixels = to_pixels(data)
        best = min(best, time.process_time() - begin)
    print(f"{best:.6f}")
    (folder / f"{mode}.pixels").write_bytes(numpy.ascontiguousarray(pixels.numpy()).tobytes())


if __name__ == "__main__":
    main()
