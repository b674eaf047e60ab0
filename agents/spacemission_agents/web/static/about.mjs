// What is pointed at, in words, and why it is not legal now.

import { html } from "./dom.mjs";

const MOST = 4; // reasons that are told

// What the picture says of one of its parts.
export function title(name) {
  const one = name && document.querySelector(`.board [data-target="${CSS.escape(name)}"] > title`);
  return one ? one.textContent : "";
}

export function About({ what, why = [] }) {
  return html`<p class=${what || why.length ? "why shown" : "why"} role="status">
    ${what && html`<b>${what}</b>`}${why.slice(0, MOST).map((one) => html`<span key=${one}>${one}</span>`)}</p>`;
}
