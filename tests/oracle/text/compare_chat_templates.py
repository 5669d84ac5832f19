"""Compares Portatune's chat templates with those of transformers 5.23.0 on many conversations: the text, and the
positions of {% generation %} blocks in it. Both may reject a conversation; their messages are not compared.

    python tests/oracle/text/compare_chat_templates.py build/tests/chat/jinja/portatune_template_dump FOLDER
FOLDER has templates as *.jinja; the package trl has about sixty (trl/chat_templates). Prints the templates
with a difference, with the first one, and the number of templates without any; exits with 1 if there is a difference.
"""

import itertools
import json
import pathlib
import subprocess
import sys

import chat_reference

DUMP, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])


def message(role, content, **more):
    return {"role": role, "content": content, **more}


SYSTEM = message("system", "You are  terse.\n")
ASK = message("user", " What is 2 + 2? ")
SAY = message("assistant", "\n4, of course. ")
THINK = message("assistant", "<think>\nhm\n</think>\n\nIt is 4.")
REASON = message("assistant", "It is 4.", reasoning_content="two and two", thinking="two and two")
ODD = message("user", "<b>\u00e9\u4e2d\U0001f642</b> 'a' \"b\" \\n\ttab")
PARTS = message("user", [{"type": "text", "text": "in "}, {"type": "text", "text": "parts"}])
CALL = message("assistant", "", tool_calls=[{"id": "call12345", "type": "function", "function": {
    "name": "weather", "arguments": {"city": "K\u00f6ln", "days": 3, "exact": True, "more": {"a": [1, 2.5, None]}}}}])
RESULT = message("tool", "{\"degrees\": 21.5}", name="weather", tool_call_id="call12345")
CALL_TEXT = message("assistant", "Let me see.", tool_calls=[{"type": "function", "function": {
    "name": "weather", "arguments": "{\"city\": \"Bonn\"}"}}])

CONVERSATIONS = [
    [ASK], [SYSTEM, ASK], [ASK, SAY], [SYSTEM, ASK, SAY], [ASK, SAY, ODD], [SYSTEM, ASK, SAY, ODD, SAY],
    [ASK, THINK], [ASK, THINK, ODD, THINK], [SYSTEM, ASK, REASON], [ASK, REASON, ODD, REASON], [message("user", "")],
    [message("user", "   ")], [PARTS], [SYSTEM, PARTS, SAY], [ASK, CALL, RESULT], [SYSTEM, ASK, CALL, RESULT, SAY],
    [ASK, CALL, RESULT, RESULT, SAY, ODD], [ASK, CALL_TEXT, RESULT, SAY], [ASK, ASK], [SAY], [SYSTEM],
    [message("developer", "Be brief."), ASK, SAY], [ODD, message("assistant", "\U0001f642 na\u00efve")],
    [message("system", [{"type": "text", "text": "parts"}]), ASK], [message("user", None)], [{"role": "user"}],
]
TOOLS = [{"type": "function", "function": {
    "name": "weather", "description": "Tells the <weather> of a city & more.",
    "parameters": {"type": "object", "required": ["city"], "properties": {
        "city": {"type": "string", "description": "its \"name\"", "enum": ["K\u00f6ln", "Bonn"]},
        "days": {"type": "integer", "default": 3}, "exact": {"type": ["boolean", "null"]},
        "places": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "number"}}}}}}}}]
TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
SETTINGS = [{}, {"tools": TOOLS}, {"enable_thinking": False}, {"enable_thinking": True, "tools": TOOLS}]


def requests(template):
    for messages, settings, prompt in itertools.product(CONVERSATIONS, SETTINGS, [False, True]):
        yield {"template": template, "variables": {"messages": messages, "tools": None, "documents": None,
                                                   "add_generation_prompt": prompt, **TOKENS, **settings}}


def run_portatune(requests):
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    answers = subprocess.run([DUMP], input=lines, capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in answers.splitlines()]


def differ(ours, theirs):
    if "error" in ours or "error" in theirs:
        return ("error" in ours) != ("error" in theirs)
    return ours != theirs


def main():
    equal, refused, total, templates = 0, 0, 0, sorted(FOLDER.glob("*.jinja"))
    for path in templates:
        cases = list(requests(path.read_text()))
        answers = run_portatune(cases)
        expected = [chat_reference.render(case["template"], case["variables"]) for case in cases]
        refused += sum("error" in answer for answer in expected)
        total += len(cases)
        wrong = [i for i in range(len(cases)) if differ(answers[i], expected[i])]
        equal += not wrong
        if wrong:
            variables = cases[wrong[0]]["variables"]
            print(f"{path.name}: {len(wrong)} of {len(cases)} differ, first for {json.dumps(variables)[:300]}")
            print(f"  ours    {answers[wrong[0]]}\n  theirs  {expected[wrong[0]]}")
    print(f"{equal} of {len(templates)} templates are equal in all {total} renderings, of which both refuse {refused}")
    return 0 if equal == len(templates) else 1


sys.exit(main())
