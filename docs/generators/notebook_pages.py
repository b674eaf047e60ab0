"""Turns notebooks into pages: text, code, and the stored outputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
FENCE = "~~~~"  # longer than any fence in an output


def notebooks() -> list[Path]:
    """The files of all notebooks, in order."""
    return sorted(NOTEBOOKS.glob("*.ipynb"))


def joined(text: str | list[str]) -> str:
    """A text of a notebook, which may be a list of lines."""
    return text if isinstance(text, str) else "".join(text)


def title_of(file: Path) -> str:
    """The first heading of a notebook."""
    first = json.loads(file.read_text("utf-8"))["cells"][0]
    return joined(first["source"]).splitlines()[0].removeprefix("# ")


def page(file: Path) -> str:
    """A notebook in Markdown, with its links unchanged."""
    parts = []
    for cell in json.loads(file.read_text("utf-8"))["cells"]:
        source = joined(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        parts += outputs(cell)
    parts.append(f"*The notebook is `notebooks/{file.name}`.*")
    return "\n\n".join(parts) + "\n"


def outputs(cell: dict[str, Any]) -> list[str]:
    """The outputs of a cell; consecutive texts are joined."""
    found: list[str] = []
    printed = ""
    for one in cell["outputs"]:
        data = one.get("data", {})
        if one["output_type"] == "stream":
            printed += joined(one["text"])
        elif "image/png" in data:
            found.append(
                f"![What the code above draws](data:image/png;base64,{joined(data['image/png']).strip()})"
            )
        elif "image/svg+xml" in data:
            drawing = joined(data["image/svg+xml"])
            found.append(f'<div markdown="0">\n{drawing[drawing.index("<svg") :]}\n</div>')
        elif "text/plain" in data:
            printed += joined(data["text/plain"]) + "\n"
    return [f"{FENCE}text\n{printed.rstrip()}\n{FENCE}"] * bool(printed) + found


def pages() -> dict[str, str]:
    """File names and texts of the notebooks' pages and of their index."""
    files = notebooks()
    made = {f"notebooks/{file.stem}.md": page(file) for file in files}
    lines = [f"{i}. [{title_of(file)}]({file.name})" for i, file in enumerate(files, 1)]
    made["notebooks/index.md"] = (
        "# Notebooks\n\nEach runs within two minutes on two cores; here is what they printed and drew.\n\n"
        + "\n".join(lines)
        + "\n\n`make notebooks` runs them all.\n"
    )
    return made
