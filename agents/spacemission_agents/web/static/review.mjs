// Reviews a game: positions as a seat knew them, its beliefs, and the moves of an agent.

import { html, useCallback, useEffect, useState } from "./dom.mjs";
import { get, post, useAnswer } from "./api.mjs";
import { Board, title, useTall } from "./board.mjs";
import { Chart, Opinion, useOpinions } from "./opinion.mjs";
import { MoveList, Result } from "./log.mjs";
import { enter, usual } from "./home.mjs";
import { hostKey } from "./saved.mjs";
import { Record } from "./seats.mjs";
import { AgentSelect, Scrubber, useKeys } from "./controls.mjs";
import { capital, line, named } from "./words.mjs";

// Facts, moves and the shown position.
function useReview(id, token) {
  const tall = useTall();
  const [facts, setFacts] = useState(null);
  const [moves, setMoves] = useState([]);
  const [seat, setSeat] = useState(null);
  const [at, setAt] = useState(0);
  const [error, setError] = useState("");
  useEffect(() => {
    const fill = ([found, { moves: all }]) => {
      setFacts(found);
      setMoves(all);
      setSeat(found.seat >= 0 ? found.seat : found.open ? 0 : -1);
      setAt(found.open ? 0 : all.length);
    };
    Promise.all([get(`/api/games/${id}`, token), get(`/api/games/${id}/review`, token)]).then(fill, (wrong) => setError(wrong.message));
  }, [id, token]);
  const path = `/api/games/${id}/review/position?seat=${seat}&move=${at}&tall=${tall}`;
  const [position, wrong] = useAnswer(seat === null ? null : path, token);
  const within = useCallback((to) => Math.max(0, Math.min(moves.length, to)), [moves.length]);
  const go = useCallback((to) => setAt(within(to)), [within]);
  const step = useCallback((by) => setAt((now) => within(now + by)), [within]); // keys can be faster than rendering
  return { facts, moves, seat, setSeat, at, go, step, position, error: error || wrong };
}

export function Review({ id, token, onTitle }) {
  const { facts, moves, seat, setSeat, at, go, step, position, error } = useReview(id, token);
  const analysis = useOpinions(id, token, moves.length, seat);
  const [tip, setTip] = useState({}); // the part under the pointer
  useEffect(() => setTip({}), [seat, at]);
  useEffect(() => { if (facts) onTitle(facts.title); }, [facts?.title]);
  const look = (name, what) => setTip(name ? { name, what } : {});
  const [lit, setLit] = useState(null); // the place under the pointer in the table of beliefs
  useEffect(() => { if (facts?.open && moves.length) analysis.begin().catch(() => {}); }, [facts, moves.length]);
  useKeys((key) => {
    const by = { ArrowLeft: -1, ",": -1, ArrowRight: 1, ".": 1, PageUp: -10, PageDown: 10 }[key];
    if (by) step(by);
    else if (key === "Home") go(0);
    else if (key === "End") go(moves.length);
    else return false;
  });
  if (!facts || !position) return html`<main class="waiting"><p role="status">${error || "Reading the game…"}</p></main>`;
  const seats = facts.seats;
  const ended = facts.open && at === moves.length;
  return html`<main class="game review" data-at=${position.at} data-seat=${position.seat}>
    <div class="stage">
      <${SeatChoice} ...${{ facts, seat, setSeat }} />
      <${Board} svg=${position.svg} seats=${seats} moving=${true} label=${`${facts.title}: the board`} chosen=${lit ? [lit] : []} tip=${tip} onLook=${look} onPoint=${(name, touch) => setTip({ name, what: title(name), touch })} />
      <div class="below"><${Scrubber} step=${at} steps=${moves.length} onStep=${go} /></div>
      ${analysis.values && html`<${Chart} values=${analysis.values} seats=${seats} seat=${seat} at=${at} steps=${moves.length} onStep=${go} />`}
      ${seat >= 0 && html`<${Belief} ...${{ id, token, seat, at, seats }} onLook=${setLit} />`}
    </div>
    <aside>
      ${error && html`<p class="error" role="alert">${error}</p>`}
      ${!facts.open && html`<p class="hint">The game has not ended: here is what this seat knew. All seats are shown at the end of the game. <a href=${`#/g/${id}/${token}`}>Back to the game</a></p>`}
      ${ended && position.result && html`<${Result} result=${position.result} over=${position.over} seats=${seats} names=${facts.score_names} />`}
      ${facts.open && html`<${Opinion} analysis=${analysis} facts=${facts} at=${at} onStep=${go} />`}
      <${Moves} ...${{ moves, seats, at, go }} odd=${analysis.odd} />
      ${facts.open && at < moves.length && html`<${PlayOn} ...${{ id, token, facts, at }} />`}
      ${facts.open && html`<p><${Record} id=${id} token=${token} /></p>`}
    </aside>
  </main>`;
}

