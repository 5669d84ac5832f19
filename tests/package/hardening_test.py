"""The command and its plug-ins have what cmake/Hardening.cmake asks for, as their ELF headers say."""

import os
import pathlib
import struct
import unittest

COMMAND = pathlib.Path(os.environ["PORTATUNE_COMMAND"])
SHARED = 3  # type of a file that can be loaded at any address
LOAD, DYNAMIC, INTERPRETER, STACK, RELRO = 1, 2, 3, 0x6474E551, 0x6474E552
EXECUTE = 1
STRINGS, STRINGS_SIZE, BIND_NOW, FLAGS, FLAGS_1 = 5, 10, 24, 30, 0x6FFFFFFB


class Elf:
    """What the loader reads of a little-endian ELF file of 64 bits: the ELF specification 1.2, book III."""

    def __init__(self, file):
        self.data = file.read_bytes()
        (self.type,) = struct.unpack_from("<H", self.data, 16)
        (table,) = struct.unpack_from("<Q", self.data, 32)
        size, count = struct.unpack_from("<HH", self.data, 54)
        # Of each segment: type, flags, offset, address, (physical address,) size.
        self.segments = [struct.unpack_from("<IIQQ8xQ", self.data, table + i * size) for i in range(count)]
        self.dynamic = dict(struct.iter_unpack("<QQ", self.content(self.segment(DYNAMIC))))

    def segment(self, kind):
        return next((segment for segment in self.segments if segment[0] == kind), None)

    def content(self, segment):
        _, _, offset, _, size = segment
        return self.data[offset:offset + size]

    def names(self):
        """The names of dynamic symbols, and of the libraries that have them."""
        begin = self.dynamic[STRINGS]
        for kind, _, offset, address, size in self.segments:
            if kind == LOAD and address <= begin < address + size:
                place = begin - address + offset
                return self.data[place:place + self.dynamic[STRINGS_SIZE]].decode().split("\0")
        raise ValueError("the names of dynamic symbols are in no segment")


class Hardening(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.command = Elf(COMMAND)
        plugins = COMMAND.parent.glob("libportatune_*.so")
        cls.files = {COMMAND.name: cls.command, **{file.name: Elf(file) for file in plugins}}

    def expect_of_all(self, has_it):
        """Fails with the names of the files that do not have it."""
        self.assertEqual([name for name, file in self.files.items() if not has_it(file)], [])

    def test_the_command_is_position_independent(self):
        self.assertEqual(self.command.type, SHARED)
        self.assertIsNotNone(self.command.segment(INTERPRETER))

    def test_relocations_are_read_only_from_the_start(self):
        self.expect_of_all(lambda file: file.segment(RELRO))
        self.expect_of_all(lambda file: BIND_NOW in file.dynamic or file.dynamic.get(FLAGS, 0) & 8
                           or file.dynamic.get(FLAGS_1, 0) & 1)

    def test_the_stack_is_not_executable(self):
        self.expect_of_all(lambda file: file.segment(STACK) and not file.segment(STACK)[1] & EXECUTE)

    def test_functions_check_their_stack(self):
        self.expect_of_all(lambda file: "__stack_chk_fail" in file.names())

    # _FORTIFY_SOURCE. Static libraries of the system use other such functions, and our plug-ins none.
    def test_functions_of_libc_check_the_size_of_buffers(self):
        self.assertTrue("__memset_chk" in self.command.names())


if __name__ == "__main__":
    unittest.main()
