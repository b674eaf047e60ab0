"""Whether every link in a built site leads somewhere: `python -m docs.generators.check_site [FOLDER]`.

mkdocs looks at links written in Markdown; this looks at all of the pages as they came out: pages, places in
pages, pictures, scripts, styles. Nothing may be loaded from another machine.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

LOADED = {("img", "src"), ("script", "src"), ("source", "srcset"), ("img", "srcset"), ("iframe", "src")}

RELATIONS = ("stylesheet", "icon", "preload")  # of a <link> that is loaded


class Page(HTMLParser):
    """The places of a page, where it leads, and what it loads."""

    def __init__(self, text: str) -> None:
        """Read it."""
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag says."""
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        for name, value in given.items():
            if (tag, name) in LOADED or ((tag, name) == ("link", "href") and given.get("rel") in RELATIONS):
                self.loads.append(value)
            elif tag == "a" and name == "href":
                self.links.append(value)


def problems(site: Path) -> list[str]:
    """A line for each link that leads nowhere, and for each thing that is loaded from elsewhere."""
    pages = {file: Page(file.read_text("utf-8")) for file in sorted(site.rglob("*.html"))}
    found = []
    for file, page in pages.items():
        where = file.relative_to(site)
        if where.name == "404.html":
            continue  # it is shown at any address: its links are from the top of the site
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
    """Print what is wrong; 0 where nothing is."""
    site = Path(arguments[0] if arguments else "site").resolve()
    found = problems(site)
    print("\n".join(found) or f"{len(list(site.rglob('*.html')))} pages: every link leads somewhere")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
