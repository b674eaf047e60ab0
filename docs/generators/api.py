"""The API reference of the site: the names in docs/stable.md and in `__all__` of their modules."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any, NamedTuple

PAGE = Path(__file__).parents[1] / "stable.md"
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
NAME = re.compile(r"^\| `(spacemission_\w+(?:\.\w+)+)`", re.MULTILINE)


class Public(NamedTuple):
    """A public name: the dotted name that a program imports, and where it is defined."""

    name: str
    written: str


def sections() -> dict[str, list[str]]:
    """The headings of docs/stable.md, and the names below each heading, in the order of the page."""
    parts = SECTION.split(PAGE.read_text("utf-8"))[1:]
    return {title: NAME.findall(text) for title, text in zip(parts[::2], parts[1::2], strict=True)}


def find(name: str) -> tuple[str, Any, Any]:
    """The module of a dotted name, its value, and the class it is a member of (None: of the module)."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        module = ".".join(parts[:end])
        try:
            value = importlib.import_module(module)
        except ModuleNotFoundError:
            continue
        owner = None
        for i, part in enumerate(parts[end:]):
            owner = value if i else None
            value = getattr(value, part)
        return module, value, owner
    raise ModuleNotFoundError(name)


def written(name: str, module: str, value: Any) -> str:
    """Where a class, a function or a module is defined; for other values `name` itself."""
    if inspect.ismodule(value):
        return value.__name__
    if (inspect.isclass(value) or inspect.isfunction(value)) and value.__module__.startswith("spacemission_"):
        return f"{value.__module__}.{value.__qualname__}"
    source = inspect.getmodule(inspect.unwrap(getattr(value, "py_func", value)))
    if source is not None and hasattr(value, "py_func"):
        return f"{source.__name__}.{value.__name__}"
    return name


def more_of(modules: set[str]) -> list[str]:
    """The names in `__all__` of these modules."""
    return [
        f"{m}.{name}" for m in sorted(modules) for name in getattr(importlib.import_module(m), "__all__", ())
    ]


def public() -> dict[str, list[Public]]:
    """The names in the reference by section, each once; members are on the page of their class."""
    found: dict[str, list[Public]] = {}
    had: set[str] = set()
    modules: set[str] = set()
    listed = {title: list(names) for title, names in sections().items()}
    for names in listed.values():
        modules |= {find(name)[0] for name in names}
    known = {name for names in listed.values() for name in names}
    listed["Other names of these modules"] = [name for name in more_of(modules) if name not in known]
    for title, names in listed.items():
        for name in names:
            module, value, owner = find(name)
            where = written(name, module, value)
            if owner is None and where not in had and not name.endswith("__version__"):
                had.add(where)
                found.setdefault(title, []).append(Public(name, where))
    return found


def pages() -> dict[str, str]:
    """File names and texts of the reference's pages; `:::` is replaced by a docstring."""
    made, contents = (
        {},
        ["# All Python names\n\nEach from its docstring. The [short list](../stable.md#playing).\n"],
    )
    for title, names in public().items():
        file = re.sub(r"\W+", "_", title.lower()) + ".md"
        parts = [f"# {title}\n"]
        for one in names:
            parts.append(f"::: {one.written}\n    options:\n      heading: {one.name}\n")
            contents.append(f"- [`{one.name}`]({file}#{one.written})")
        made[f"api/{file}"] = "\n".join(parts)
    made["api/index.md"] = "\n".join(contents) + "\n"
    return made
