// Shows a game to a player or a spectator.

import { html, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./dom.mjs";
import { follow, get, post } from "./api.mjs";
import { Board, title, useTall } from "./board.mjs";
import { Log, outcome, Result } from "./log.mjs";
import { candidates, Moves, point, settled } from "./moves.mjs";
import { Others, Share } from "./seats.mjs";
import { Rules, Scrubber, useKeys } from "./controls.mjs";
import { prefer, preference } from "./saved.mjs";
import { named, tableWords } from "./words.mjs";

const PACES = { calm: 1200, quick: 450, none: 0 };
const MOST_SHOWN = 12; // most moves of others that are shown one by one
const NOTHING = [{ kinds: [], why: "nothing can be done with it now", rules: "" }]; // said after a click
const LONG = 3000; // milliseconds after which a wait is explained

// Facts of the game, its events, and the error message.
function useGame(id, token) {
  const [facts, setFacts] = useState(null);
  const [events, setEvents] = useState([]);
  const [ready, setReady] = useState(null);
  const [line, setLine] = useState("");
  useEffect(() => {
    const ended = new AbortController();
    let all = [];
    const onEvent = (name, data) => {
      if (name === "hello") setReady((before) => before ?? data.last);
      if (name === "open") setLine("");
      if (name === "broken") setLine(data.final ? data.line : `${data.line} Trying again…`);
      if (name === "trouble") setLine(data.line || "");
      if (name === "move") setEvents((all = [...all, data]));
    };
    get(`/api/games/${id}`, token).then(setFacts, (error) => setLine(error.message));
    follow(id, token, onEvent, ended.signal);
    return () => ended.abort();
  }, [id, token]);
  const begun = ready !== null && events.length >= ready;
  return { facts, events, begun, line };
}

// The shown position; new positions appear one by one at a readable pace.
function usePosition(id, token, events, begun, pace) {
  const tall = useTall();
  const [shown, setShown] = useState(null);
  const [back, setBack] = useState(null); // an earlier position, or null
  const [wrong, setWrong] = useState("");
  const seen = useRef(null); // number of events that have been shown
  const busy = useRef(false);
  const latest = useRef({});
  latest.current = { events, pace };

  const fetched = useCallback(async (step) => {
    const query = step === null ? "" : `&step=${step}`;
    return get(`/api/games/${id}/position?tall=${tall}${query}`, token);
  }, [id, token, tall]);

  const catchUp = useCallback(async () => {
    if (busy.current) return;
    busy.current = true;
    try {
      for (;;) {
        const { events: all, pace: speed } = latest.current;
        if (seen.current !== null && seen.current >= all.length) break;
        const first = seen.current === null;
        const from = first || !PACES[speed] ? all.length : Math.max(seen.current + 1, all.length - MOST_SHOWN);
        const event = all[from - 1];
        const position = await fetched(from >= all.length ? null : event.step);
        seen.current = from >= all.length ? Math.max(from, position.events) : from;
        setShown({ ...position, moving: !first, player: event?.player });
        setWrong("");
        if (from < latest.current.events.length) await new Promise((done) => setTimeout(done, PACES[speed]));
      }
    } catch (error) {
      setWrong(error.message);
    } finally {
      busy.current = false;
    }
  }, [fetched]);

  // Layout effects, to request the position before the next frame.
  useLayoutEffect(() => { seen.current = null; }, [fetched]); // another game or layout
  useLayoutEffect(() => { if (begun) catchUp(); }, [begun, events.length, catchUp]);
  useEffect(() => { setShown(null); setBack(null); aim.current = null; }, [id, token]);

  const aim = useRef(null); // the step requested last; late responses for other steps are dropped
  const lookAt = useCallback(async (to) => {
    const last = latest.current.events.at(-1)?.step ?? 0;
    const step = to === null || to >= last ? null : Math.max(0, to);
    aim.current = step;
    if (step === null) return setBack(null);
    try {
      const found = await fetched(step);
      if (aim.current === step) setBack({ ...found, legal: [], undo: false, moving: true });
    } catch (error) {
      setWrong(error.message);
    }
  }, [fetched]);
  const lookBy = useCallback((by) => lookAt((aim.current ?? latest.current.events.at(-1)?.step ?? 0) + by), [lookAt]);

  return { shown, back, lookAt, lookBy, wrong };
}

// Whether something has lasted long; `what` is null while nothing is waited for.
function useLong(what) {
  const [long, setLong] = useState(null);
  useEffect(() => {
    if (what === null) return;
    const later = setTimeout(() => setLong(what), LONG);
    return () => clearTimeout(later);
  }, [what]);
  return what !== null && long === what;
}

export function Play({ id, token, onTitle }) {
  const [pace, setPace] = useState(preference("pace", "calm"));
  const { facts, events, begun, line } = useGame(id, token);
  const { shown, back, lookAt, lookBy, wrong } = usePosition(id, token, events, begun, pace);
  const [chosen, setChosen] = useState([]);
  const [sent, setSent] = useState(null); // the number of events when a move was sent
  const [said, setSaid] = useState("");
  const [pointed, setPointed] = useState({}); // the part under the pointer, and why it has no legal move
  const [hint, setHint] = useState([]); // the parts of the move under the pointer in the list
  const [help, setHelp] = useState(null); // whether the rules are shown; null: if this browser has not closed them
  const narrow = useTall();
  const position = back || shown;
  const busy = sent !== null && events.length <= sent;
  const behind = shown !== null && shown.events < events.length; // its legal moves are out of date
  const legal = useMemo(() => (position && !back && !busy && !behind ? position.legal : []), [position, back, busy, behind]);
  const last = events.at(-1)?.step ?? 0;

  useEffect(() => { setChosen([]); setPointed({}); setHint([]); }, [position?.step, back !== null, events.length]);
  useEffect(() => { if (facts) onTitle(facts.title); }, [facts?.title]);

  const send = useCallback(async (path, body) => {
    setSent(events.length);
    setSaid("");
    try {
      await post(`/api/games/${id}/${path}`, body, token);
    } catch (error) {
      setSent(null);
      setSaid(error.message);
    }
  }, [id, token, events.length]);

  const play = useCallback((move) => send("moves", { action: move.action, step: shown.step }), [send, shown]);
  const undo = useCallback(() => send("undo", { step: shown.step }), [send, shown]);

  const pointAt = (name, touch) => {
    if (!legal.length) return look(name, title(name), touch, 0);
    const next = point(legal, chosen, name);
    const move = settled(legal, next);
    setChosen(next);
    if (move) play(move);
    else if (next === chosen) look(name, title(name), touch, 0);
    else if (touch) look(null); // the list of moves says it
  };

  const waited = useRef(0);
  const look = (name, what = "", touch = false, delay = 250) => {
    clearTimeout(waited.current);
    if (!name) return setPointed({});
    waited.current = setTimeout(() => {
      setPointed({ name, what, touch });
      if (!legal.length || candidates(legal, [name]).length) return;
      get(`/api/games/${id}/why?target=${encodeURIComponent(name)}`, token)
        .then(({ why }) => setPointed((before) => (before.name === name ? { name, what, touch, why: why.length || delay ? why : NOTHING } : before)), () => {});
    }, delay);
  };

  useKeys((key) => {
    if (key === "Escape") { setChosen([]); look(null); lookAt(null); }
    else if (key === "?" || key === "h") showHelp(!helps);
    else if (key === "u" && shown?.undo && !back) undo();
    else if (key === ",") lookBy(-1);
    else if (key === "." && back) lookBy(1);
    else if (key === "m") document.querySelector(".moves button, .moves summary")?.focus();
    else if (key === "b") document.querySelector('.board [tabindex="0"]')?.focus();
    else return false;
  });

  const helps = facts !== null && (help ?? preference(`help.${facts.game}`, !narrow));
  const showHelp = (shown) => { setHelp(shown); prefer(`help.${facts.game}`, shown); };

  // What is waited for: an own move, or that of a seat; its first move may be compiled.
  const mover = shown?.to_act ?? null;
  const waits = !position ? "the table" : busy ? `own ${events.length}` : shown && !shown.over && mover !== facts?.seat ? `${mover} ${events.length}` : null;
  const long = useLong(waits);
  const compiles = facts !== null && long && !events.some((event) => event.player === (busy ? facts.seat : mover)) && (busy || facts.seats[mover]?.agent);

  const error = said || wrong || line;
  if (!facts || !position) {
    return html`<main class="waiting"><p role="status">${error || `Laying out the game…${long ? COMPILES : ""}`}</p></main>`;
  }
  const seats = facts.seats;
  const mine = facts.seat >= 0;
  return html`<main class="game" data-step=${position.step} data-turn=${String(legal.length > 0)}>
    <div class="stage">
      <${Status} ...${{ position, seats, seat: facts.seat, busy, back, lookAt, compiles, helps, showHelp }} />
      <${Board} svg=${position.svg} legal=${legal} chosen=${chosen} moving=${position.moving} tip=${pointed} hint=${hint}
        onPoint=${pointAt} onLook=${look} seats=${seats} label=${`${facts.title}: the board`} />
      <div class="below">
        <${Scrubber} step=${position.step} steps=${last} onStep=${lookAt} />
        <label class="pace">Others' moves <select value=${pace} onChange=${(event) => { setPace(event.target.value); prefer("pace", event.target.value); }}>
          <option value="calm">calmly</option><option value="quick">quickly</option><option value="none">at once</option>
        </select></label>
      </div>
    </div>
    <aside>
      ${error && html`<p class="error" role="alert">${error}</p>`}
      ${position.result && html`<${Result} result=${position.result} over=${position.over} seats=${seats} names=${facts.score_names} review=${`#/r/${id}/${token}`} />`}
      ${legal.length > 0 && html`<${Moves} ...${{ legal, chosen, about: title(chosen.at(-1)), seats, seat: facts.seat, busy }} onHint=${setHint} onPlay=${play} onClear=${() => setChosen([])} />`}
      ${shown.undo && !back && html`<p><button class="quiet" onClick=${undo} disabled=${busy}>Take the last move back <kbd>U</kbd></button></p>`}
      <${Log} ...${{ events, seats, step: position.step, glossary: facts.glossary }} onStep=${lookAt} />
      ${helps && html`<${Rules} title=${facts.title} text=${facts.how_to_play} onClose=${() => showHelp(false)} />`}
      <${Others} id=${id} token=${token} seats=${seats} toAct=${shown.to_act} />
      <${Share} id=${id} token=${token} facts=${facts} over=${shown.over} />
      <${Keys} />
      ${mine && html`<details class="text"><summary>The table in words</summary><pre tabindex="0">${tableWords(position.board, seats)}</pre></details>`}
    </aside>
  </main>`;
}

const KEYS = [["B", "go to the board: Tab and arrows move, Enter chooses"], ["M", "go to the list of moves"], ["Esc", "start over, or back to now"],
  ["U", "take the last move back"], ["H", "how to play"], [", .", "one move back, one forward"]];

function Keys() {
  return html`<details class="keys"><summary>Keys</summary><dl>${KEYS.map(([key, what]) => html`<div key=${key}><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`)}</dl></details>`;
}

const COMPILES = " After an installation the first moves are compiled, once: that can take a minute.";

function Status({ position, seats, seat, busy, back, lookAt, compiles, helps, showHelp }) {
  const who = position.to_act === null ? null : seats[position.to_act];
  let words;
  if (back) words = html`Looking back at move ${position.step}. <button class="quiet" onClick=${() => lookAt(null)}>Back to now <kbd>Esc</kbd></button>`;
  else if (position.over) words = html`<b>The game is over: ${outcome(position.result, seats)}.</b>`;
  else if (busy) words = "Your move is being made…";
  else if (position.moved) words = "Waiting for the others…";
  else if (position.to_act === seat) words = html`<b>Your turn${position.prompt && `: ${named(position.prompt, seats, seat)}`}${position.prompt.endsWith("?") ? "" : "."}</b>`;
  else if (who) words = `${who.name} ${who.agent ? "is thinking" : "is to move"}…`;
  else words = "Waiting for the others…";
  return html`<div class=${`status seat-${position.to_act}`}><p role="status" aria-live="polite">${words}${compiles && COMPILES}</p>
    <button class="quiet" aria-expanded=${String(helps)} onClick=${() => showHelp(!helps)}>How to play</button></div>`;
}
