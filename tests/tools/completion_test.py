"""`portatune completion`: each shell proposes commands, options and the words of choices."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

COMMAND = os.environ["PORTATUNE_COMMAND"]

# Prints what bash proposes for the last of the words.
BASH = """
eval "$({command} completion bash)"
COMP_WORDS=({words}) COMP_CWORD=$(({count} - 1))
_portatune
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
# Prints what zsh proposes for the last of the words: compadd and _files, which work in its line editor alone, print.
ZSH = """
{load}
compadd() {{ shift; print -l -- ${{(M)@:#$words[CURRENT]*}} }}
_files() {{ print '(files)' }}
words=({words}) CURRENT={count}
$_comps[portatune]
"""
ZSH_EVALUATES = 'eval "$({command} completion zsh)"'
# The script is in a folder of fpath.
ZSH_LOADS = "fpath=({folder} $fpath); autoload -Uz compinit && compinit -D -u"
# Prints what fish proposes for a line.
FISH = """
{command} completion fish | source
complete --do-complete {line}
"""


def output_of(*words, environment=None):
    return subprocess.run(words, env={**os.environ, **(environment or {})}, stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def bash(line):
    words = " ".join(f"'{word}'" for word in line.split(" "))
    return output_of("bash", "-c", BASH.format(command=COMMAND, words=words, count=line.count(" ") + 1)).split()


def zsh(line, load):
    words = " ".join(f"'{word}'" for word in line.split(" "))
    return output_of("zsh", "-f", "-c", ZSH.format(load=load, words=words, count=line.count(" ") + 1)).split()


def fish(line):
    proposed = output_of("fish", "-c", FISH.format(command=COMMAND, line=f"'{line}'")).splitlines()
    return [one.split("\t")[0] for one in proposed]


class Completion(unittest.TestCase):
    def check(self, propose):
        self.assertIn("fit", propose("portatune "))
        self.assertEqual(propose("portatune eval"), ["evaluate"])
        self.assertEqual(propose("portatune tfrecord w"), ["write"])
        self.assertEqual(propose("portatune completion z"), ["zsh"])
        self.assertIn("--learning-rate", propose("portatune fit --model fit --learn"))
        self.assertEqual(propose("portatune fit --task token"), ["token-classification"])
        self.assertIn("--verify", propose("portatune tfrecord inspect --"))
        self.assertNotIn("--verify", propose("portatune fit --"))

    def test_bash(self):
        self.check(bash)

    def test_bash_proposes_files_for_other_words(self):
        self.assertEqual(bash("portatune fit --train tr"), [])
        self.assertIn("complete -o default", output_of(COMMAND, "completion", "bash"))

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish(self):
        self.check(fish)

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish_finds_the_script_in_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            scripts = pathlib.Path(folder, "fish", "vendor_completions.d")
            scripts.mkdir(parents=True)
            (scripts / "portatune.fish").write_text(output_of(COMMAND, "completion", "fish"))
            path = f"{pathlib.Path(COMMAND).parent}:{os.environ['PATH']}"  # fish wants to find the command, too
            proposed = output_of("fish", "-c", "complete --do-complete 'portatune evalu'",
                                 environment={"XDG_DATA_DIRS": f"{folder}:/usr/share", "PATH": path})
            self.assertTrue(proposed.startswith("evaluate"), proposed)

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh(self):
        load = ZSH_EVALUATES.format(command=COMMAND)
        self.check(lambda line: zsh(line, load))
        self.assertEqual(zsh("portatune fit --train tr", load), ["(files)"])

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh_finds_the_script_in_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "_portatune").write_text(output_of(COMMAND, "completion", "zsh"))
            self.check(lambda line: zsh(line, ZSH_LOADS.format(folder=folder)))


if __name__ == "__main__":
    unittest.main()
