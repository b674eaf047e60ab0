// Finds the move for the chosen parts of the picture, and lists legal moves in words.

import { html, useState } from "./dom.mjs";
import { beginning, own, verb } from "./words.mjs";

const FEW = 12; // so many moves are listed without groups

// The legal moves whose targets include all chosen parts.
export function candidates(legal, chosen) {
  return legal.filter((move) => chosen.every((name) => move.targets.includes(name)));
}

// Ids of parts that can be chosen next.
export function open(legal, chosen) {
  const names = new Set();
  for (const move of candidates(legal, chosen)) for (const name of move.targets) names.add(name);
  return names;
}

// The move whose targets are exactly the chosen parts, or null.
export function exact(legal, chosen) {
  if (!chosen.length) return null;
  const found = candidates(legal, chosen).filter((move) => move.targets.length === chosen.length);
  return found.length === 1 ? found[0] : null;
}

// The chosen parts after a click on `name`: it is added or removed; parts that no move has with it are removed.
export function point(legal, chosen, name) {
  if (chosen.includes(name)) return chosen.filter((other) => other !== name);
  const kept = [name];
  for (const other of chosen) if (candidates(legal, [...kept, other]).length) kept.push(other);
  return candidates(legal, kept).length ? kept : chosen;
}

// The move to play at once, if no other move is possible with the chosen parts.
export function settled(legal, chosen) {
  const left = candidates(legal, chosen);
  const move = exact(legal, chosen);
  return move && left.length === 1 ? move : null;
}

function Move({ move, seats, seat, onPlay, onHint, main, busy }) {
  return html`<button class=${main ? "move main" : "move"} disabled=${busy} data-action=${move.action} title=${move.move}
    onPointerEnter=${() => onHint(move.targets)} onPointerLeave=${() => onHint([])}
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

export function Moves({ legal, chosen, about, seats, seat, onPlay, onHint, onClear, busy }) {
  const left = candidates(legal, chosen);
  const main = exact(legal, chosen) || (chosen.length && left.length === 1 ? left[0] : null);
  const others = left.filter((move) => move !== main);
  const rest = { seats, seat, onPlay, onHint, busy };
  const list = others.length <= FEW
    ? others.map((move) => html`<${Move} key=${move.action} move=${move} ...${rest} />`)
    : [...grouped(others, seats, seat)].map(([name, moves]) => moves.length === 1
      ? html`<${Move} key=${name} move=${moves[0]} ...${rest} />`
      : html`<${Group} key=${name} moves=${moves} ...${rest} />`);
  return html`<section class=${chosen.length ? "moves choosing" : "moves"} aria-label="Your moves">
    <h2>Your move</h2>
    <p class="hint">${chosen.length
      ? html`<button class="quiet" onClick=${onClear}>Start over <kbd>Esc</kbd></button>`
      : "Click a highlighted piece, or choose a move from the list."}</p>
    ${about && html`<p class="about">${about}</p>`}
    ${main && html`<${Move} move=${main} main=${true} ...${rest} />`}
    <div class="list">${list}</div>
  </section>`;
}
