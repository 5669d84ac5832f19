#!/usr/bin/env python3
"""Makes a data set of spoken digits with espeak-ng (package espeak-ng): a folder for each of the words "zero" to "nine".

    python3 tests/cli/tasks/spoken_digits.py FOLDER [--voices 12]
FOLDER/train has each word in all voices at three speeds; FOLDER/test has it at a speed between them, and by two voices
that are not in FOLDER/train.
"""

import argparse
import concurrent.futures
import itertools
import pathlib
import subprocess

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
ACCENTS = ("en-us", "en-gb-x-rp", "en-gb-scotland", "en-gb-x-gbclan")
SPEAKERS = ("m1", "f1", "m2", "f2", "m3", "f3", "m4", "f4", "m5", "m7")
TRAINED_SPEEDS, TESTED_SPEED = (130, 160, 190), 145  # words a minute
NEW_VOICES = ("en-us+m6", "en-gb-x-rp+f5")


def voices(count):
    """Each accent with different speakers first."""
    pairs = itertools.product(range(len(SPEAKERS)), range(len(ACCENTS)))
    return [f"{ACCENTS[a]}+{SPEAKERS[(s + a) % len(SPEAKERS)]}" for s, a in pairs][:count]


def say(file, word, voice, speed):
    subprocess.run(["espeak-ng", "-v", voice, "-s", str(speed), "-w", file, word], check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--voices", type=int, default=12)
    options = parser.parse_args()
    trained = list(itertools.product(voices(options.voices), TRAINED_SPEEDS))
    tested = [(voice, TESTED_SPEED) for voice in (*voices(options.voices), *NEW_VOICES)]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        done = []
        for part, settings in (("train", trained), ("test", tested)):
            for word in WORDS:
                folder = options.folder / part / word
                folder.mkdir(parents=True, exist_ok=True)
                for voice, speed in settings:
                    done.append(pool.submit(say, folder / f"{voice}-{speed}.wav", word, voice, speed))
        for future in done:
            future.result()


if __name__ == "__main__":
    main()
