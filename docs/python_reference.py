"""The reference of the Python package from its sources and stubs: signatures and docstrings, without importing it."""

import ast
import inspect
import pathlib
import re
import textwrap

PACKAGE = pathlib.Path(__file__).resolve().parents[1] / "python" / "portatune"
COMPILED = "portatune.lib._core"
WIDTH = 100  # a longer signature has a line for each argument
# A comma outside of brackets.
BETWEEN_ARGUMENTS, COMMA_AND_LINE = r", (?![^\[]*\])(?![^(]*\))", ",\n    "
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
SECTION = re.compile(r"^(Args|Attributes|Raises):$")
# Modules of functions or classes -> what they are.
MODULES = {
    "portatune.nn": "Layers with new parameters, for `Task.forward()`. The first argument is the scope that has them.",
    "portatune.ops": "Operations on values of the graph, for `Task.forward()`.",
}


def reference(stubs):
    """Yields the parts of the page. `stubs` is the folder of the compiled module's stubs, of a build."""
    yield "\n## Functions and classes\n"
    for name, node in sorted(public_nodes(stubs), key=lambda one: (isinstance(one[1], ast.ClassDef), one[0])):
        yield entry(name, node)
    yield "\n## portatune.sklearn\n"
    for node in parsed(PACKAGE / "sklearn.py").body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield entry(node.name, node)
    for module, about in MODULES.items():
        text = (PACKAGE / f"{module.rpartition('.')[2]}.pyi").read_text()
        lines = "".join(f"{signature(node)}\n" for node in ast.parse(text).body if isinstance(node, FUNCTION))
        yield f"\n## {module}\n\n{about}\n\n{block(lines)}"
    yield "\n## portatune.options\n\nThe types of keywords, a `TypedDict` for each function:\n\n"
    yield "".join(f"- `{node.name}`: {ast.get_docstring(node)}\n" for node in parsed(PACKAGE / "options.pyi").body
                  if isinstance(node, ast.ClassDef))


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def public_nodes(stubs):
    """Yields each public function and class of the package: its name, and its definition."""
    types = next(node for node in parsed(PACKAGE / "__init__.py").body if isinstance(node, ast.If))
    for imported in types.body:
        if not isinstance(imported, ast.ImportFrom) or imported.module == "portatune":
            continue  # the version, and the modules of the package
        path = (stubs / "__init__.pyi" if imported.module == COMPILED
                else PACKAGE / f"{imported.module.rpartition('.')[2]}.py")
        if not path.exists():
            continue  # the build has no Python module
        definitions = {node.name: node for node in parsed(path).body if isinstance(node, (ast.ClassDef, *FUNCTION))}
        for alias in imported.names:
            yield alias.name, definitions[alias.name]


def entry(name, node):
    """The text about a function, or about a class and its methods."""
    if not isinstance(node, ast.ClassDef):
        return f"\n### {name}\n\n{block(signature(node))}\n{markdown(ast.get_docstring(node))}"
    bases = [ast.unparse(base) for base in node.bases]
    heading = f"class {name}({', '.join(bases)})" if bases else f"class {name}"
    parts = [f"\n### {name}\n\n{block(heading)}\n{markdown(ast.get_docstring(node))}"]
    for method in node.body:
        if isinstance(method, FUNCTION) and is_shown(method):
            parts.append(f"\n{block(signature(method))}\n{markdown(ast.get_docstring(method))}")
    return "".join(parts)


def is_shown(method):
    """Whether a method is for users; setters and overloads would repeat an entry."""
    decorators = [ast.unparse(decorator) for decorator in method.decorator_list]
    is_repeated = any(text.endswith((".setter", "overload")) for text in decorators)
    return not is_repeated and (not method.name.startswith("_") or method.name == "__init__")


def signature(node):
    """The first line of a definition, or a line for each argument; of a property its name and type."""
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    if any(ast.unparse(decorator) == "property" for decorator in node.decorator_list):
        return f"{node.name}: {ast.unparse(node.returns)}" if node.returns else node.name
    arguments = re.sub(r"(?<=\S)=(?=\S)", " = ", ast.unparse(node.args))
    text = f"{node.name}({arguments}){returns}"
    if len(text) > WIDTH:
        text = f"{node.name}(\n    {re.sub(BETWEEN_ARGUMENTS, COMMA_AND_LINE, arguments)}\n){returns}"
    return re.sub(r"\b(portatune\.lib\._core|collections\.abc|typing|core)\.|'(?=\w)|(?<=\w)'", "", text)


def block(code):
    return f"```python\n{code.rstrip()}\n```\n"


def markdown(docstring):
    """A docstring as Markdown: indented paragraphs are code, sections are lists."""
    parts = []
    for paragraph in inspect.cleandoc(docstring or "").split("\n\n"):
        lines = paragraph.splitlines()
        if not lines:
            continue
        if lines[0] == "Returns:":
            parts.append("Returns " + " ".join(line.strip() for line in lines[1:]))
        elif SECTION.match(lines[0]):
            parts.append(f"{lines[0]}\n\n{items(lines[1:])}")
        elif lines[0].startswith("    "):
            parts.append(block(textwrap.dedent(paragraph)).rstrip())
        else:
            parts.append(paragraph)
    return "\n\n".join(parts) + "\n" if parts else ""


def items(lines):
    """The lines of a section as a list: "name: text", with lines that go on indented further."""
    joined = re.sub(r"\n {5,}", " ", "\n".join(lines))
    return "\n".join("- " + re.sub(r"^([\w.]+):", r"`\1`:", line.strip()) for line in joined.splitlines())
