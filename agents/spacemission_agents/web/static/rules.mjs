// Shows how a game is played, from the text that the game declares.

import { html } from "./dom.mjs";
import { Sign } from "./controls.mjs";

const NONE = "This game has no description of its rules: whoever made it has not written any.";

// The blocks of a text: paragraphs, "## " headings, "- " items.
function blocks(text) {
  return text.trim().split(/\n\s*\n/).map((block) => {
    if (block.startsWith("## ")) return html`<h3>${block.slice(3)}</h3>`;
    if (!block.startsWith("- ")) return html`<p>${strong(block)}</p>`;
    return html`<ul>${block.slice(2).split(/\n- /).map((item) => html`<li>${strong(item)}</li>`)}</ul>`;
  });
}

const strong = (text) => text.split(/\*\*?/).map((part, i) => (i % 2 ? html`<b>${part}</b>` : part));

// The first paragraph: what the game is about.
export const goal = (text) => html`<p class="goal">${strong(text.trim().split(/\n\s*\n/)[0] || NONE)}</p>`;

// All but the goal.
export const Rest = ({ text }) => blocks(text).slice(1);

export function Rules({ title, text, onClose }) {
  return html`<section class="rules" aria-label="How to play" tabindex="0">
    <h2>How to play ${title} <button class="icon" aria-label="Close" title="Close" onClick=${onClose}><${Sign} name="away" /></button></h2>
    ${text.trim() ? blocks(text) : html`<p>${NONE}</p>`}
  </section>`;
}
