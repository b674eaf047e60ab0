// Asks the server; a refusal becomes an Error with the server's one line.

import { useEffect, useState } from "./dom.mjs";

async function answer(response) {
  if (response.status === 204) return null;
  const type = response.headers.get("content-type") || "";
  const body = type.startsWith("application/json") ? await response.json() : await response.text();
  if (response.ok) return body;
  const error = new Error((body && body.error) || `the server answered ${response.status}`);
  error.status = response.status;
  throw error;
}

// `key`: of the host, for what only the host may do.
function asked(token, more = {}, key = null) {
  return { headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...(key ? { "x-host-key": key } : {}), ...more } };
}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("the server does not answer: is it still running?");
  }
  return answer(response);
}

// The answer to a path (null: ask nothing), and why there is none. A late answer to an older path is dropped.
export function useAnswer(path, token, delay = 0) {
  const [answer, setAnswer] = useState(null);
  const [error, setError] = useState("");
  useEffect(() => {
    if (!path) return;
    let current = true;
    const later = setTimeout(() => get(path, token).then(
      (found) => { if (current) { setAnswer(found); setError(""); } },
      (wrong) => current && setError(wrong.message),
    ), delay);
    return () => { current = false; clearTimeout(later); };
  }, [path, token]);
  return [answer, error];
}

export const get = (path, token) => ask(path, asked(token));

export const post = (path, body, token, key) =>
  ask(path, { method: "POST", body: JSON.stringify(body), ...asked(token, { "content-type": "application/json" }, key) });

export const upload = (path, text, key) =>
  ask(path, { method: "POST", body: text, ...asked(null, { "content-type": "application/jsonl" }, key) });

export const remove = (path, token, key) => ask(path, { method: "DELETE", ...asked(token, {}, key) });

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// Follows the events of a game until `signal` aborts; after a break it goes on behind the last event.
export async function follow(id, token, heard, signal) {
  let last = 0;
  let pause = 250;
  while (!signal.aborted) {
    try {
      const options = { ...asked(token, { "last-event-id": String(last) }), signal };
      const response = await fetch(`/api/games/${id}/events`, options);
      if (!response.ok) await answer(response);
      pause = 250;
      heard("open", {});
      for await (const event of messages(response.body)) {
        if (event.id) last = Number(event.id);
        heard(event.name, event.data);
      }
    } catch (error) {
      if (signal.aborted) return;
      heard("broken", { line: error.message, final: error.status === 404 || error.status === 409 });
      if (error.status === 404 || error.status === 409) return;
    }
    await sleep(pause);
    pause = Math.min(pause * 2, 5000);
  }
}

async function* messages(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const event = parsed(part);
      if (event) yield event;
    }
  }
}

function parsed(part) {
  const fields = {};
  for (const line of part.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
  }
  return fields.data ? { id: fields.id, name: fields.event, data: JSON.parse(fields.data) } : null;
}
