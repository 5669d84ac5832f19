"""tools/setup.sh: a second run does nothing, and failures are reported. No network: pip sees one local folder."""

import os
import pathlib
import platform
import re
import subprocess
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A dpkg-query that reports every package as installed.
ALL_INSTALLED = """#!/bin/sh
for argument in "$@"; do case "$argument" in -*|*showformat*|*'$'*) ;; *) echo "ii =$argument" ;; esac; done
"""
VERSIONS = dict(re.findall(r"^([^#\n]+)==(\S+)", (ROOT / "tools" / "lock.txt").read_text(), re.MULTILINE))
# Files of a complete cache, as far as set-up checks them.
COMPLETE = (
    f"deps/xla_cpu_pjrt-{VERSIONS['xla-cpu-pjrt']}",
    f"deps/xla_ffi-{VERSIONS['jaxlib']}/include/xla/ffi/api",
    f"deps/nanobind-{VERSIONS['nanobind']}",
    f"deps/pyarrow-{VERSIONS['pyarrow']}/pyarrow",
)


class SetUp(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.cache = self.folder / "cache" / "portatune"
        self.index = self.folder / "index"
        self.index.mkdir()
        self.write_command("dpkg-query", ALL_INSTALLED)

    def write_command(self, name, text):
        path = self.folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def run_setup(self, *options):
        environment = {
            "HOME": str(self.folder),
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.index),
        }
        command = [ROOT / "tools" / "setup.sh", *options]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def complete_cache(self):
        for folder in COMPLETE:
            (self.cache / folder).mkdir(parents=True)

    def test_with_everything_there_it_is_silent(self):
        self.complete_cache()
        done = self.run_setup()
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_tests_go_on_without_their_packages(self):
        self.complete_cache()
        done = self.run_setup("--tests")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the tests that need them are skipped", done.stderr)

    def test_packages_are_installed_once(self):
        # A Python that knows its version, and whose pip makes the folder that --target names.
        self.write_command("python3", "#!/bin/bash\n[[ $1 == -c ]] && echo 3.11 || mkdir -p \"${@: -1}\"\n")
        self.assertEqual(self.packages("--find").returncode, 1)
        folder = self.packages().stdout.strip()
        self.assertTrue(pathlib.Path(folder).is_dir())
        self.assertEqual(self.packages("--find").stdout.strip(), folder)

    def packages(self, *options):
        words = [ROOT / "tools" / "python_packages.sh", *options, ROOT / "docs" / "requirements.txt", "packages"]
        environment = {"XDG_CACHE_HOME": str(self.folder / "cache"), "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        return subprocess.run(words, env=environment, capture_output=True, text=True, check=False)

    def test_a_file_with_another_hash_is_refused(self):
        wheel = self.index / f"xla_cpu_pjrt-{VERSIONS['xla-cpu-pjrt']}-py3-none-manylinux_2_27_{platform.machine()}.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so", "not the plugin")
        done = self.run_setup()
        self.assertEqual(done.returncode, 65)
        self.assertIn(f"xla-cpu-pjrt=={VERSIONS['xla-cpu-pjrt']} is not the file that was pinned", done.stderr)
        self.assertFalse((self.cache / COMPLETE[0]).exists())

    def test_an_unreachable_index_is_named(self):
        done = self.run_setup()
        self.assertEqual(done.returncode, 69)
        self.assertIn(f"xla-cpu-pjrt=={VERSIONS['xla-cpu-pjrt']} could not be downloaded", done.stderr)

    def test_a_failing_installation_names_its_command(self):
        self.complete_cache()
        self.write_command("dpkg-query", "#!/bin/sh\necho 'ii =g++'\n")
        self.write_command("apt-get", "#!/bin/sh\necho no such mirror\nexit 100\n")
        self.write_command("sudo", "#!/bin/sh\nexit 1\n")
        done = self.run_setup()
        self.assertEqual(done.returncode, 69)
        self.assertRegex(done.stderr, r"apt-get install --yes --no-install-recommends cmake .*libgtest-dev")
        self.assertNotIn(" g++", done.stderr)

    def test_an_unknown_option_is_a_usage_error(self):
        done = self.run_setup("--gpu")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--gpu", done.stderr)


if __name__ == "__main__":
    unittest.main()
