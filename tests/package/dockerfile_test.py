"""The Dockerfile: its files and packages exist, and the steps of an image work in a bare Debian."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import tomllib
import unittest

from package import DATA, ROOT, fit, run

DOCKERFILE = ROOT / "Dockerfile"
# A folder made by `debootstrap --variant=minbase bookworm FOLDER`.
DEBIAN = os.environ.get("PORTATUNE_DEBIAN_ROOT")
MOUNT = "--mount=type=bind,from=build,source=/source/dist,target=/dist "


def stages():
    """The stages: name -> (the stage or image that it begins with, its instructions as (word, arguments))."""
    text = re.sub(r"(?m)^#.*\n", "", DOCKERFILE.read_text()).replace("\\\n", " ")
    found = {}
    for word, arguments in re.findall(r"(?m)^([A-Z]+) +(.*)$", text):
        if word == "FROM":
            image, name = arguments.split(" AS ")
            instructions = []
            found[name] = (image, instructions)
        else:
            instructions.append((word, arguments))
    return found


class Dockerfile(unittest.TestCase):
    def test_a_build_without_a_target_makes_the_image_for_cpus(self):
        self.assertEqual(list(stages())[-1], "cpu")

    def test_each_stage_begins_with_debian_or_an_earlier_stage(self):
        earlier = {"debian:12-slim"}
        for name, (image, _) in stages().items():
            self.assertIn(image, earlier)
            earlier.add(name)

    def test_extras_are_those_of_the_wheel(self):
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
        used = re.findall(r"whl\)\[(\w+)\]", DOCKERFILE.read_text())
        self.assertEqual(set(used), {"arrow", "cuda13"})
        self.assertLessEqual(set(used), set(extras))

    def test_the_source_has_no_build(self):
        ignored = (ROOT / ".dockerignore").read_text().replace("**/", "").split()
        for folder in (ROOT / ".gitignore").read_text().split():
            self.assertIn(folder.strip("/"), ignored)

    @unittest.skipUnless(shutil.which("hadolint"), "no hadolint")
    def test_hadolint_finds_nothing(self):
        run("hadolint", DOCKERFILE)


@unittest.skipUnless(DEBIAN and os.geteuid() == 0, "no PORTATUNE_DEBIAN_ROOT, or not root")
class Image(unittest.TestCase):
    """The stages `base` and `cpu`, with chroot in place of a container. A network is needed."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        folder = pathlib.Path(temporary.name)
        run(ROOT / "tools" / "wheel.sh", folder / "dist")
        cls.root = folder / "root"
        run("cp", "-a", DEBIAN, cls.root)
        shutil.copytree(folder / "dist", cls.root / "dist")
        cls.environment = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/root"}
        # The loader finds the libraries of the wheel by /proc/self/exe.
        run("mount", "--bind", "/proc", cls.root / "proc")
        cls.addClassCleanup(run, "umount", cls.root / "proc")
        cls.take_network()
        cls.work = "/"
        for name in ("base", "cpu"):
            for word, arguments in stages()[name][1]:
                cls.follow(word, arguments)

    @classmethod
    def take_network(cls):
        """Gives the root the settings of the network that this machine has, with its certificates."""
        shutil.copy("/etc/resolv.conf", cls.root / "etc" / "resolv.conf")
        names = [name for name in os.environ if name.lower().endswith("_proxy") or name.startswith("PIP_INDEX")]
        cls.environment.update({name: os.environ[name] for name in names})
        certificates = os.environ.get("PIP_CERT")
        if certificates:
            shutil.copy(certificates, cls.root / "etc" / "certificates.crt")
            cls.environment["PIP_CERT"] = "/etc/certificates.crt"

    @classmethod
    def follow(cls, word, arguments):
        if word == "RUN":
            cls.in_root("sh", "-c", arguments.removeprefix(MOUNT))
        elif word == "ENV":
            for name, value in (setting.split("=", 1) for setting in arguments.split()):
                cls.environment[name] = value.replace("$PATH", cls.environment["PATH"])
        elif word == "WORKDIR":
            cls.work = arguments
            (cls.root / arguments.strip("/")).mkdir(exist_ok=True)
        elif word not in ("ENTRYPOINT", "CMD"):
            raise ValueError(f"unknown instruction {word}")

    @classmethod
    def in_root(cls, *words):
        done = subprocess.run(["chroot", cls.root, "env", "--chdir", cls.work, *words], env=cls.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            raise AssertionError(f"exit code {done.returncode}: {words}\n{done.stdout}")
        return done.stdout

    def test_the_command_trains(self):
        for name in ("tiny_bert", "toy"):
            shutil.copytree(DATA / name, self.root / "work" / name, dirs_exist_ok=True)
        words = [str(word).replace(f"{DATA}/", "") for word in fit("tuned")]
        self.in_root("portatune", *words)
        self.assertTrue((self.root / "work" / "tuned" / "model.safetensors").exists())

    def test_it_reads_parquet_and_reaches_the_network_libraries(self):
        shutil.copy(DATA / "arrow" / "rows.parquet", self.root / "work")
        shutil.copytree(DATA / "tiny_bert", self.root / "work" / "bert", dirs_exist_ok=True)
        self.assertEqual(len(self.in_root("portatune", "tokenize", "--tokenizer", "bert", "--input", "rows.parquet")
                             .splitlines()), 3000)
        self.assertNotIn("libcurl", self.in_root("portatune", "doctor", "--json").split('"problems"')[1])


if __name__ == "__main__":
    unittest.main()
