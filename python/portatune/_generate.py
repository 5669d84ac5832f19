"""Text generation."""

import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, Unpack, overload

from portatune._errors import kind_of, usage_error
from portatune._native import Completion, core
from portatune._rows import Path
from portatune._words import words_with_rows
from portatune.options import GenerateOptions

Conversation = Sequence[Mapping[str, Any]]


@overload
def generate(model: Path, prompt: str | Conversation, *,  # type: ignore[overload-overlap]  # a str is a Sequence[str]
             stream: Literal[False] = False, **options: Unpack[GenerateOptions]) -> Completion: ...
@overload
def generate(model: Path, prompt: Sequence[str], *, stream: Literal[False] = False,
             **options: Unpack[GenerateOptions]) -> list[Completion]: ...
@overload
def generate(model: Path, prompt: str | Conversation, *, stream: Literal[True],
             **options: Unpack[GenerateOptions]) -> Iterator[str]: ...


def generate(model: Path, prompt: str | Sequence[str] | Conversation, *, stream: bool = False,
             **options: Unpack[GenerateOptions]) -> Completion | list[Completion] | Iterator[str]:
    """Continues a prompt, or a list of prompts, with the options of `portatune generate`.

        portatune.generate("gpt2", "Once upon a time", max_new_tokens=20).text
        for text in portatune.generate("gpt2", "Once upon a time", stream=True):
            print(text, end="", flush=True)

    Args:
        model: folder of a causal language model, or its name on the Hugging Face Hub
        prompt: a text, a list of texts, or a conversation: a list of messages such as
            {"role": "user", "content": "Hello"}, which the model's chat template turns into a text
        stream: whether to return an iterator of texts, which are made while it is read, for a single prompt
        options: max_new_tokens, do_sample, temperature, num_beams, chat, ...: docs/results/generation.md

    Returns:
        a Completion for a text or a conversation. A list of them for a list of texts, for num_return_sequences above 1
        (those of a prompt follow each other), and for several adapters (the texts of one after those of the other)
    """
    if not isinstance(prompt, Sequence) or isinstance(prompt, (bytes, bytearray)):
        raise usage_error("prompt", kind_of(prompt), "a text, a list of texts, or a list of messages")
    is_chat = _is_conversation(prompt)
    prompts = {"input": [{"messages": prompt}], "chat": True} if is_chat else {"prompt": prompt}
    given = {"model": model, **prompts, **options}
    is_single = is_chat or isinstance(prompt, str)
    if stream:
        _require_one_text(is_single, given)
        return _stream(given)
    completions = _completions(given)
    return completions[0] if is_single and len(completions) == 1 else completions


def _require_one_text(is_single: bool, options: Mapping[str, Any]) -> None:
    """Refuses the streams of several texts, whose parts would mix."""
    if not is_single:
        raise TypeError("stream=True continues a single prompt: a str, or a list of messages")
    sequences, adapters = options.get("num_return_sequences") or 1, options.get("adapter")
    if int(sequences) > 1 or (isinstance(adapters, (list, tuple, dict)) and len(adapters) > 1):
        raise usage_error("generate", "stream=True for several texts of a prompt", "one text",
                          "a call for each adapter, and num_return_sequences=1; or stream=False")


def _is_conversation(prompt: str | Sequence[str] | Conversation) -> bool:
    """Whether this is a list of messages such as {"role": "user", "content": "Hello"}."""
    return not isinstance(prompt, str) and len(prompt) > 0 and isinstance(prompt[0], Mapping)


def _completions(options: Mapping[str, Any], on_text: Callable[[Any, str], None] | None = None) -> list[Completion]:
    with words_with_rows("generate", options, "input") as given:
        return core.generate(given, on_text)


class _Closed(Exception):
    """The reader of the texts has left."""


def _stream(options: Mapping[str, Any]) -> Iterator[str]:
    """Yields the text of a continuation while another thread makes it."""
    texts: queue.Queue[str | None] = queue.Queue()
    closed = threading.Event()
    error: list[BaseException] = []

    def put(_: Any, text: str) -> None:
        if closed.is_set():
            raise _Closed
        texts.put(text)

    def work() -> None:
        try:
            _completions(options, put)
        except _Closed:
            pass
        except BaseException as fault:  # the reader gets every exception
            error.append(fault)
        texts.put(None)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        while (text := texts.get()) is not None:
            yield text
    finally:
        closed.set()
        thread.join()
    if error:
        raise error[0]
