// A new game that goes on from a move of another one.

import { html, useState } from "./dom.mjs";
import { post } from "./api.mjs";
import { enter, usual } from "./home.mjs";
import { hostKey } from "./saved.mjs";

export function PlayOn({ id, token, facts, at }) {
  const agent = (name) => (facts.agents.includes(name) ? name : usual(facts.agents));
  const [seats, setSeats] = useState(facts.seats.map((seat, j) => (j === Math.max(facts.seat, 0) ? "" : agent(seat.name))));
  const [error, setError] = useState("");
  const start = async () => {
    try {
      const asked = seats.map((agent, j) => (agent ? { agent } : { name: facts.seats[j].name.slice(0, 30) }));
      enter(await post(`/api/games/${id}/continue`, { at, seats: asked }, token, hostKey()), facts);
    } catch (wrong) {
      setError(wrong.message);
    }
  };
  const set = (j, agent) => setSeats(seats.map((other, k) => (k === j ? agent : other)));
  return html`<details class="on"><summary>Play on from here</summary>
    ${facts.seats.map((seat, j) => html`<p key=${j} class=${`row seat-${j}`}><span class="dot" aria-hidden="true"></span>
      <label>${seat.name} <select value=${seats[j]} onChange=${(event) => set(j, event.target.value)}>
        <option value="">a person</option>${facts.agents.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}</select></label></p>`)}
    ${error && html`<p class="error" role="alert">${error}</p>`}
    <button class="main" onClick=${start}>Play on after move ${at}</button>
  </details>`;
}
