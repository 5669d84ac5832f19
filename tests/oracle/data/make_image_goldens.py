"""Makes tests/data/image: small pictures in many file formats with the pixels that Pillow decodes, and the results of
Pillow and the image processors of transformers for one of them.

Run by hand from the root of the repository, with Pillow 13.0.0 and transformers 5.23.0:
    python tests/oracle/data/make_image_goldens.py
"""

import io
import json
import pathlib
import shutil
import struct
import zlib

import numpy
from PIL import Image, ImageEnhance, ImageOps, PngImagePlugin
from safetensors.numpy import save_file
from transformers import AutoModelForImageClassification, DeiTImageProcessorPil, ViTImageProcessorPil

FOLDER = pathlib.Path("tests/data/image")
random = numpy.random.default_rng(5)


def picture(width, height):
    """Waves of three colours, a hard edge and some noise."""
    y, x = numpy.mgrid[0:height, 0:width] / max(width, height)
    waves = [numpy.sin(9 * x + 4 * y), numpy.cos(7 * y - 3 * x), numpy.sin(20 * x * y)]
    pixels = 128 + 100 * numpy.stack(waves, axis=-1) + random.normal(0, 8, (height, width, 3))
    pixels[height // 3 : height // 2, width // 4 : width // 2] = (250, 10, 120)
    return Image.fromarray(pixels.clip(0, 255).astype(numpy.uint8))


def encoded(image, kind, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


# ---- PNG files that Pillow does not write


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(header, rows, extra=b""):
    """header: width, height, bit depth, colour type, interlaced; rows: the bytes of each, without filters"""
    head = struct.pack(">IIBBBBB", *header[:4], 0, 0, header[4])
    body = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def deep_png(channels, colour_type):
    values = random.integers(0, 65536, (9, 13, channels)).astype(">u2")
    values[0, :4] = [[0] * channels, [1] * channels, [255] * channels, [256] * channels]
    return png((13, 9, 16, colour_type, 0), [row.tobytes() for row in values])


def interlaced_png(image):
    pixels = numpy.asarray(image)
    passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
    rows = [row.tobytes() for y, x, dy, dx in passes for row in pixels[y::dy, x::dx] if row.size]
    return png((image.width, image.height, 8, 2, 1), rows)


# ---- the files


def exif(orientation, order="<"):
    """An EXIF block with this one tag; `order` is the byte order in the notation of struct."""
    mark = b"II*\0" if order == "<" else b"MM\0*"
    return b"Exif\0\0" + mark + struct.pack(order + "IHHHIHHI", 8, 1, 0x0112, 3, 1, orientation, 0, 0)


def xmp(orientation):
    return b'<rdf tiff:Orientation="%d"/>' % orientation


def itxt(orientation):
    text = PngImagePlugin.PngInfo()
    text.add_itxt("XML:com.adobe.xmp", xmp(orientation).decode())
    return text


def jpegs(image):
    gray, tiny = image.convert("L"), picture(5, 3)
    yield "420.jpg", encoded(image, "JPEG", quality=90)
    yield "422.jpg", encoded(image, "JPEG", subsampling=1)
    yield "444.jpg", encoded(image, "JPEG", subsampling=0, quality=95)
    yield "coarse.jpg", encoded(image, "JPEG", quality=3)
    yield "progressive.jpg", encoded(image, "JPEG", progressive=True)
    yield "gray.jpg", encoded(gray, "JPEG")
    yield "gray_progressive.jpg", encoded(gray, "JPEG", progressive=True)
    yield "cmyk.jpg", encoded(image.convert("CMYK"), "JPEG")
    yield "rgb.jpg", encoded(image, "JPEG", keep_rgb=True)
    yield "restarts.jpg", encoded(image, "JPEG", restart_marker_blocks=1)
    yield "one_pixel.jpg", encoded(image.crop((4, 4, 5, 5)), "JPEG")
    for orientation in range(1, 10):
        yield f"orientation_{orientation}.jpg", encoded(tiny, "JPEG", exif=exif(orientation))
    yield "orientation_6_big_endian.jpg", encoded(tiny, "JPEG", exif=exif(6, ">"))
    yield "orientation_8_xmp.jpg", encoded(tiny, "JPEG", xmp=xmp(8))
    yield "exif_1_xmp_6.jpg", encoded(tiny, "JPEG", exif=exif(1), xmp=xmp(6))
    yield "exif_9_xmp_6.jpg", encoded(tiny, "JPEG", exif=exif(9), xmp=xmp(6))
    yield "damaged_exif.jpg", encoded(tiny, "JPEG", exif=b"Exif\0\0II*\0\xff\xff\xff\x7f")


def pngs(image):
    gray = image.convert("L")
    yield "rgb.png", encoded(image, "PNG")
    yield "gray.png", encoded(gray, "PNG")
    yield "black_and_white.png", encoded(image.convert("1"), "PNG")
    yield "gray_2_bits.png", png((4, 1, 2, 0, 0), [b"\x1b"])
    yield "gray_4_bits.png", png((5, 1, 4, 0, 0), [b"\x01\x8e\xf0"])
    yield "palette.png", encoded(image.quantize(200), "PNG")
    yield "palette_2_bits.png", encoded(image.quantize(4), "PNG", bits=2)
    yield "palette_transparent.png", encoded(image.quantize(16), "PNG", transparency=3)
    alpha = Image.merge("RGBA", [*image.split(), gray])
    yield "alpha.png", encoded(alpha, "PNG")
    yield "gray_alpha.png", encoded(alpha.convert("LA"), "PNG")
    yield "transparent_colour.png", encoded(image, "PNG", transparency=image.getpixel((0, 0)))
    yield "gray_16_bits.png", deep_png(1, 0)
    yield "rgb_16_bits.png", deep_png(3, 2)
    yield "gray_alpha_16_bits.png", deep_png(2, 4)
    yield "alpha_16_bits.png", deep_png(4, 6)
    yield "interlaced.png", interlaced_png(image)
    tiny = picture(5, 3)
    yield "orientation_5.png", encoded(tiny, "PNG", exif=exif(5))
    yield "orientation_6_xmp.png", encoded(tiny, "PNG", pnginfo=itxt(6))
    yield "exif_1_xmp_6.png", encoded(tiny, "PNG", exif=exif(1), pnginfo=itxt(6))


def webps(image):
    alpha = Image.merge("RGBA", [*image.split(), image.convert("L")])
    yield "lossy.webp", encoded(image, "WEBP", quality=80)
    yield "lossless.webp", encoded(image, "WEBP", lossless=True)
    yield "alpha.webp", encoded(alpha, "WEBP", lossless=True, exact=True)
    yield "alpha_lossy.webp", encoded(alpha, "WEBP", quality=70)
    yield "animation.webp", encoded(image, "WEBP", save_all=True, append_images=[ImageOps.flip(image)], lossless=True)
    tiny = picture(5, 3)
    yield "orientation_6.webp", encoded(tiny, "WEBP", lossless=True, exif=exif(6))
    yield "orientation_8_xmp.webp", encoded(tiny, "WEBP", lossless=True, xmp=xmp(8))
    yield "exif_1_xmp_6.webp", encoded(tiny, "WEBP", lossless=True, exif=exif(1), xmp=xmp(6))


def damaged(image):
    jpeg, progressive = encoded(image, "JPEG"), encoded(image, "JPEG", progressive=True)
    yield "cut_short.jpg", jpeg[: len(jpeg) * 3 // 4]
    yield "without_end_marker.jpg", jpeg[:-2]
    yield "progressive_cut_short.jpg", progressive[: len(progressive) // 2]
    yield "header_only.jpg", jpeg[: jpeg.index(b"\xff\xc0") + 6]
    frame = jpeg.index(b"\xff\xc0") + 5
    yield "huge.jpg", jpeg[:frame] + struct.pack(">HH", 65500, 65500) + jpeg[frame + 4 :]
    whole = encoded(image, "PNG")
    yield "cut_short.png", whole[: len(whole) // 2]
    yield "wrong_checksum.png", whole[:60] + bytes([whole[60] ^ 1]) + whole[61:]
    yield "huge.png", png((65500, 65500, 8, 2, 0), [b""])
    webp = encoded(image, "WEBP", lossless=True)
    yield "cut_short.webp", webp[: len(webp) // 2]
    yield "picture.gif", encoded(image.quantize(4), "GIF")
    yield "text.jpg", b"no picture at all"
    yield "empty.png", b""


def upright(data):
    with Image.open(io.BytesIO(data)) as image:
        return ImageOps.exif_transpose(image).convert("RGB")


def refused_by_pillow(data):
    try:
        upright(data)
    except Exception:  # of several kinds
        return True
    return False


def write_decoded():
    image, tensors = picture(23, 17), {}
    for name, data in [*jpegs(image), *pngs(image), *webps(image)]:
        (FOLDER / "decode" / name).write_bytes(data)
        tensors[name] = numpy.asarray(upright(data))
    save_file(tensors, FOLDER / "decoded.safetensors")
    for name, data in damaged(image):
        assert refused_by_pillow(data) or name == "picture.gif", name
        (FOLDER / "damaged" / name).write_bytes(data)


# ---- resizing, cropping, normalising


def write_resized(image):
    tensors = {"source": numpy.asarray(image)}
    sizes = [(13, 7), (31, 9), (12, 21), (40, 26), (29, 8), (40, 9), (1, 1), (31, 21), (5, 50)]
    filters = ["NEAREST", "LANCZOS", "BILINEAR", "BICUBIC", "BOX", "HAMMING"]
    for number, name in enumerate(filters):
        for width, height in sizes if name in ("BILINEAR", "BICUBIC") else sizes[:5]:
            resized = image.resize((width, height), Image.Resampling[name])
            tensors[f"{number} {height} {width}"] = numpy.asarray(resized)
    save_file(tensors, FOLDER / "resized.safetensors")


def processors():
    yield "vit", ViTImageProcessorPil(size={"height": 16, "width": 20})
    yield "deit", DeiTImageProcessorPil(size={"height": 22, "width": 18}, crop_size={"height": 15, "width": 14})
    yield "shortest_edge", DeiTImageProcessorPil(size={"shortest_edge": 19}, crop_size={"height": 16, "width": 16})
    yield "padded_crop", DeiTImageProcessorPil(size={"shortest_edge": 11}, crop_size={"height": 14, "width": 14})
    yield "lanczos", ViTImageProcessorPil(size={"height": 12, "width": 12}, resample=1, image_std=[0.2, 0.3, 0.4])
    yield "no_normalize", ViTImageProcessorPil(size={"height": 9, "width": 9}, do_normalize=False)
    yield "no_rescale", ViTImageProcessorPil(size={"height": 9, "width": 9}, do_rescale=False, image_mean=[9, 8, 7])
    yield "no_resize", DeiTImageProcessorPil(do_resize=False, crop_size={"height": 33, "width": 21})


def write_processed(image):
    tensors = {}
    for name, processor in processors():
        (FOLDER / "processors" / f"{name}.json").write_text(json.dumps(processor.to_dict(), indent=1) + "\n")
        tensors[name] = numpy.asarray(processor(image, return_tensors="np")["pixel_values"][0])
    save_file(tensors, FOLDER / "processed.safetensors")


def write_coloured(image):
    tensors = {"source": numpy.asarray(image)}
    for kind in ("Brightness", "Contrast", "Color"):
        for factor in (0.0, 0.6, 1.3, 2.5):
            tensors[f"{kind} {factor}"] = numpy.asarray(getattr(ImageEnhance, kind)(image).enhance(factor))
    save_file(tensors, FOLDER / "coloured.safetensors")


def write_logits():
    """Writes the logits of tiny models of tests/data/models for all pictures of decode/."""
    logits, size = {}, {"height": 12, "width": 12}
    for model in ("vit_softmax", "deit_softmax", "deit_teacher"):
        network = AutoModelForImageClassification.from_pretrained(FOLDER.parent / "models" / model).eval()
        kind = ViTImageProcessorPil if model.startswith("vit") else DeiTImageProcessorPil
        processor = kind(size=size, do_center_crop=False)
        logits[model] = {}
        for path in sorted((FOLDER / "decode").iterdir()):
            inputs = processor(upright(path.read_bytes()), return_tensors="pt")
            logits[model][path.name] = [round(x, 6) for x in network(**inputs).logits[0].tolist()]
    (FOLDER / "logits.json").write_text(json.dumps(logits, indent=0) + "\n")


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    for folder in ("decode", "damaged", "processors"):
        (FOLDER / folder).mkdir(parents=True)
    write_decoded()
    source = picture(31, 21)
    write_resized(source)
    write_processed(source)
    write_coloured(picture(16, 12))
    write_logits()
