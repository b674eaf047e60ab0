// Starts a new game, and lists the games that this browser knows.

import { html, useState } from "./dom.mjs";
import { post, upload, useAnswer } from "./api.mjs";
import { forget, games, hostKey, keep, preference } from "./saved.mjs";
import { address } from "./seats.mjs";
import { AgentSelect, goal, Rest, Sign } from "./controls.mjs";
import { capital, plain } from "./words.mjs";

const FAVOURITES = ["heuristic", "greedy"]; // the default opponents, in order

export function usual(names) {
  return FAVOURITES.find((name) => names.includes(name)) || names[0];
}

// The address of a saved game or record.
function addressOf(game) {
  const tokens = Object.values(game.tokens);
  if (game.record) return `#/r/${game.id}/${game.watcher}`;
  return tokens.length > 1 ? `#/links/${game.id}` : address(game.id, tokens[0]);
}

// Saves the links of a new game or record, and opens it.
export function enter({ id, seats, watcher }, title, record = false) {
  const tokens = Object.fromEntries(seats.map((seat, j) => [j, seat.token]).filter(([, token]) => token));
  const game = { id, title, made: Date.now(), seats: seats.map((seat) => seat.name), tokens, watcher, record };
  keep(game);
  location.hash = addressOf(game);
}

export function Home() {
  const [catalogue, error] = useAnswer("/api/catalogue");
  if (!catalogue) return html`<main class="waiting"><p role="status">${error || "One moment…"}</p></main>`;
  return html`<main class="home">
    <${NewGame} catalogue=${catalogue} />
    <${OwnGames} />
    <${Upload} />
  </main>`;
}

// Uploads a record for review.
function Upload() {
  const [number, setNumber] = useState(1);
  const [said, setSaid] = useState("");
  const bring = async (event) => {
    const file = event.target.files[0];
    event.target.value = "";
    if (!file) return;
    setSaid("Reading…");
    try {
      enter(await upload(`/api/records?game=${number}`, file, hostKey()), `Record: ${file.name}`, true);
    } catch (wrong) {
      setSaid(wrong.message);
    }
  };
  return html`<section class="known brought"><h2>Look back on a record</h2>
    <p><label>Record file <input type="file" accept=".jsonl,.json,.txt" onChange=${bring} /></label>
      <label>game <input class="small" inputmode="numeric" value=${number} onInput=${(event) => setNumber(Number(event.target.value) || 1)} /></label></p>
    <p class="hint" role="status">${said || "A file saved at the end of a game, or written by --record: each game of it can be looked at through the eyes of each seat."}</p>
  </section>`;
}

function NewGame({ catalogue }) {
  const [name, setName] = useState(preference("game", catalogue.games[0].name));
  const game = catalogue.games.find((one) => one.name === name) || catalogue.games[0];
  const others = catalogue.games.filter((one) => one !== game);
  return html`<section class="new">
    <h1>${game.title}</h1>
    ${goal(game.how_to_play)}
    ${game.how_to_play && html`<details class="more"><summary>How to play</summary><${Rest} text=${game.how_to_play} /></details>`}
    <div class="choose" role="group" aria-label="Other games"><span>Other games:</span>
      ${others.map((one) => html`<button key=${one.name} class="quiet" onClick=${() => setName(one.name)}>${one.title}</button>`)}
    </div>
    <${Form} key=${game.name} game=${game} />
  </section>`;
}

