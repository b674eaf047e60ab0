// Shows the links to seats, to share them or to change seats at this screen.

import { html, useState } from "./dom.mjs";
import { get } from "./api.mjs";
import { find } from "./saved.mjs";

export const address = (id, token) => `#/g/${id}/${token}`;
const whole = (id, token) => `${location.origin}${location.pathname}${address(id, token)}`;

export function Copy({ text, label }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), 1500);
    } catch {
      prompt("Copy this link", text);
    }
  };
  return html`<button class="quiet" onClick=${copy} aria-label=${`Copy ${label}`}>${done ? "Copied" : "Copy link"}</button>`;
}

// The other seats of this browser; the seat to act has a highlighted button.
export function Others({ id, token, seats, toAct }) {
  const tokens = find(id)?.tokens || {};
  const others = Object.entries(tokens).filter(([j, other]) => other !== token && seats[j]);
  if (!others.length) return null;
  return html`<section class="others" aria-label="Other seats in this browser">
    <h2>At this screen</h2>
    ${others.map(([j, other]) => html`<a key=${j} class=${Number(j) === toAct ? "button main" : "button"}
      href=${`${address(id, other)}/hidden`}>${Number(j) === toAct ? `Hand over to ${seats[j].name}` : seats[j].name}</a>`)}
  </section>`;
}

export function Share({ id, token, facts, over }) {
  const saved = find(id);
  const links = Object.entries(saved?.tokens || {});
  return html`<details class="share"><summary>Links and record</summary>
    ${links.map(([j, other]) => html`<p key=${j}><span>${facts.seats[j]?.name}</span> <${Copy} text=${whole(id, other)} label=${`the link of ${facts.seats[j]?.name}`} /></p>`)}
    ${saved?.watcher && html`<p><span>Spectators</span> <${Copy} text=${whole(id, saved.watcher)} label="the link of spectators" /></p>`}
    ${!links.length && html`<p><span>This seat</span> <${Copy} text=${whole(id, token)} label="the link of this seat" /></p>`}
    <p>${over ? html`<${Record} id=${id} token=${token} />` : "A link opens its seat to whoever has it: give each player only their own."}</p>
    <p><a class="button" href=${`#/r/${id}/${token}`}>Look back</a></p>
  </details>`;
}

// Saves the record of a game as a file.
export function Record({ id, token }) {
  const [said, setSaid] = useState("");
  const save = async () => {
    try {
      const text = await get(`/api/games/${id}/record`, token);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
      link.download = `game-${id}.jsonl`;
      link.click();
      URL.revokeObjectURL(link.href);
    } catch (error) {
      setSaid(error.message);
    }
  };
  return html`<button onClick=${save}>Save the record</button> ${said}`;
}

// The links of a new game with several people.
export function Links({ id }) {
  const game = find(id);
  if (!game) return html`<main class="waiting"><p role="status">This browser does not know that game.</p></main>`;
  const row = (label, token, number, go = "Sit here") => html`<li key=${label} class=${`row seat-${number}`}><span class="dot" aria-hidden="true"></span>
    <b>${label}</b> <${Copy} text=${whole(id, token)} label=${`the link of ${label}`} /> <a class="button" href=${address(id, token)}>${go}</a></li>`;
  return html`<main class="links"><h1>${game.title}</h1>
    <p>Each player has a link of their own: send it, or take turns at this screen. A link shows the hand of its seat.</p>
    <ul>${Object.entries(game.tokens).map(([j, token]) => row(game.seats[j], token, j))}
      ${game.watcher && row("spectators", game.watcher, "none", "Watch")}</ul>
  </main>`;
}
