"""Text generation."""

import queue
import threading
from collections.abc import Iterator, Sequence
from typing import Literal, overload

from portatune._native import Completion, core
from portatune._rows import Path
from portatune._words import words


@overload
def generate(model: Path, prompt: str, *, stream: Literal[False] = False, **options: object) -> Completion: ...
@overload
def generate(model: Path, prompt: Sequence[str], *, stream: Literal[False] = False,
             **options: object) -> list[Completion]: ...
@overload
def generate(model: Path, prompt: str, *, stream: Literal[True], **options: object) -> Iterator[str]: ...


def generate(model, prompt, *, stream=False, **options):
    """Continues a prompt, or a list of prompts, with the options of `portatune generate`.

        portatune.generate("gpt2", "Once upon a time", max_new_tokens=20).text
        for text in portatune.generate("gpt2", "Once upon a time", stream=True):
            print(text, end="", flush=True)

    Args:
        model: folder of a causal language model, or its name on the Hugging Face Hub
        prompt: a text or a list of texts
        stream: whether to return an iterator of texts, which are made while it is read, for a single prompt
        options: max_new_tokens, do_sample, temperature, num_beams, chat, ...: docs/generation.md

    Returns:
        a Completion for a text, a list of them for a list
    """
    given = words("generate", {"model": model, "prompt": prompt, **options})
    if stream:
        if not isinstance(prompt, str):
            raise TypeError("stream=True continues a single prompt, which is a str")
        return _stream(given)
    completions = core.generate(given, None)
    return completions[0] if isinstance(prompt, str) else completions


class _Closed(Exception):
    """The reader of the texts has left."""


def _stream(given):
    """Yields the text of a continuation while another thread makes it."""
    texts, closed, error = queue.Queue(), threading.Event(), []

    def put(_, text):
        if closed.is_set():
            raise _Closed
        texts.put(text)

    def work():
        try:
            core.generate(given, put)
        except _Closed:
            pass
        except BaseException as fault:  # the reader gets every exception
            error.append(fault)
        texts.put(None)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield from iter(texts.get, None)
    finally:
        closed.set()
        thread.join()
    if error:
        raise error[0]
