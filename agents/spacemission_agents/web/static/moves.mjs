// The legal moves in words, beside the picture; those that go with what was pointed at.

import { html, useState } from "./dom.mjs";
import { candidates, exact } from "./choice.mjs";
import { beginning, own, verb } from "./words.mjs";

const FEW = 12; // moves that are listed without groups

function Move({ move, seats, seat, onPlay, main, busy }) {
  return html`<button class=${main ? "move main" : "move"} disabled=${busy} data-action=${move.action}
    onClick=${() => onPlay(move)}>${own(move.words, seats, seat)}</button>`;
}

function Group({ moves, ...rest }) {
  const [open, setOpen] = useState(false);
  const name = beginning(moves.map((move) => own(move.words, rest.seats, rest.seat)));
  return html`<details open=${open} onToggle=${(event) => setOpen(event.target.open)}>
    <summary>${name} <span class="count">${moves.length}</span></summary>
    ${open && moves.map((move) => html`<${Move} key=${move.action} move=${move} ...${rest} />`)}
  </details>`;
}

function grouped(moves, seats, seat) {
  const groups = new Map();
  for (const move of moves) {
    const name = verb(own(move.words, seats, seat));
    groups.set(name, [...(groups.get(name) || []), move]);
  }
  return groups;
}

export function Moves({ legal, chosen, about, seats, seat, onPlay, onClear, busy }) {
  const left = candidates(legal, chosen);
  const main = exact(legal, chosen) || (chosen.length && left.length === 1 ? left[0] : null);
  const others = left.filter((move) => move !== main);
  const rest = { seats, seat, onPlay, busy };
  const list = others.length <= FEW
    ? others.map((move) => html`<${Move} key=${move.action} move=${move} ...${rest} />`)
    : [...grouped(others, seats, seat)].map(([name, moves]) => moves.length === 1
      ? html`<${Move} key=${name} move=${moves[0]} ...${rest} />`
      : html`<${Group} key=${name} moves=${moves} ...${rest} />`);
  return html`<section class=${chosen.length ? "moves choosing" : "moves"} aria-label="Your moves">
    <h2>Your move</h2>
    <p class="hint">${chosen.length
      ? html`<button class="quiet" onClick=${onClear}>Choose anew <kbd>Esc</kbd></button>`
      : "Point at what is lit, or take a move from the list."}</p>
    ${about && html`<p class="about">${about}</p>`}
    ${main && html`<${Move} move=${main} main=${true} ...${rest} />`}
    <div class="list">${list}</div>
  </section>`;
}
