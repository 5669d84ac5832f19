#!/usr/bin/env python3
"""Draws the ratios of docs/results/performance.md as docs/results/performance.svg: a bar for each, by section.

A table takes part if it has a column "ratio" or several, "ratio: float32", "ratio: bfloat16". With --check nothing is
written, and the exit code is 1 if the picture is not that of the page.
"""

import argparse
import math
import pathlib
import re
import sys

from harness import svg, svg_text

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "results" / "performance.md"
PICTURE = PAGE.with_suffix(".svg")
WIDTH, LABELS, LINE, RIGHT = 800, 370, 15, 50  # pixels
LOWEST, HIGHEST = 0.5, 100  # of the axis
FASTER, SLOWER, GREY = "#2a6fbb", "#d9822b", "#ddd"


def ratios(page):
    """{heading: [(label, ratio)]} of the tables of a page."""
    found, heading, header = {}, [], None
    for line in page.splitlines():
        if match := re.match(r"(#+) (.*)", line):
            heading = [*heading[: len(match[1]) - 2], match[2]]
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else None
        if cells is None or header is None:
            header = cells
        elif not cells[0].startswith("---"):
            columns = {i: name.partition(": ")[2] for i, name in enumerate(header) if name.startswith("ratio")}
            rows = [(", ".join(filter(None, [cells[0].replace("`", ""), name])), float(cells[i]))
                    for i, name in columns.items() if cells[i]]
            if rows:
                found.setdefault(": ".join(heading), []).extend(rows)
    return found


def draw(groups):
    height = LINE * (2 + sum(len(rows) + 2 for rows in groups.values()))

    def across(ratio):
        if not LOWEST <= ratio <= HIGHEST:
            sys.exit(f"bench/plot.py: the ratio {ratio} is outside of the axis from {LOWEST} to {HIGHEST}")
        share = math.log(ratio / LOWEST) / math.log(HIGHEST / LOWEST)
        return round(LABELS + share * (WIDTH - LABELS - RIGHT), 1)

    parts = []
    for tick in (0.5, 1, 2, 5, 10, 20, 50, 100):
        colour = "#333" if tick == 1 else GREY
        parts.append(f'<path d="M{across(tick)},{LINE * 1.5}V{height}" stroke="{colour}"/>')
        parts.append(svg_text(across(tick), LINE, f"{tick:g}", text_anchor="middle"))
    y = LINE
    for heading, rows in groups.items():
        y += 2 * LINE
        parts.append(svg_text(8, y, heading, font_weight="bold"))
        for label, ratio in rows:
            y += LINE
            left, right = sorted((across(1), across(ratio)))
            colour = FASTER if ratio >= 1 else SLOWER
            parts.append(svg_text(LABELS - 8, y, label, text_anchor="end"))
            parts.append(f'<rect x="{left}" y="{y - 10}" width="{right - left:.1f}" height="11" fill="{colour}"/>')
            parts.append(svg_text(max(right, across(1)) + 4, y, f"{ratio:g}"))
    return svg(WIDTH, height, 11, parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; compare the picture with the page")
    picture = draw(ratios(PAGE.read_text()))
    if not parser.parse_args().check:
        PICTURE.write_text(picture)
    elif PICTURE.read_text() != picture:
        sys.exit("docs/results/performance.svg is not that of performance.md; run bench/plot.py")


if __name__ == "__main__":
    main()
