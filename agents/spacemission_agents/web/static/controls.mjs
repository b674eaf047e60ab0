// Defines what pages share: keys, icons, the choice of agents, the slider through the moves, the rules.

import { html, useEffect } from "./dom.mjs";

// Calls `act` for keys pressed outside of form fields; if it returns false, the browser handles the key.
export function useKeys(act) {
  useEffect(() => {
    const pressed = (event) => {
      if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
      if (act(event.key) !== false) event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });
}

const STROKES = {
  first: "M11 5l-5 5 5 5M16 5l-5 5 5 5",
  back: "M13 5l-5 5 5 5",
  forth: "M7 5l5 5-5 5",
  last: "M4 5l5 5-5 5M9 5l5 5-5 5",
  away: "M5.5 5.5l9 9M14.5 5.5l-9 9",
  light: "M10 6.5a3.5 3.5 0 1 0 0 7a3.5 3.5 0 1 0 0-7M10 1.5v2M10 16.5v2M1.5 10h2M16.5 10h2M4 4l1.4 1.4M14.6 14.6L16 16M4 16l1.4-1.4M14.6 5.4L16 4",
  dark: "M15.5 12.2A6.5 6.5 0 1 1 8 4.3a5.2 5.2 0 0 0 7.5 7.9z",
  auto: "M10 3a7 7 0 1 0 0 14a7 7 0 1 0 0-14M10 3v14M12.5 4.3v11.4M15 5.6v8.8",
};

export function Sign({ name }) {
  return html`<svg class="sign" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path d=${STROKES[name]} /></svg>`;
}

// A choice of an agent by its name, or "" for `none`.
export function AgentSelect({ agents, value, none = "a person", onChange, label }) {
  return html`<select aria-label=${label} value=${value} onChange=${(event) => onChange(event.target.value)}>
    <option value="">${none}</option>${agents.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}</select>`;
}

export function Scrubber({ step, steps, onStep }) {
  const button = (label, sign, to, off) =>
    html`<button class="icon" aria-label=${label} title=${label} disabled=${off} onClick=${() => onStep(to)}><${Sign} name=${sign} /></button>`;
  return html`<div class="scrubber" role="group" aria-label="Moves back and forth">
    ${button("First position", "first", 0, step === 0)}
    ${button("One move back", "back", step - 1, step === 0)}
    <input type="range" min="0" max=${steps} value=${step} aria-label="Move"
      aria-valuetext=${`move ${step} of ${steps}`} onInput=${(event) => onStep(Number(event.target.value))} />
    ${button("One move forward", "forth", step + 1, step >= steps)}
    ${button("Last position", "last", steps, step >= steps)}
    <output>${step} / ${steps}</output>
  </div>`;
}

// How a game is played, from the text that the game declares.
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
