"""The text that transformers renders from a chat template, with the spans of {% generation %} blocks, or an error."""

import datetime

from transformers.utils import chat_template_utils


class Fixed(datetime.datetime):
    """The time of strftime_now: that of tests/chat/jinja/run.h."""

    @classmethod
    def now(cls, tz=None):
        return cls(2024, 7, 4, 9, 5, 6)


chat_template_utils.datetime = Fixed


def render(template, variables):
    """variables: as apply_chat_template passes them: messages, tools, add_generation_prompt, special tokens, ..."""
    try:
        compiled = chat_template_utils._compile_jinja_template(template)
        arguments = {"messages": [], "tools": None, "documents": None, "add_generation_prompt": False, **variables}
        text, spans = chat_template_utils._render_with_assistant_indices(compiled_template=compiled, **arguments)
        return {"text": text, "generations": [list(span) for span in spans]}
    except Exception as error:  # whatever Python or Jinja object to
        return {"error": f"{type(error).__name__}: {error}"}
