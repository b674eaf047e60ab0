// Shows what an agent thinks of a game: chances over time, and its choice at each move.

import { html, useCallback, useEffect, useMemo, useRef, useState } from "./dom.mjs";
import { get } from "./api.mjs";
import { AgentSelect } from "./controls.mjs";
import { named } from "./words.mjs";

const PART = 8; // positions of one request
const POINTS = 72; // most points of the curve
const LEAST = 0.005; // smallest probability of a listed move

const percent = (share) => `${Math.round(100 * share)} %`;

// Requests opinions in parts, to show the first ones early.
export function useOpinions(id, token, count, seat) {
  const [agent, setAgent] = useState("");
  const [opinions, setOpinions] = useState([]);
  const [values, setValues] = useState(null);
  const [done, setDone] = useState(null); // finished share, or null
  const [error, setError] = useState("");
  const run = useRef(0);

  const ask = useCallback(async (name) => {
    const mine = ++run.current;
    const live = () => mine === run.current;
    setAgent(name);
    setOpinions([]);
    setValues(null);
    setError("");
    setDone(name ? 0 : null);
    if (!name) return;
    const every = Math.max(1, Math.ceil(count / POINTS));
    const asked = `agent=${encodeURIComponent(name)}`;
    const found = [];
    const curve = { at: [], shares: [], agent: "" };
    try {
      for (let first = 0; live() && first < count; first += PART) {
        const part = await get(`/api/games/${id}/review/opinions?${asked}&first=${first}&last=${first + PART}`, token);
        if (!live()) return;
        found.push(...part);
        setOpinions([...found]);
        setDone((0.5 * found.length) / count);
      }
      for (let first = 0; live() && first <= count; first += PART * every) {
        const query = `${asked}&seat=${Math.max(seat, 0)}&first=${first}&last=${first + PART * every}&every=${every}`;
        const part = await get(`/api/games/${id}/review/values?${query}`, token);
        if (!live()) return;
        curve.at.push(...part.at);
        curve.shares.push(...part.shares);
        curve.agent = part.agent || curve.agent;
        setValues({ ...curve });
        setDone(0.5 + (0.5 * Math.min(first, count)) / count);
      }
      setValues({ ...curve, whole: true });
      setDone(null);
    } catch (wrong) {
      if (live()) { setError(wrong.message); setDone(null); }
    }
  }, [id, token, count, seat]);

  // The server names the default agent.
  const latest = useRef(ask);
  latest.current = ask;
  const begin = useCallback(async () => {
    const { agent: first } = await get(`/api/games/${id}/review/adviser`, token);
    if (run.current === 0) latest.current(first);
  }, [id, token]);

  useEffect(() => { if (agent) ask(agent); }, [seat]);
  useEffect(() => () => { run.current += 1; }, []);
  const odd = useMemo(() => new Map(opinions.filter((one) => !one.same).map((one) => [one.at, one.choice])), [opinions]);
  return { agent, ask, begin, opinions, values, done, error, odd };
}

export function Opinion({ analysis, facts, at, onStep }) {
  const { agent, ask, opinions, done, error } = analysis;
  const one = opinions.find((other) => other.at === at);
  const worst = opinions.filter((other) => !other.same).sort((a, b) => gap(b) - gap(a));
  const say = (words) => named(words, facts.seats);
  return html`<section class="opinion" aria-label="What an agent thinks">
    <h2>What an agent thinks</h2>
    <p><label>Ask <${AgentSelect} agents=${facts.agents} value=${agent} none="nobody" onChange=${ask} /></label> ${done !== null && html`<progress max="1" value=${done} aria-label="Thinking"></progress> ${opinions.length ? "" : "thinking…"}`}</p>
    ${error && html`<p class="error" role="alert">${error}</p>`}
    ${agent && one && html`<${Here} one=${one} say=${say} />`}
    ${agent && worst.length > 0 && html`<details class="worst" open><summary>It would have played otherwise <span class="count">${worst.length} of ${opinions.length}</span></summary>
      <ol>${worst.slice(0, 12).map((other) => html`<li key=${other.at} class=${`seat-${other.player}`}>
        <button class="line" onClick=${() => onStep(other.at)}>Move ${other.at + 1}: ${say(other.choice)}${other.policy ? html` <small>${percent(other.policy.choice)}, played ${percent(other.policy.played)}</small>` : ""}</button></li>`)}</ol>
    </details>`}
  </section>`;
}

const gap = (one) => (one.policy ? one.policy.choice - one.policy.played : 0);

function Here({ one, say }) {
  return html`<div class="here">
    <p><b>Played:</b> ${say(one.played)}</p>
    <p><b>Agent:</b> ${one.same ? "the same" : say(one.choice)}</p>
    ${one.policy && html`<ul class="policy" aria-label="Probabilities of moves">${one.policy.moves.filter((move) => move.probability >= LEAST).map((move) => html`<li key=${move.words} class=${move.words === one.played ? "played" : ""}>
      <meter min="0" max="1" value=${move.probability} aria-hidden="true"></meter><span>${percent(move.probability)}</span> ${say(move.words)}</li>`)}</ul>`}
  </div>`;
}

const WIDTH = 600;
const HEIGHT = 120;

export function Chart({ values, seats, seat, at, steps, onStep }) {
  const x = (move) => (WIDTH * move) / Math.max(steps, 1);
  const y = (share) => HEIGHT * (1 - share);
  const path = (j) => values.at.map((move, i) => `${i ? "L" : "M"}${x(move).toFixed(1)} ${y(values.shares[i][j]).toFixed(1)}`).join("");
  const jump = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    onStep(Math.round((steps * (event.clientX - box.left)) / box.width));
  };
  const near = values.at.reduce((best, move, i) => (Math.abs(move - at) < Math.abs(values.at[best] - at) ? i : best), 0);
  const shares = values.shares[near] ?? [];
  const nobody = 1 - shares.reduce((sum, share) => sum + share, 0);
  const each = [...seats.map((one, j) => `${one.name} ${percent(shares[j] ?? 0)}`), ...(nobody > LEAST ? [`nobody ${percent(nobody)}`] : [])];
  const there = at <= values.at.at(-1) || values.whole;
  const now = there ? `${values.at[near] === at ? "" : `after move ${values.at[near]}: `}${each.join(", ")}` : "not worked out so far";
  return html`<figure class="chart"><figcaption>Chances to win ${seat >= 0 ? `as ${seats[seat].name} could know them` : ""}, if ${values.agent} played on for all: ${now}</figcaption>
    <svg viewBox=${`0 -4 ${WIDTH} ${HEIGHT + 8}`} preserveAspectRatio="none" role="img" aria-label=${`Chances to win over time; now ${now}`} onClick=${jump}>
      ${[0, 0.5, 1].map((share) => html`<line key=${share} x1="0" x2=${WIDTH} y1=${y(share)} y2=${y(share)} class="grid" />`)}
      ${seats.map((_, j) => html`<path key=${j} d=${path(j)} class=${`curve seat-${j} ${j === seat ? "own" : ""}`} />`)}
      <line x1=${x(at)} x2=${x(at)} y1="-4" y2=${HEIGHT + 4} class="cursor" />
    </svg>
    <ul class="legend">${seats.map((one, j) => html`<li key=${j} class=${`seat-${j}`}><span class="dot" aria-hidden="true"></span> ${one.name}</li>`)}</ul>
  </figure>`;
}

