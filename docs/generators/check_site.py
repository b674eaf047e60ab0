"""Checks every link in a built site: `python -m docs.generators.check_site [FOLDER]`.

mkdocs checks links in Markdown. This script checks the built pages: links to pages and anchors, pictures,
scripts and styles. A page may load nothing from another machine.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

LOADED = {("img", "src"), ("script", "src"), ("source", "srcset"), ("img", "srcset"), ("iframe", "src")}

RELATIONS = ("stylesheet", "icon", "preload")  # `rel` of a <link> that a browser loads


class Page(HTMLParser):
    """The anchors of a page, its links, and the files that it loads."""

    def __init__(self, text: str) -> None:
        """Parse the text."""
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the anchors, links and files of a tag."""
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        for name, value in given.items():
            if (tag, name) in LOADED or ((tag, name) == ("link", "href") and given.get("rel") in RELATIONS):
                self.loads.append(value)
            elif tag == "a" and name == "href":
                self.links.append(value)


def problems(site: Path) -> list[str]:
    """A line for each broken link, and for each file that is loaded from another machine."""
    pages = {file: Page(file.read_text("utf-8")) for file in sorted(site.rglob("*.html"))}
    found = []
    for file, page in pages.items():
        where = file.relative_to(site)
        if where.name == "404.html":
            continue  # the server shows it at any address; its links start at the top of the site
        loads = [one for one in page.loads if not one.startswith("data:")]
        found += [f"{where} loads {one}" for one in loads if "//" in one]
        for link in page.links + [one for one in loads if "//" not in one]:
            target, place = urldefrag(link)
            if ":" in target or "//" in target:
                continue
            there = (file.parent / unquote(target)).resolve() if target else file
            if not there.is_file():
                found.append(f"{where} leads to {link}, which is not there")
            elif place and there in pages and unquote(place) not in pages[there].places:
                found.append(f"{where} leads to {link}: no such place on that page")
    return found


def main(arguments: list[str]) -> int:
    """Print the problems; exit status 1 if there are any."""
    site = Path(arguments[0] if arguments else "site").resolve()
    found = problems(site)
    print("\n".join(found) or f"{len(list(site.rglob('*.html')))} pages: every link leads somewhere")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
