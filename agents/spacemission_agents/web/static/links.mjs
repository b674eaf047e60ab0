// The links of a new game with several people.

import { html } from "./dom.mjs";
import { find } from "./saved.mjs";
import { address, Copy } from "./seats.mjs";

export function Links({ id }) {
  const game = find(id);
  if (!game) return html`<main class="waiting"><p role="status">This browser does not know that game.</p></main>`;
  const whole = (token) => `${location.origin}${location.pathname}${address(id, token)}`;
  const row = (label, token, number, go = "Sit here") => html`<li key=${label} class=${`row seat-${number}`}><span class="dot" aria-hidden="true"></span>
    <b>${label}</b> <${Copy} text=${whole(token)} label=${`the link of ${label}`} /> <a class="button" href=${address(id, token)}>${go}</a></li>`;
  return html`<main class="links"><h1>${game.title}</h1>
    <p>Each player has a link of their own: send it, or take turns at this screen. Whoever has a link sees that hand.</p>
    <ul>${Object.entries(game.tokens).map(([j, token]) => row(game.seats[j], token, j))}
      ${game.watcher && row("who only looks on", game.watcher, "none", "Look on")}</ul>
  </main>`;
}
