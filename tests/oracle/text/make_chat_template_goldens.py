"""Makes tests/data/jinja/snippets.json and tests/data/chat/renderings.json: texts that transformers 5.23.0 renders,
with Jinja 3.1.6, from small pieces of templates that cover each construct, and from the templates in tests/data/chat.

Run by hand from the root of the repository:
    python tests/oracle/text/make_chat_template_goldens.py
"""

import json
import pathlib

import jinja2
import transformers

import chat_reference

assert (transformers.__version__, jinja2.__version__) == ("5.23.0", "3.1.6")
DATA = pathlib.Path("tests/data")

VARIABLES = {
    "name": "World", "blank": "  a  b \n", "n": 7, "x": 2.5, "yes": True, "nothing": None, "empty": "",
    "list": [3, 1, 2], "texts": ["b", "A", "c"], "nested": [[1, 2], [3]], "unicode": "é中🙂\u00a0",
    "dict": {"b": 1, "a": {"c": [1, {"d": None}]}, "items": "shadowed"},
    "people": [{"name": "Ann", "age": 30}, {"name": "bob", "age": 25}, {"name": "Cy"}],
    "quotes": "it's \"so\"\\\n\t\x01<b>&\u2028", "lines": "one\ntwo\r\n\nfour\n",
}

# Whitespace control
BLANKS = [
    "a\n{% if yes %}\nb\n{% endif %}\nc\n", "a\n  {% if yes %}  \n b\n  {% endif %}\nc", "a {%- if yes -%} b {%- endif -%} c",
    "  {% if yes %}x{% endif %}\n\n", "\n\n{{ name }}\n\n", "a\n  {{- name -}}  \nb", "  {# gone #}\n  b", "a {#- gone -#} b",
    "  {%+ if yes %}x{% endif %}", "{% if yes +%}\nx{% endif %}", "a\n   {%- set q = 1 %}\n  b", "a\r\n{% if yes %}\r\nb{% endif %}\rc",
    "{{ '\n' }}x\n\n", "x{# {{ name }} #}y", "{% raw %} {{ name }} {% if %}{% endraw %}|", "a  {%- raw -%}  {{ b }}  {%- endraw -%}  c",
    "{% raw %}\nx\n{% endraw %}\ny", "{ {name} } {", "{%if yes%}1{%endif%}", "  {{ name }}\n  {% if yes %}y{% endif %}\n", "\u2003{%- if yes %}x{% endif %}",
    "{{ name }}\n{% if yes %}\n{% endif %}\n  {% if yes %}z{% endif %}",
]
# Literals and operators
EXPRESSIONS = [
    "1", "1_000", "1.5", "2e3", "1e100", "1e16", "0.0001", "0.00001", "'a' 'b'", "'\\n\\t\\x41\\u00e9\\'\\q\\\\'", '"\\"\\101"', "true", "False", "none",
    "[1, 'a', none, 2.0, [true]]", "(1,)", "(1, 2)", "()", "1, 2", "{'a': 1, 'b': [2], 1: 'c'}", "{'a': 1, 'a': 2}", "{}", "[]",
    "1 + 2 * 3", "7 // 2", "-7 // 2", "7 % 3", "-7 % 3", "7 / 2", "6 / 2", "2 ** 10", "2 ** 3 ** 2", "2 ** -1", "-2 ** 2", "- n", "+ n", "7.5 // 2", "-7.5 % 2",
    "'a' + 'b'", "'a' ~ 1 ~ none ~ true", "'ab' * 3", "3 * [1]", "[1] + [2]", "(1,) + (2,)", "1 + 2.5", "true + true", "1 ~ 2 + 3",
    "1 == 1.0", "1 == true", "'1' == 1", "[1, 2] == [1, 2]", "(1, 2) == [1, 2]", "{'a': 1} == {'a': 1}", "1 != 2", "1 < 2 < 3", "1 < 3 < 2", "'a' < 'b'", "[1, 2] < [1, 3]",
    "2 >= 2", "2 <= 1", "'b' in 'abc'", "2 in list", "'a' in dict", "9 not in list", "not 1 in list", "not yes", "yes and n", "empty or 'x'", "none and 1", "not yes or n",
    "'a' if yes else 'b'", "'a' if not yes else 'b' if n else 'c'", "'a' if not yes", "1 if yes", "name|upper + 'x'", "-1|abs", "(-1)|abs", "'a' ~ 'b'|upper",
    "n is odd", "n is not odd", "not n is odd", "x is number and yes", "n is divisibleby 7", "n is divisibleby(2)", "1 is in [1, 2]", "name is equalto 'World'", "n is eq 7",
    "name is string", "list is iterable", "list is sequence", "dict is mapping", "dict is sequence", "dict is iterable", "n is number", "yes is number", "yes is boolean", "n is integer", "yes is integer",
    "x is float", "none is none", "nothing is none", "absent is defined", "absent is undefined", "absent is sequence", "name is defined", "yes is true", "n is true", "yes is false", "range is callable", "name is callable",
    "n is lt 8", "n is ge 8", "n is ne 7", "n is even", "dict.items() is sequence", "dict.items() is iterable", "(list|select) is sequence", "nothing is iterable", "n is iterable",
    "absent", "absent ~ 'x'", "absent.x", "absent['x']", "absent + 'x'", "absent == none", "absent == other", "absent|length", "absent|list", "'x' in absent", "absent or 1", "not absent", "dict.absent", "dict.absent.x", "nothing.x", "nothing.x.y", "absent < 1", "absent()", "name.absent", "name.absent()",
    "1 / 0", "1 % 0", "'a' + 1", "1 + none", "[1] + (2,)", "'a' < 1", "none < 1", "n()", "-'a'", "1 in 2", "1 in 'a'", "dict + dict", "2 ** 3.0", "10 ** 15", "1 // 0.0",
]
# Texts in values
ACCESS = [
    "dict.b", "dict['b']", "dict.a.c[1].d", "dict.a['c'].0", "list[0]", "list[-1]", "list[3]", "list[-4]", "list['0']", "list[1:]", "list[:-1]", "list[::-1]", "list[::2]", "list[5:]", "list[-2:]", "(1, 2, 3)[1:]", "list[1:2:1]", "list[2:0:-1]", "list[none:2]",
    "unicode[1]", "unicode[-2:]", "unicode|length", "unicode[::-1]", "unicode[9]", "name[0]", "name[1:3]", "dict['items']", "dict.items()|list", "dict.keys()|list", "dict.values()|list", "dict.get('b')", "dict.get('z')", "dict.get('z', 5)", "dict.get('a').c", "dict.get('z') is none", "dict[0]", "dict[none]", "nothing['x']", "list[0:0]", "list.x", "n.x", "list['x']",
    "list[::0]", "list['a':]", "dict.copy() == dict", "list.index(1)", "list.index(9)", "list.count(3)", "list.append(1)", "dict.pop('b')", "dict.update({})", "list.sort()",
    "name.__class__", "dict.__class__.x", "people[0].name", "people[0]['age']", "people[2].age", "people.0.name", "nested[0][1]",
]
METHODS = [
    "blank.strip()", "blank.lstrip()", "blank.rstrip()", "'xxaxx'.strip('x')", "'abcba'.lstrip('ab')", "'é中é'.strip('é')", "blank.strip(none)", "'\u00a0 a\u3000'.strip()|tojson", "name.upper()", "name.lower()", "'hello wORLD'.title()", "'hELLO'.capitalize()", "\"it's a-b c\".title()",
    "'a,b,,c'.split(',')", "'a,b,c'.split(',', 1)", "'a,b,c'.rsplit(',', 1)", "blank.split()", "' a  b c '.split(none, 1)", "''.split()", "''.split(',')", "lines.splitlines()", "'a'.split('')", "'a b'.split(sep=' ')", "'a-b-c'.split('-')[-1]", "'a-b'.partition('-')", "'ab'.partition('-')", "'a-b-c'.rpartition('-')", "'ab'.rpartition('-')",
    "name.startswith('Wo')", "name.endswith('x')", "name.startswith(('x', 'W'))", "name.replace('o', '0')", "name.replace('l', 'LL', 1)", "'aaa'.replace('a', 'b', 2)", "', '.join(texts)", "','.join('abc')", "', '.join(list)", "name.find('r')", "unicode.find('🙂')", "name.find('z')", "'abcabc'.rfind('b')", "'banana'.count('an')", "'aaa'.count('')",
    "'123'.isdigit()", "''.isdigit()", "'1a'.isdigit()", "'  '.isspace()", "'prefix-x'.removeprefix('prefix-')", "'x.txt'.removesuffix('.txt')", "name.startswith(1)", "name.startswith()", "name.strip(1)", "name.upper(1)",
]
FILTERS = [
    "blank|trim", "blank|trim|length", "'xxa'|trim('x')", "5|trim", "name|length", "list|length", "dict|length", "n|length", "absent|default('d')", "empty|default('d')", "empty|default('d', true)", "none|default('d')", "nothing|default('d', boolean=true)", "absent|d", "absent|default(1, false)",
    "list|join", "list|join('-')", "texts|join(d=', ')", "people|join(', ', attribute='name')", "''|join(',')", "dict|join(',')", "name|upper", "name|lower", "5|upper", "'hello world-wide (web)'|title", "'hELLO wORLD'|capitalize", "list|first", "list|last", "[]|first", "name|first", "name|last", "[]|first|default('none')", "name|list", "dict|list", "n|list",
    "5|string", "none|string", "[1, 'a']|string", "x|string|length", "'42'|int", "'x'|int", "'x'|int(5)", "' 7 '|int", "'3.7'|int", "3.99|int", "-3.99|int", "true|int", "none|int", "'2.5'|float", "'x'|float", "3|float", "none|float(1.0)", "-3|abs", "-2.5|abs",
    "name|replace('o', '0')", "'aaa'|replace('a', 'b', 2)", "5|replace('5', 6)", "lines|indent", "lines|indent(2)", "lines|indent(2, true)", "lines|indent(2, blank=true)", "lines|indent('> ', first=true)", "''|indent(2, true)", "'a'|indent(0)", "quotes|safe", "quotes|e", "quotes|escape|length",
    "list|sort", "list|sort(reverse=true)", "texts|sort", "texts|sort(case_sensitive=true)", "people[:2]|sort(attribute='age')|map(attribute='name')|list", "['b', 1]|sort", "dict|dictsort", "{'b': 1, 'A': 2}|dictsort", "{'b': 1, 'A': 2}|dictsort(true)", "{'b': 1, 'a': 2}|dictsort(by='value')", "{'b': 1, 'a': 2}|dictsort(reverse=true)", "list|dictsort", "list|reverse|list", "name|reverse", "['a', 'A', 'b']|unique|list", "[1, 1.0, 2]|unique|list", "list|sum", "people[:2]|sum(attribute='age')", "list|sum(start=10)", "[]|sum", "list|min", "list|max", "texts|min", "texts|max(case_sensitive=true)", "[]|max",
    "texts|map('upper')|list", "texts|map('replace', 'b', 'z')|join", "people|map(attribute='name')|join('/')", "people|map(attribute='age', default=0)|list", "list|map('string')|join(',')", "texts|map|list", "list|select('odd')|list", "list|reject('odd')|list", "list|select('gt', 1)|list", "[0, 1, '']|select|list", "[0, 1, '']|reject|list", "texts|reject('equalto', 'b')|join(', ')", "people|selectattr('age')|map(attribute='name')|list", "people|selectattr('name', 'equalto', 'bob')|list", "people|rejectattr('age', 'defined')|map(attribute='name')|join", "people|selectattr('age', '>', 26)|list|length", "nothing|selectattr('a')|list", "people|selectattr('name', 'in', ['Cy'])|first", "list|select('odd')|length", "'yes' if []|select else 'no'", "(list|select('odd')|list)[0]", "list|select('nonsense')|list", "list|nonsense",
    "dict|tojson", "dict|tojson(indent=2)", "list|tojson", "[]|tojson(indent=2)", "{}|tojson(indent=2)", "quotes|tojson", "unicode|tojson", "unicode|tojson(ensure_ascii=true)", "x|tojson", "1e20|tojson", "none|tojson", "(1, 2)|tojson", "{'b': 1, 'a': 2}|tojson(sort_keys=true)", "{'a': [1, 2]}|tojson(separators=(',', ':'))", "{1: 2, true: 3, none: 4, 1.5: 5}|tojson", "absent|tojson", "list|select|tojson", "people|tojson(indent=4)", "'\\x7f\\x1f'|tojson", "dict|items|list", "absent|items|list", "n|items|list", "dict|tojson|length", "name|tojson|safe",
    "[1, none, 'it\\'s', \"q\\\"q'\", '\\n\\\\\\x00\\xa0é']", "dict", "1e22", "123456789.0", "1.0e-7", "0.1 + 0.2", "-0.0", "[1.0, 1e16]", "{'a': (1,)}", "1e308 * 10", "range(3)|list", "range(1, 4)|list", "range(5, 0, -2)|list", "range(0)|list", "range()|list", "dict(a=1, b=2)", "dict({'a': 1}, b=2)", "range(200000)", "raise_exception('no')", "strftime_now('%d %b %Y')", "strftime_now('%Y-%m-%d %H:%M:%S %A %B %j %%')",
]
STATEMENTS = [
    "{% if n > 5 %}a{% elif n > 3 %}b{% else %}c{% endif %}", "{% if not yes %}a{% elif n == 7 %}b{% elif yes %}x{% else %}c{% endif %}", "{% if absent %}a{% endif %}", "{% for i in list %}{{ i }},{% endfor %}", "{% for i in [] %}a{% else %}none{% endfor %}", "{% for i in list %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }};{% endfor %}",
    "{% for k, v in dict.items() %}{{ k }}={{ v }};{% endfor %}", "{% for k in dict %}{{ k }}{% endfor %}", "{% for c in unicode %}[{{ c }}]{% endfor %}", "{% for a, b in [(1, 2), [3, 4]] %}{{ a + b }} {% endfor %}", "{% for (a, (b, c)) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %}", "{% for a, b in [(1, 2, 3)] %}{% endfor %}", "{% for i in n %}{% endfor %}", "{% for i in nothing %}{% endfor %}", "{% for i in absent %}x{% else %}e{% endfor %}",
    "{% for i in list if i > 1 %}{{ loop.index }}:{{ i }}/{{ loop.length }} {% endfor %}", "{% for p in people if p.age is defined and p.age > 26 %}{{ p.name }}{% endfor %}", "{% for i in list if i > 9 %}x{% else %}e{% endfor %}", "{% for i in range(10) %}{% if i == 2 %}{% continue %}{% endif %}{% if i == 5 %}{% break %}{% endif %}{{ i }}{% endfor %}", "{% for i in list %}{{ loop.previtem }}-{{ loop.nextitem }};{% endfor %}", "{% for i in list %}{% if loop.previtem is defined %}{{ i - loop.previtem }} {% endif %}{% endfor %}", "{% for i in range(4) %}{{ loop.cycle('a', 'b') }}{% endfor %}",
    "{% for i in list %}{% for j in [1] %}{{ loop.index }}{% endfor %}{{ loop.index }}{% endfor %}", "{% for i in list %}{% set last = i %}{% endfor %}{{ last }}", "{% set last = 0 %}{% for i in list %}{{ last }}{% set last = i %}{{ last }}{% endfor %}{{ last }}", "{% set ns = namespace(last=0) %}{% for i in list %}{% set ns.last = i %}{% endfor %}{{ ns.last }}", "{% set ns = namespace() %}{{ ns.x }}{% set ns.x = 1 %}{{ ns.x }}{{ ns['x'] }}", "{% set ns = namespace({'a': 1}, b=2) %}{{ ns.a }}{{ ns.b }}{{ ns.c is defined }}", "{% set dict.a = 1 %}", "{% set absent.a = 1 %}", "{% set ns = namespace() %}{% set ns._a = 1 %}",
    "{% set a, b = 1, 2 %}{{ a }}{{ b }}", "{% set a = 1, 2 %}{{ a }}", "{% set a = 'x' if yes else 'y' %}{{ a }}", "{% set a %}x{{ name }}{% endset %}{{ a }}|{{ a|length }}", "{% set a | upper | replace('W', 'V') %}x{{ name }}{% endset %}{{ a }}", "{% set a %}{% set b = 1 %}{% endset %}{{ b }}", "{% if yes %}{% set a = 1 %}{% endif %}{{ a }}", "{% for i in list %}{% if i == 3 %}{% set a = i %}{% endif %}{{ a }}{% endfor %}",
    "{% macro m(a, b=2) %}{{ a }}-{{ b }}{% endmacro %}{{ m(1) }} {{ m(1, 3) }} {{ m(b=4, a=5) }}", "{% macro m(a) %}{{ a is defined }}{% endmacro %}{{ m() }}", "{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}", "{% macro m(a) %}{% endmacro %}{{ m(b=1) }}", "{% macro m(a) %}{% endmacro %}{{ m(1, a=1) }}", "{% macro f(i) %}{{ i }}{% if i > 0 %}{{ f(i - 1) }}{% endif %}{% endmacro %}{{ f(3) }}", "{% macro m() %}{{ name }}{{ later }}{% endmacro %}{% set later = 'L' %}{{ m() }}", "{% macro m(x) %}{% set y = x %}{{ y }}{% endmacro %}{{ m(1) }}{{ y }}", "{% macro m(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ m(3) }}", "{% macro m() %} x {% endmacro %}{{ m()|trim }}{{ m() ~ '!' }}", "{% for i in [1, 2] %}{% macro m() %}{{ i }}{% endmacro %}{{ m() }}{% endfor %}", "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}B{% endmacro %}{{ a() }}",
    "{% filter upper %}a{{ name }}{% endfilter %}", "{% filter replace('a', 'b')|upper %}aa{% endfilter %}", "{% with a = 1, b = n %}{{ a + b }}{% endwith %}{{ a }}", "{% with %}{% set q = 1 %}{{ q }}{% endwith %}{{ q }}",
    "a{% generation %}b{{ name }}{% endgeneration %}c", "{{ unicode }}{% generation %}{{ unicode }}{% endgeneration %}{% generation %}x{% endgeneration %}", "{% for i in list %}{% generation %}{{ i }}{% endgeneration %},{% endfor %}", "{% generation %}{% set q = 1 %}{{ q }}{% endgeneration %}{{ q }}", "{% generation -%}\n  x\n{%- endgeneration %}", "x{% macro m() %}yy{% generation %}z{% endgeneration %}{% endmacro %}{{ m() }}", "{% for i in list %}{% generation %}{{ loop.index }}{{ i }}{% endgeneration %}{% endfor %}",
    "{{ messages }}{{ add_generation_prompt }}{{ tools }}{{ documents is none }}", "{{ bos_token is defined }}", "{% if tools is not none and tools %}t{% endif %}x", "{{ {'a': {'b': 1}}.a.b }}{{ {'x':1}}}", "{{ [1,\n 2] }}", "{{ '}}' }}{{ '%}' }}", "{{ name }}{{ name }}", "{{ 'a'\n~ 'b' }}", "{{ (name) }}{{ (1 if yes else 2) }}", "{% if (yes and\n not nothing) -%} y {%- endif %}", "{% set list2 = [1,2,] %}{{ list2 }}{{ {'a':1,} }}",
]
REFUSED = [
    "{% if yes %}", "{{ name", "{% for x %}{% endfor %}", "{{ }}", "{{ 1 + }}", "{% endif %}", "{% nonsense %}", "{{ a b }}", "{{ 'a }}", "{# x", "{{ (1 }}", "{{ 1) }}", "{% set 1 = 2 %}", "{% if %}{% endif %}", "{% for i in list %}{% endif %}{% endfor %}", "{% macro %}{% endmacro %}", "{{ a.1b }}", "{% break %}", "{{ name | }}", "{{ x is }}", "{{ $ }}", "{% do list.append(1) %}", "{{ {'a'} }}",
]


