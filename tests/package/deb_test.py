"""`make deb` and `make tarball`: the fields and files of the package, and the command in another root folder."""

import gzip
import pathlib
import shutil
import tempfile
import unittest

from package import fit, make, run


@unittest.skipUnless(shutil.which("dpkg-shlibdeps"), "no dpkg-dev")
class Deb(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name).resolve()
        make("deb", f"DIST={cls.folder}")
        (cls.package,) = cls.folder.glob("portatune_*_*.deb")
        cls.root = cls.folder / "root"
        run("dpkg-deb", "--extract", cls.package, cls.root)
        cls.home = {"HOME": str(cls.folder / "home"), "XDG_CACHE_HOME": ""}

    def field(self, name):
        return run("dpkg-deb", "--field", self.package, name).strip()

    def test_its_fields(self):
        self.assertEqual(self.field("Package"), "portatune")
        self.assertEqual(self.field("Architecture"), run("dpkg", "--print-architecture").strip())
        self.assertRegex(self.field("Version"), r"^\d+\.\d+\.\d+")
        self.assertIn("libcurl4", self.field("Recommends"))

    def test_it_depends_on_the_libraries_that_the_command_is_linked_with(self):
        depends = self.field("Depends")
        for library in ("libc6 (>=", "libstdc++6 (>=", "libyaml-cpp", "libdnnl"):
            self.assertIn(library, depends)

    def test_its_files(self):
        share = self.root / "usr" / "share"
        for file in ("man/man1/portatune.1.gz", "man/man1/portatune-fit.1.gz", "portatune/recipe.schema.json",
                     "portatune/recipes/glue/cola.yaml", "bash-completion/completions/portatune",
                     "zsh/vendor-completions/_portatune", "fish/vendor_completions.d/portatune.fish",
                     "doc/portatune/copyright", "doc/portatune/changelog.gz"):
            self.assertTrue((share / file).exists(), file)
        for file in ("include/portatune/portatune.h", "lib/cmake/portatune/portatuneConfig.cmake",
                     "lib/portatune/xla_cpu_pjrt.so"):
            self.assertTrue((self.root / "usr" / file).exists(), file)
        page = gzip.decompress((share / "man/man1/portatune-fit.1.gz").read_bytes()).decode()
        self.assertIn(".SH \"OPTIONS\"", page)

    @unittest.skipUnless(shutil.which("lintian"), "no lintian")
    def test_lintian_finds_nothing(self):
        self.assertEqual(run("lintian", "--fail-on", "error,warning", self.package), "")

    def test_the_command_trains_in_another_root(self):
        command = self.root / "usr" / "bin" / "portatune"
        run(command, *fit(self.folder / "tuned"), environment=self.home)
        self.assertTrue((self.folder / "tuned" / "model.safetensors").exists())

    def test_the_tarball_works_in_any_folder(self):
        make("tarball", f"DIST={self.folder}")
        (archive,) = self.folder.glob("portatune-*.tar.gz")
        run("tar", "-xzf", archive, "-C", self.folder)
        (command,) = self.folder.glob("portatune-*/bin/portatune")
        self.assertIn("platform  cpu", run(command, "devices", environment=self.home))


if __name__ == "__main__":
    unittest.main()
