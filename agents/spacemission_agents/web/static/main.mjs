// Renders the page for its address.

import { html, render, useEffect, useState } from "./dom.mjs";
import { Home } from "./home.mjs";
import { Links } from "./seats.mjs";
import { Play } from "./play.mjs";
import { Review } from "./review.mjs";
import { keep, find, prefer, preference } from "./saved.mjs";
import { get } from "./api.mjs";
import { Sign } from "./controls.mjs";

const THEMES = ["auto", "light", "dark"];

function useRoute() {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
}

function useTheme() {
  const [theme, setTheme] = useState(preference("theme", "auto"));
  useEffect(() => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    prefer("theme", theme);
  }, [theme]);
  return [theme, () => setTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length])];
}

// Saves an opened link with its seat.
function useKept(id, token) {
  useEffect(() => {
    if (!id || !token || Object.values(find(id)?.tokens || {}).includes(token)) return;
    get(`/api/games/${id}`, token).then((facts) => {
      const link = facts.seat >= 0 ? { tokens: { [facts.seat]: token } } : { watcher: token };
      keep({ id, title: facts.title, seats: facts.seats.map((seat) => seat.name), made: find(id)?.made ?? Date.now(), ...link });
    }, () => {});
  }, [id, token]);
}

function Curtain({ onOpen }) {
  return html`<main class="waiting"><p>Is the right player at the screen?</p><button class="main" onClick=${onOpen}>Show the table</button></main>`;
}

function Game({ id, token, hidden, onTitle }) {
  const [open, setOpen] = useState(!hidden);
  useKept(id, token);
  useEffect(() => setOpen(!hidden), [id, token, hidden]);
  const show = () => { history.replaceState(null, "", `#/g/${id}/${token}`); setOpen(true); };
  return open ? html`<${Play} key=${token} ...${{ id, token, onTitle }} />` : html`<${Curtain} onOpen=${show} />`;
}

function Shown({ route: [kind, id, token, more], onTitle }) {
  if (kind === "g") return html`<${Game} ...${{ id, token, onTitle }} hidden=${more === "hidden"} />`;
  if (kind === "r") return html`<${Review} key=${token} ...${{ id, token, onTitle }} />`;
  if (kind === "links") return html`<${Links} id=${id} />`;
  if (kind === "key") {
    prefer("key", id);
    location.replace("#/");
  }
  return html`<${Home} />`;
}

function App() {
  const route = useRoute();
  const [theme, next] = useTheme();
  const [game, setGame] = useState(""); // the title of the game on the page
  const title = ["g", "r"].includes(route[0]) && game ? game : "Board games";
  useEffect(() => { document.title = title; }, [title]);
  return html`<header><a class="home" href="#/"><img src="/static/icon.svg" alt="" width="24" height="24" /> ${title}</a>
      <nav><a href="#/">New game</a>
      <button class="icon" onClick=${next} aria-label=${`Colours: ${theme}`} title=${`Colours: ${theme}`}><${Sign} name=${theme} /></button></nav>
    </header>
    <${Shown} route=${route} onTitle=${setGame} />`;
}

render(html`<${App} />`, document.getElementById("app"));
