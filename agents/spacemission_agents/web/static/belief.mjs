// Draws what a seat could expect where, as a heat map of kinds by places.

import { html, useState } from "./dom.mjs";
import { useAnswer } from "./api.mjs";
import { capital, named } from "./words.mjs";

const LEVELS = 10; // shades, from 0 to certain

export function Belief({ id, token, seat, at, seats, onLook }) {
  const [open, setOpen] = useState(false);
  const [belief, error] = useAnswer(open ? `/api/games/${id}/review/belief?seat=${seat}&move=${at}` : null, token, 120);
  return html`<details class="belief" onToggle=${(event) => setOpen(event.target.open)}>
    <summary>What ${seats[seat].name} could expect</summary>
    ${error && html`<p class="error" role="alert">${error}</p>`}
    ${belief && belief.sorts.map((sort) => html`<${Map} key=${sort.name} sort=${sort} seats=${seats} onLook=${onLook} />`)}
    ${belief && belief.sorts.length === 0 && html`<p class="hint">This game does not tell.</p>`}
    ${belief && belief.sorts.length > 0 && html`<p class="hint">Expected numbers over ${belief.worlds} worlds that agree with all this seat knew; the shade is the probability of at least one.</p>`}
  </details>`;
}

function Map({ sort, seats, onLook }) {
  return html`<div class="wide" role="region" tabindex="0" aria-label=${`Expected ${sort.name}`}><table class=${sort.kinds.every((kind) => kind.length < 4) ? "heat short" : "heat"}>
    <thead><tr><th scope="col">${capital(sort.name)}</th>${sort.kinds.map((kind) => html`<th key=${kind} scope="col"><span>${kind}</span></th>`)}</tr></thead>
    <tbody>${sort.places.map((place, i) => html`<tr key=${place.title} class=${place.certain ? "certain" : ""}
      onPointerEnter=${() => onLook(place.id)} onPointerLeave=${() => onLook(null)}>
      <th scope="row">${capital(named(place.title, seats))}</th>
      ${sort.kinds.map((kind, k) => {
        const mean = sort.mean[i][k];
        const any = sort.any[i][k];
        return html`<td key=${kind} class=${`shade-${Math.round(LEVELS * any)}`} title=${`${kind}: ${Math.round(100 * any)} %`}>${mean === 0 ? "" : number(mean)}</td>`;
      })}</tr>`)}</tbody>
  </table></div>`;
}

const number = (mean) => (Number.isInteger(mean) ? String(mean) : mean < 0.05 ? "·" : mean.toFixed(1));
