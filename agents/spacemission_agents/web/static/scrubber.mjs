// Back and forth through the moves.

import { html } from "./dom.mjs";
import { Sign } from "./signs.mjs";

export function Scrubber({ step, steps, onStep }) {
  const button = (label, sign, to, off) =>
    html`<button class="icon" aria-label=${label} title=${label} disabled=${off} onClick=${() => onStep(to)}><${Sign} name=${sign} /></button>`;
  return html`<div class="scrubber" role="group" aria-label="Moves back and forth">
    ${button("First position", "first", 0, step === 0)}
    ${button("One move back", "back", step - 1, step === 0)}
    <input type="range" min="0" max=${steps} value=${step} aria-label="Move"
      aria-valuetext=${`move ${step} of ${steps}`} onInput=${(event) => onStep(Number(event.target.value))} />
    ${button("One move forth", "forth", step + 1, step >= steps)}
    ${button("Last position", "last", steps, step >= steps)}
    <output>${step} / ${steps}</output>
  </div>`;
}