function Form({ game }) {
  const [few, many] = game.players;
  const first = (count) => Array.from({ length: count }, (_, j) => ({ agent: j ? usual(game.agents.map((agent) => agent.name)) : null, name: "" }));
  const [seats, setSeats] = useState(first(game.default_players));
  const [rules, setRules] = useState({});
  const [seed, setSeed] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const change = (j, more) => setSeats(seats.map((seat, k) => (k === j ? { ...seat, ...more } : seat)));
  const size = (count) => {
    setSeats([...seats.slice(0, count), ...first(many).slice(seats.length, count)]);
    setRules(({ start_player: _, ...others }) => others); // it may name a seat that is gone
  };
  const start = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError("");
    try {
      const body = { game: game.name, seats: seats.map((seat) => (seat.agent ? { agent: seat.agent } : { name: seat.name })), rules };
      if (seed !== "") body.seed = Number(seed);
      enter(await post("/api/games", body, null, hostKey()), game.title);
    } catch (wrong) {
      setError(wrong.message);
      setBusy(false);
    }
  };
  return html`<form onSubmit=${start}>
    ${few < many && html`<fieldset class="sizes"><legend>Players</legend>
      ${Array.from({ length: many - few + 1 }, (_, k) => few + k).map((count) => html`<label key=${count} class="chip">
        <input type="radio" name="players" checked=${seats.length === count} onChange=${() => size(count)} />${count}</label>`)}
    </fieldset>`}
    <fieldset class="seats"><legend>Seats</legend>
      ${seats.map((seat, j) => html`<${SeatRow} key=${j} number=${j} seat=${seat} game=${game} onChange=${(more) => change(j, more)} />`)}
    </fieldset>
    <details><summary>Rules and seed</summary>
      <div class="options">${game.options.map((option) => html`<${Option} key=${option.name} option=${option} seats=${seats.length}
        value=${rules[option.name] ?? option.value} onChange=${(value) => setRules({ ...rules, [option.name]: value })} />`)}
        <label class="option"><span>seed</span><input inputmode="numeric" pattern="[0-9]{0,15}" value=${seed}
          placeholder="random" onInput=${(event) => setSeed(event.target.value)} />
          <small>The same seed deals the same game: whoever knows it can know the deal.</small></label>
      </div>
    </details>
    ${error && html`<p class="error" role="alert">${error}</p>`}
    <button class="main start" disabled=${busy}>${busy ? "Laying out…" : "Start"}</button>
    ${busy && html`<p class="hint" role="status">The first game on a machine compiles the rules; that takes half a minute or so, once.</p>`}
  </form>`;
}

function SeatRow({ number, seat, game, onChange }) {
  const about = game.agents.find((agent) => agent.name === seat.agent)?.about.replaceAll("`", "").split("; ")[0].replace(/\.?$/, ".");
  return html`<div class=${`row seat-${number}`}>
    <span class="dot" aria-hidden="true"></span>
    <${AgentSelect} label=${`Seat ${number + 1}: who`} agents=${game.agents.map((agent) => agent.name)} value=${seat.agent ?? ""} onChange=${(name) => onChange({ agent: name || null })} />
    ${seat.agent
      ? html`<small title=${about}>${about}</small>`
      : html`<input aria-label=${`Seat ${number + 1}: name`} maxlength="30" placeholder=${`Player ${number + 1}`} value=${seat.name}
          onInput=${(event) => onChange({ name: event.target.value })} />`}
  </div>`;
}

function Option({ option, seats, value, onChange }) {
  const label = plain(option.name);
  const about = option.about.replaceAll("`", "");
  if (option.name === "start_player") {
    return html`<label class="option"><span>${label}</span><select value=${String(value)}
      onChange=${(event) => onChange(event.target.value === "random" ? "random" : Number(event.target.value))}>
      <option value="random">random</option>
      ${Array.from({ length: seats }, (_, j) => html`<option key=${j} value=${String(j)}>${`Player ${j + 1}`}</option>`)}</select></label>`;
  }
  if (typeof option.value === "boolean") {
    return html`<label class="option"><span>${label}</span><input type="checkbox" checked=${value}
      onChange=${(event) => onChange(event.target.checked)} /><small>${about}</small></label>`;
  }
  const read = (text) => (text === "" ? option.value : /^\d+$/.test(text) ? Number(text) : text);
  return html`<label class="option"><span>${label}</span><input value=${value ?? ""} placeholder=${String(option.value ?? "by players")}
    onInput=${(event) => onChange(read(event.target.value))} /><small>${about}</small></label>`;
}

function OwnGames() {
  const [list, setList] = useState(games());
  const drop = (id) => { forget(id); setList(games()); };
  if (!list.length) return null;
  return html`<section class="known"><h2>Your games</h2><ul>
    ${list.map((game) => html`<li key=${game.id}>
      <a href=${addressOf(game)}><b>${game.title}</b> ${(game.seats || []).map(capital).join(", ")}</a>
      <time>${game.made ? new Date(game.made).toLocaleString() : ""}</time>
      <button class="icon" aria-label="Forget this game" title="Forget the links" onClick=${() => drop(game.id)}><${Sign} name="away" /></button>
    </li>`)}</ul></section>`;
}
