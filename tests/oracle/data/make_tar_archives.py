"""Makes tests/data/tar: WebDataset archives in the formats that Python's tarfile writes.

    python3 tests/oracle/data/make_tar_archives.py
"""

import io
import pathlib
import tarfile

FOLDER = pathlib.Path(__file__).parent.parent.parent / "data" / "tar"
LONG = "a folder whose name is long/" * 8
FILES = {
    "clips/0001.cls": b"1\n",
    "clips/0001.bin": bytes(range(256)) * 3,
    "clips/.hidden.cls": b"9",
    "clips/0002.bin": b"",
    "clips/0002.cls": b"0",
    LONG + "0003.part.BIN": b"x" * 512,
    LONG + "0003.cls": b"\xc3\xa9",
}
FORMATS = {"pax": tarfile.PAX_FORMAT, "gnu": tarfile.GNU_FORMAT, "ustar": tarfile.USTAR_FORMAT}

tarfile.RECORDSIZE = tarfile.BLOCKSIZE  # no long padding
FOLDER.mkdir(exist_ok=True)
for name, kind in FORMATS.items():
    with tarfile.open(FOLDER / f"{name}.tar", "w", format=kind) as archive:
        folder = tarfile.TarInfo("clips")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for path, content in FILES.items():
            # The oldest format has names of at most 100 characters in a folder of at most 155.
            member = tarfile.TarInfo(path if kind != tarfile.USTAR_FORMAT else path.replace(LONG, LONG[: 28 * 5]))
            member.size, member.mtime = len(content), 1.5 if kind == tarfile.PAX_FORMAT else 1
            archive.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("clips/link.cls")
        link.type, link.linkname = tarfile.SYMTYPE, "0001.cls"
        archive.addfile(link)
