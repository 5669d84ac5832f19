"""Makes tests/data/tasks/text_metrics.json: pairs of texts with their ROUGE, BLEU, chrF and error
rates, and stems of words.

Run by hand from the root of the repository, with rouge-score 0.1.2, nltk 3.10, sacrebleu 2.6 and jiwer 4.0:
    python tests/oracle/tasks/make_text_metric_cases.py
"""

import itertools
import json
import pathlib
import random

import jiwer
from nltk.stem.porter import PorterStemmer
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

ROUGE = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
random.seed(20)

WORDS = """the a of was running runs ran happily happiness relational dying skies news agreed feeding hopping falling
sized filing enjoyment flies die tie said prices rose 3.5 1,000 10-20 U.S. don't state-of-the-art "quoted" (aside)
etc. e-mail AT&T &amp; &quot; &lt; &gt; <skipped> être naïve Über İstanbul ΣΊΣΥΦΟΣ 北京 привет 5% $4 K2 end- a.b.c ... -- C++
can''t semi;colon x_y theology archaeology rationally tanned controlling oscillators sensibilities""".split()

FIXED = [
    ("", ""),
    ("a reference", ""),
    ("", "a text"),
    (" \n ", "\t"),
    ("être", "été"),
    ("same text", "same text"),
    ("the the the the", "the"),
    ("the", "the the the the"),
    ("one two three four", "four three two one"),
    ("first line\nsecond line", "second line\nfirst line"),
    ("a b c\na b c\n", "a b c"),
    ("a b\n\nc d e", "a c\nb d\ne"),
    ("hyphen-\nated and broken", "hyphenated and broken"),
    ("no-break\u00a0space and\u2003em", "no-break space and em"),
    ("İİ İi K", "ii ii k"),
]

STEMS = """a be sky skies dying lying tying news innings outings cannings howe proceed exceed succeed yyyy syzygy toy
caresses ponies ties dies flies cats caress feed agreed plastered bled motoring sing conflated troubled sized hopping
tanned falling hissing fizzed failing filing happy enjoy spy try spied died tried aed abed ing oing""".split()
BEGINNINGS = ["re", "rel", "vileb", "form", "control", "oscill", "geo", "ab", "trou", "abc1"]
ENDINGS = """ational tional enci anci izer abli bli alli entli eli ousli ization ation ator alism iveness fulness ousness
aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion
sion tion ou ism ate iti ous ive ize e le ll eed ed ing ied ies y ly""".split()


def text_of(words):
    ends = [random.choice([" ", " ", " ", " ", ", ", ". ", ".\n", "\n", "! "]) for _ in words]
    return "".join(itertools.chain.from_iterable(zip(words, ends)))[:-1]


def changed(words):
    """The words with some of them dropped, repeated, exchanged or replaced."""
    words = [w for w in words for _ in range(random.choice([0, 1, 1, 1, 1, 1, 2]))]
    words = [random.choice(WORDS) if random.random() < 0.15 else w for w in words]
    if random.random() < 0.3:
        random.shuffle(words)
    return words


def random_pair():
    words = random.choices(WORDS, k=random.randint(1, 14))
    return text_of(words), text_of(changed(words) or ["a"])


def rouge_of(reference, text, stems):
    scores = RougeScorer(ROUGE, use_stemmer=stems).score(reference, text)
    return [scores[name].fmeasure for name in ROUGE]


def corpus_of(references, texts):
    return [metric.corpus_score(texts, [references]).score for metric in (BLEU(), CHRF())]


def error_rates_of(references, texts):
    return [rate(list(references), list(texts)) for rate in (jiwer.wer, jiwer.cer)]


pairs = FIXED + [random_pair() for _ in range(200 - len(FIXED))]
stemmer = PorterStemmer()
golden = {
    "pairs": [
        {
            "reference": reference,
            "text": text,
            "rouge": rouge_of(reference, text, False),
            "rouge_of_stems": rouge_of(reference, text, True),
            "bleu_and_chrf": corpus_of([reference], [text]),
            "error_rates": error_rates_of([reference], [text]),
            "tokens": Tokenizer13a()(reference),
        }
        for reference, text in pairs
    ],
    "corpora": [
        {
            "begin": begin,
            "end": end,
            "bleu_and_chrf": corpus_of(*zip(*pairs[begin:end])),
            "error_rates": error_rates_of(*zip(*pairs[begin:end])),
        }
        for begin, end in [(0, 5), (0, 15), (5, 7), (15, 45), (100, 200), (0, 200)]
    ],
    "stems": {word: stemmer.stem(word) for word in STEMS + [b + e for b in BEGINNINGS for e in ENDINGS]},
}
path = pathlib.Path("tests/data/tasks/text_metrics.json")
path.write_text(json.dumps(golden, ensure_ascii=False, separators=(",", ":")) + "\n")