// Through whose eyes the board is seen.
function SeatChoice({ facts, seat, setSeat }) {
  if (!facts.open) {
    return html`<p class=${`status seat-${seat}`}>${seat < 0 ? "As all could see it" : `As ${facts.seats[seat].name} knew it`}</p>`;
  }
  return html`<fieldset class="eyes"><legend>As known to</legend>
    ${facts.seats.map((one, j) => html`<label key=${j} class=${`chip seat-${j}`}><input type="radio" name="eyes" checked=${seat === j} onChange=${() => setSeat(j)} />
      <span class="dot" aria-hidden="true"></span> ${one.name}</label>`)}
    <label class="chip"><input type="radio" name="eyes" checked=${seat === -1} onChange=${() => setSeat(-1)} /> everybody</label>
  </fieldset>`;
}

function Moves({ moves, seats, at, go, odd }) {
  const rows = moves.map((move, i) => ({
    ...line(move, seats), move: move.move, player: move.player, here: i + 1 === at, go: () => go(i + 1),
    note: odd.has(i) && html` <span class="odd" title=${`The agent: ${odd.get(i)}`}>≠</span>`,
  }));
  return html`<${MoveList} title="Moves" label="All moves" rows=${rows} at=${at} />`;
}

// Starts a new game after a move of this one.
function PlayOn({ id, token, facts, at }) {
  const agent = (name) => [name, name.replace(/ \d+$/, "")].find((one) => facts.agents.includes(one)) ?? usual(facts.agents);
  const [seats, setSeats] = useState(facts.seats.map((seat, j) => (j === Math.max(facts.seat, 0) ? "" : agent(seat.name))));
  const [error, setError] = useState("");
  const start = async () => {
    try {
      const wanted = seats.map((agent, j) => (agent ? { agent } : { name: facts.seats[j].name.slice(0, 30) }));
      enter(await post(`/api/games/${id}/continue`, { at, seats: wanted }, token, hostKey()), facts.title);
    } catch (wrong) {
      setError(wrong.message);
    }
  };
  const set = (j, agent) => setSeats(seats.map((other, k) => (k === j ? agent : other)));
  return html`<details class="on"><summary>Play on from here</summary>
    ${facts.seats.map((seat, j) => html`<p key=${j} class=${`row seat-${j}`}><span class="dot" aria-hidden="true"></span>
      <label>${seat.name} <${AgentSelect} agents=${facts.agents} value=${seats[j]} onChange=${(name) => set(j, name)} /></label></p>`)}
    ${error && html`<p class="error" role="alert">${error}</p>`}
    <button class="main" onClick=${start}>Play on after move ${at}</button>
  </details>`;
}

// Expected numbers of kinds by places, as a heat map.
const LEVELS = 10; // shades, from 0 to certain

function Belief({ id, token, seat, at, seats, onLook }) {
  const [open, setOpen] = useState(false);
  const [belief, error] = useAnswer(open ? `/api/games/${id}/review/belief?seat=${seat}&move=${at}` : null, token, 120);
  return html`<details class="belief" onToggle=${(event) => setOpen(event.target.open)}>
    <summary>What ${seats[seat].name} could expect</summary>
    ${error && html`<p class="error" role="alert">${error}</p>`}
    ${open && !belief && !error && html`<p class="hint">Drawing worlds that agree with all this seat knew…</p>`}
    ${belief && belief.sorts.map((sort) => html`<${HeatMap} key=${sort.name} sort=${sort} seats=${seats} onLook=${onLook} />`)}
    ${belief && belief.sorts.length === 0 && html`<p class="hint">This game has no beliefs.</p>`}
    ${belief && belief.sorts.length > 0 && html`<p class="hint">Expected numbers over ${belief.worlds} worlds that agree with all this seat knew; the shade is the probability of at least one.</p>`}
  </details>`;
}

function HeatMap({ sort, seats, onLook }) {
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
