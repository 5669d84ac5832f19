"""A CPU without the instruction sets that the module is compiled for has an error that names them."""

import subprocess
import sys

import toy

OLD = "processor\t: 0\nflags\t\t: fpu sse sse2 ssse3 sse4_1 sse4_2 popcnt avx f16c\n"
NEW = OLD.replace("avx", "avx avx2 bmi1 bmi2 fma abm movbe")
SCRIPT = "import sys; from portatune import _command; _command._CPU_FACTS = sys.argv[1]; "


class Cpu(toy.InFolder):
    def run_on(self, facts, code):
        """Runs code on a CPU with these lines of /proc/cpuinfo."""
        file = self.folder / "cpuinfo"
        file.write_text(facts)
        return subprocess.run([sys.executable, "-c", SCRIPT + code, file, "--version"], capture_output=True, text=True,
                              check=False)

    def test_the_first_use_of_the_module_is_an_import_error(self):
        done = self.run_on(OLD, "import portatune; portatune.fit")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.splitlines()[-1],
                         "ImportError: portatune: this CPU lacks abm, avx2, bmi1, bmi2, fma, movbe; "
                         "expected a CPU of 2013 or later: Intel Haswell, AMD Excavator")

    def test_the_command_says_the_same(self):
        done = self.run_on(OLD, "_command.main()")
        self.assertEqual(done.returncode, 1)
        self.assertIn("this CPU lacks abm, avx2", done.stderr)

    def test_newer_cpus_and_those_of_other_kinds_have_none(self):
        for facts in (NEW, "Features : fp asimd\n"):
            self.assertEqual(self.run_on(facts, "import portatune; portatune.fit").stderr, "")


if __name__ == "__main__":
    toy.main()
