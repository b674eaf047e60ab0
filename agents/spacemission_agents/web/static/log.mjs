// Shows the moves in words, and the scores at the end.

import { html, useEffect, useRef } from "./dom.mjs";
import { capital, line, listed, plain } from "./words.mjs";

// A list of moves; scrolls to the row that is `here`, or with `follow` to the last row.
export function MoveList({ title, label, rows, at, follow }) {
  const list = useRef(null);
  useEffect(() => {
    const current = list.current.querySelector('[aria-current="step"]') || (follow && list.current.lastElementChild);
    if (current) list.current.scrollTop = current.offsetTop - list.current.clientHeight / 2;
  }, [rows.length, at]);
  return html`<section class="log" aria-label=${title}><h2>${title}</h2><ol ref=${list} tabindex="0" aria-label=${label}>
    ${rows.map((row, i) => html`<li key=${i} class=${`seat-${row.player} ${row.gone ? "gone" : ""}`} aria-current=${row.here ? "step" : null}>
      <button class="line" onClick=${row.go} disabled=${!row.go} title=${row.move}><b class="who">${row.who}</b> ${row.what}${row.note}</button></li>`)}
    ${!rows.length && html`<li class="none">Nothing yet.</li>`}
  </ol></section>`;
}

// What the names in a line mean: the longest names of the glossary in it.
function meanings(words, glossary) {
  const said = words.toLowerCase();
  const found = Object.keys(glossary).filter((name) => said.includes(name.toLowerCase()));
  return found.filter((name) => !found.some((other) => other !== name && other.toLowerCase().includes(name.toLowerCase())))
    .map((name) => html`<small class="meaning">${capital(name)}: ${glossary[name]}</small>`);
}

export function Log({ events, seats, step, onStep, glossary }) {
  const gone = takenBack(events);
  const rows = events.map((event, i) => {
    const stands = !event.undo && !gone.has(i);
    const { who, what } = line(event, seats);
    return { player: event.player, who, what: event.undo ? "takes the move back" : what, move: event.move, gone: gone.has(i),
      here: stands && event.step === step, note: stands && event.step === step && meanings(what, glossary), go: stands ? () => onStep(event.step) : null };
  });
  return html`<${MoveList} title="What has happened" label="Moves so far" rows=${rows} at=${step} follow />`;
}

// Indices of the moves that were taken back.
function takenBack(events) {
  const stack = [];
  const gone = new Set();
  events.forEach((event, i) => {
    if (event.undo) gone.add(stack.pop());
    else stack.push(i);
  });
  return gone;
}

// Who has won, in words.
export function outcome(result, seats) {
  const won = listed(result.winners.map((j) => seats[j].name));
  if (!won) return "nobody wins";
  return result.winners.length === seats.length ? "all share the win" : `${won} ${result.winners.length > 1 ? "share the win" : "wins"}`;
}

export function Result({ result, over, seats, names, review }) {
  const best = (name) => Math.max(...result.scores.map((row) => row[name]));
  const stopped = over === "truncated";
  const how = outcome(result, seats);
  const order = seats.map((_, j) => j).sort((a, b) => result.scores[b][names.at(-1)] - result.scores[a][names.at(-1)]);
  return html`<section class="result" aria-label="Result">
    <h2>${stopped ? `Stopped by the limit: ${how}` : capital(how)}</h2>
    <div class="wide" tabindex="0" role="region" aria-label="Points"><table>
      <thead><tr><td></td>${order.map((j) => html`<th key=${j} scope="col" data-seat=${j} title=${seats[j].name}
        class=${`seat-${j} ${result.winners.includes(j) ? "winner" : ""}`}><span>${capital(seats[j].name)}</span></th>`)}</tr></thead>
      <tbody>${names.map((name) => html`<tr key=${name}><th scope="row">${plain(name)}</th>
        ${order.map((j) => {
          const points = result.scores[j][name];
          return html`<td key=${j} class=${points && points === best(name) ? "best" : ""}>${points}</td>`;
        })}</tr>`)}</tbody>
    </table></div>
    ${review && html`<p><a class="button" href=${review}>Look back on this game</a></p>`}
  </section>`;
}
