"""Hooks for mkdocs, which builds the site (`mkdocs.yml`, `make site`).

The site has the pages docs/*.md, and pages that these hooks add: notebooks, the API reference, and Markdown
files of the root and of tests/. A link to a file that is no page, such as code, becomes plain text.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from docs.generators import api, notebook_pages

ROOT = Path(__file__).parents[2]
# Markdown files outside docs/, and their names in the site.
ELSEWHERE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "tests/README.md": "tests.md",
}
LINK = re.compile(r"(!?)\[([^\[\]]*)\]\(([^)\s]+)\)")  # the link text may span lines


def made() -> dict[str, str]:
    """The pages that are not files of docs/, by name in the site."""
    pages = {
        page: led_on((ROOT / file).read_text("utf-8"), file)
        for file, page in ELSEWHERE.items()
        if page != "index.md"
    }
    for name, text in notebook_pages.pages().items():
        pages[name] = led_on(text, name, name)
    for name, text in api.pages().items():
        pages[name] = led_on(text, f"docs/{name}", name)
    return pages


def led_on(text: str, file: str, page: str | None = None) -> str:
    """A page's text with its links changed for the site.

    Args:
        text: Markdown.
        file: path in the repository; links in the text are relative to it.
        page: path in the site; None: at the top.
    """
    folder, here = posixpath.dirname(file), posixpath.dirname(page or "")

    def lead(found: re.Match[str]) -> str:
        image, words, target = found.groups()
        path, hash_sign, place = target.partition("#")
        if not path or ":" in path:
            return found[0]
        stands = posixpath.normpath(posixpath.join(folder, path))
        notebook = re.fullmatch(r"notebooks/(\w+)\.ipynb", stands)
        if notebook:
            in_site = f"notebooks/{notebook[1]}.md"
        elif stands.startswith("docs/"):
            in_site = stands.removeprefix("docs/")
        elif stands in ELSEWHERE:
            in_site = ELSEWHERE[stands]
        else:
            return words if words.startswith("`") else f"{words} (`{stands}`)"
        return f"{image}[{words}]({posixpath.relpath(in_site, here or '.')}{hash_sign}{place})"

    parts = re.split(r"(^```.*?^```$|^~~~~.*?^~~~~$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if i % 2 else LINK.sub(lead, part) for i, part in enumerate(parts))


def with_folders(nav: list[Any], names: list[str]) -> list[Any]:
    """The contents of the site; `folder/` is replaced by the pages of the folder, index first."""
    found: list[Any] = []
    for one in nav:
        if isinstance(one, dict):
            ((title, value),) = one.items()
            if isinstance(value, list):
                one = {title: with_folders(value, names)}
            elif value.endswith("/"):
                pages = [name for name in names if name.startswith(value) and not name.endswith("/index.md")]
                one = {title: [f"{value}index.md", *pages]}
        found.append(one)
    return found


def on_config(config: Any) -> Any:
    """Hook of mkdocs: set the contents."""
    config["nav"] = with_folders(config["nav"], list(made()))
    return config


def on_files(files: Any, config: Any) -> Any:
    """Hook of mkdocs: add the generated pages."""
    from mkdocs.structure.files import File

    for name, text in made().items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Hook of mkdocs: change the links in files of docs/."""
    if page.file.generated_by:
        return markdown
    return led_on(markdown, f"docs/{page.file.src_uri}", page.file.src_uri)
