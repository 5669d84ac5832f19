"""Prints the number of examples of each class that scikit-learn assigns to each part, for
tests/data_stages/order/folds_test.cpp and hold_out_test.cpp. Run: python3 tests/oracle/data/make_split_golden.py
"""

from collections import Counter

import sklearn
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit

CASES = ["aaaaaaabbbbcc", "bcabcaaaabbcabaaca", "zzzyyyyyyyyyyyyyyyyxxxxxxxxxwwwwwww", "abababababababababababab"]


def counts(labels, places):
    return dict(sorted(Counter(labels[i] for i in places).items()))


print("scikit-learn", sklearn.__version__)
for text in CASES:
    labels = list(text)
    for folds in (2, 3):
        parts = StratifiedKFold(folds, shuffle=True, random_state=1).split(labels, labels)
        print("k-fold", text, folds, [counts(labels, held) for _, held in parts])
    for share in (0.25, 0.3):
        # Several seeds: if their results differ, classes tie for a remaining place.
        found = []
        for seed in range(20):
            split = StratifiedShuffleSplit(1, test_size=share, random_state=seed).split(labels, labels)
            held = counts(labels, next(split)[1])
            if held not in found:
                found.append(held)
        print("hold out", text, share, found)
for examples, share in ((10, 0.1), (11, 0.1), (7, 0.5), (3, 0.4)):
    print("rows", examples, share, len(next(ShuffleSplit(1, test_size=share).split([0] * examples))[1]))
groups = list("aabbbccdddde")
held = next(GroupShuffleSplit(1, test_size=0.3, random_state=0).split(groups, groups=groups))[1]
print("groups", len({groups[i] for i in held}))
