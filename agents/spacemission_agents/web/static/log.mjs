// Lists the moves in words, and the points at the end.

import { html, useEffect, useRef } from "./dom.mjs";
import { capital, line, listed, plain } from "./words.mjs";

export function Log({ events, seats, seat, step, onStep }) {
  const list = useRef(null);
  useEffect(() => {
    const current = list.current?.querySelector('[aria-current="step"]') || list.current?.lastElementChild;
    if (current) list.current.scrollTop = current.offsetTop - list.current.clientHeight / 2;
  }, [events.length, step]);
  const gone = takenBack(events);
  return html`<section class="log" aria-label="What has happened">
    <h2>What has happened</h2>
    <ol ref=${list} tabindex="0" aria-label="Moves so far">
      ${events.map((event, i) => {
        const { who, what } = line(event, seats);
        const classes = [`seat-${event.player}`, event.player === seat && "mine", gone.has(i) && "gone"];
        const here = !event.undo && !gone.has(i) && event.step === step;
        const words = event.undo ? "takes the move back" : what;
        return html`<li key=${event.id} class=${classes.filter(Boolean).join(" ")}
          aria-current=${here ? "step" : null}>
          <button class="line" onClick=${() => onStep(event.step)} disabled=${event.undo || gone.has(i)}>
            <b class="who">${who}</b> ${words}</button></li>`;
      })}
      ${!events.length && html`<li class="none">Nothing yet.</li>`}
    </ol>
  </section>`;
}

// Places of the moves that were taken back, and do not stand any more.
function takenBack(events) {
  const stack = [];
  const gone = new Set();
  events.forEach((event, i) => {
    if (event.undo) gone.add(stack.pop());
    else stack.push(i);
  });
  return gone;
}

export function Result({ result, over, seats, names, review }) {
  const best = (name) => Math.max(...result.scores.map((row) => row[name]));
  const won = listed(result.winners.map((j) => seats[j].name));
  const stopped = over === "truncated";
  const how = !won ? "nobody wins"
    : result.winners.length === seats.length ? "all share the win"
    : `${won} ${result.winners.length > 1 ? "share the win" : "wins"}`;
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
