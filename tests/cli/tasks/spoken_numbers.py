#!/usr/bin/env python3
"""Makes a data set of spoken digits with espeak-ng (package espeak-ng): tables of recordings with their transcriptions.

    python3 tests/cli/tasks/spoken_numbers.py FOLDER [--train 800] [--test 40]
FOLDER/train.csv and FOLDER/test.csv have one to three digits a row, "seven zero one". The voices are the same, the
sequences, speeds and pitches are others.
"""

import argparse
import concurrent.futures
import csv
import pathlib
import random
import subprocess

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
VOICES = ("en-us+m1", "en-us+f2")


def say(file, text, voice, speed, pitch):
    command = ["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(pitch), "-w", file, text]
    subprocess.run(command, check=True)


def recordings(draw, count):
    for index in range(count):
        text = " ".join(draw.choices(WORDS, k=draw.randint(1, 3)))
        yield text, VOICES[index % len(VOICES)], draw.randint(160, 180), draw.randint(45, 55)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--train", type=int, default=800)
    parser.add_argument("--test", type=int, default=40)
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        done = []
        for part, count, seed in (("train", options.train, 1), ("test", options.test, 2)):
            folder = options.folder / part
            folder.mkdir(parents=True, exist_ok=True)
            rows = list(recordings(random.Random(seed), count))
            with open(options.folder / f"{part}.csv", "w", newline="") as file:
                csv.writer(file).writerows([("audio", "text"), *((f"{part}/{i}.wav", row[0]) for i, row in enumerate(rows))])
            done += [pool.submit(say, folder / f"{i}.wav", *row) for i, row in enumerate(rows)]
        for future in done:
            future.result()


if __name__ == "__main__":
    main()