def snippets():
    yield from BLANKS
    yield from ("{{ " + expression + " }}" for expression in EXPRESSIONS + ACCESS + METHODS + FILTERS)
    yield from STATEMENTS
    yield from REFUSED


def message(role, content):
    return {"role": role, "content": content}


SYSTEM, ASK, SAY = message("system", " Be terse.\n"), message("user", " What is 2 + 2? "), message("assistant", "\n4. ")
ODD, SMILE = message("user", "<b>é中🙂</b>\n'a' \"b\""), message("assistant", "🙂 naïve")
CONVERSATIONS = [[ASK], [SYSTEM, ASK], [ASK, SAY], [SYSTEM, ASK, SAY, ODD], [SYSTEM, ASK, SAY, ODD, SMILE],
                 [ODD, SMILE, ASK, SAY], [message("user", "")], [SAY], [ASK, ASK]]
TOOLS = [{"type": "function", "function": {"name": "weather", "description": "Tells it & more",
                                           "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]
TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}


def renderings():
    for path in sorted((DATA / "chat").glob("*.jinja")):
        for messages in CONVERSATIONS:
            for more in ({}, {"add_generation_prompt": True}, {"tools": TOOLS, "date_string": "1 Jan 2000"}):
                variables = {"messages": messages, "tools": None, "documents": None, "add_generation_prompt": False,
                             **TOKENS, **more}
                answer = chat_reference.render(path.read_text(), variables)
                yield {"template": path.name, "variables": variables, **answer}


def write(path, value, rows):
    """Writes one line for each row, so that changes are easy to review."""
    path.parent.mkdir(exist_ok=True)
    head = "".join(f"{json.dumps(key)}: {json.dumps(item)},\n" for key, item in value.items())
    path.write_text("{" + head + "\"cases\": [\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]}\n")


def main():
    cases = [{"source": source, **chat_reference.render(source, VARIABLES)} for source in snippets()]
    write(DATA / "jinja/snippets.json", {"variables": VARIABLES}, cases)
    write(DATA / "chat/renderings.json", {}, list(renderings()))


main()
