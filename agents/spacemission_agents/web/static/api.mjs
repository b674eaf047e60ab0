// Sends requests to the server; a refusal becomes an Error with the server's message.

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

const bearer = (token) => (token ? { authorization: `Bearer ${token}` } : {});

// `key`: the host key, for requests that only the host may make.
async function ask(path, token, { key, type, ...options } = {}) {
  const headers = { ...bearer(token), ...(key ? { "x-host-key": key } : {}), ...(type ? { "content-type": type } : {}) };
  let response;
  try {
    response = await fetch(path, { headers, ...options });
  } catch {
    throw new Error("the server does not answer: is it still running?");
  }
  return answer(response);
}

export const get = (path, token) => ask(path, token);
export const post = (path, body, token, key) => ask(path, token, { key, type: "application/json", method: "POST", body: JSON.stringify(body) });
export const upload = (path, body, key) => ask(path, null, { key, type: "application/jsonl", method: "POST", body });

// The response for a path (null: no request), and the error message. A late response for an older path is dropped.
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

// Follows the events of a game until `signal` aborts; after a disconnect it resumes after the last event.
export async function follow(id, token, onEvent, signal) {
  let last = 0;
  let pause = 250;
  while (!signal.aborted) {
    try {
      const headers = { ...bearer(token), "last-event-id": String(last) };
      const response = await fetch(`/api/games/${id}/events`, { headers, signal });
      if (!response.ok) await answer(response);
      pause = 250;
      onEvent("open", {});
      for await (const event of messages(response.body)) {
        if (event.id) last = Number(event.id);
        onEvent(event.name, event.data);
      }
    } catch (error) {
      if (signal.aborted) return;
      const final = error.status === 404 || error.status === 409;
      onEvent("broken", { line: error.message, final });
      if (final) return;
    }
    await new Promise((done) => setTimeout(done, pause));
    pause = Math.min(pause * 2, 5000);
  }
}

async function* messages(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (text + value).split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const fields = Object.fromEntries(part.split("\n").map((line) => line.split(/: ?(.*)/s, 2)));
      if (fields.data) yield { id: fields.id, name: fields.event, data: JSON.parse(fields.data) };
    }
  }
}
