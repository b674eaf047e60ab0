// Shows the picture of a game; animates changes; takes clicks and keys.

import { html, useEffect, useLayoutEffect, useRef, useState } from "./dom.mjs";
import { open } from "./moves.mjs";

// Whether to draw the picture in one column, for a phone held upright.
export function useTall() {
  const [tall, setTall] = useState(NARROW.matches);
  useEffect(() => {
    const changed = () => setTall(NARROW.matches);
    NARROW.addEventListener("change", changed);
    return () => NARROW.removeEventListener("change", changed);
  }, []);
  return tall;
}

const NARROW = matchMedia("(max-width: 700px) and (orientation: portrait)");
const MOVING = 450; // milliseconds
const MOST_REASONS = 4;
const LONGEST = 16; // letters of a name in the picture
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function parsed(text) {
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  return document.importNode(root, true);
}

// Replaces "player_2" in the picture by the player's name.
export function rename(svg, seats) {
  const walk = document.createTreeWalker(svg, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (node.data.includes("player_")) node.data = node.data.replace(/\bplayer_(\d+)\b/g, (whole, j) => short(seats[j]?.name ?? whole));
  }
}

const short = (name) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);

function named(svg) {
  return new Map([...svg.querySelectorAll("[data-target]")].map((one) => [one.dataset.target, one]));
}

// Place and content of all parts of the picture, by id, before the next picture replaces it.
function places(svg) {
  const found = new Map();
  for (const [name, one] of named(svg)) {
    found.set(name, { at: one.getBoundingClientRect(), was: one.innerHTML });
  }
  return found;
}

function middle(box) {
  return [box.left + box.width / 2, box.top + box.height / 2];
}

// Animates the change from the last picture: moved parts slide, new and changed parts fade in.
function animate(svg, before) {
  const scale = svg.getScreenCTM()?.a || 1;
  for (const [name, one] of named(svg)) {
    const then = before.get(name);
    if (!then) {
      one.animate([{ opacity: 0 }, { opacity: 1 }], { duration: MOVING, easing: "ease-out" });
      continue;
    }
    const [x, y] = middle(one.getBoundingClientRect());
    const [u, v] = middle(then.at);
    const [dx, dy] = [(u - x) / scale, (v - y) / scale];
    if (Math.hypot(u - x, v - y) > 3 && then.at.width && !one.querySelector("[data-target]")) {
      const frames = [{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "translate(0px, 0px)" }];
      one.animate(frames, { duration: MOVING, easing: "ease-in-out", composite: "add" });
    } else if (then.was !== one.innerHTML && !one.querySelector("[data-target]")) {
      one.animate([{ opacity: 0.25 }, { opacity: 1 }], { duration: MOVING, easing: "ease-out" });
    }
  }
}

function mark(svg, legal, chosen) {
  const pointable = open(legal, chosen);
  for (const [name, one] of named(svg)) {
    const can = pointable.has(name);
    const is = chosen.includes(name);
    one.classList.toggle("can", can);
    one.classList.toggle("chosen", is);
    one.setAttribute("tabindex", can || is ? "0" : "-1");
    if (can || is) {
      one.setAttribute("role", "button");
      one.setAttribute("aria-pressed", String(is));
      if (!one.querySelector(":scope > title")) one.setAttribute("aria-label", name); // a title would be its name
    } else {
      for (const attribute of ["role", "aria-pressed", "aria-label"]) one.removeAttribute(attribute);
    }
  }
  svg.classList.toggle("choosing", chosen.length > 0);
}

const target = (event) => event.target.closest?.("[data-target]")?.dataset.target;

// The target of a click: the topmost part under it that can be chosen.
function clicked(event) {
  for (const one of document.elementsFromPoint(event.clientX, event.clientY)) {
    const found = one.closest("[data-target].can, [data-target].chosen");
    if (found) return found.dataset.target;
  }
  return target(event);
}

// Moves the focus to the next part that can be chosen.
function step(svg, name, by) {
  const all = [...svg.querySelectorAll('[tabindex="0"]')];
  const at = all.findIndex((one) => one.dataset.target === name);
  const next = all[(at + by + all.length) % all.length];
  next?.focus();
}

const ARROWS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export function Board({ svg, legal = [], chosen = [], moving = false, onPoint, onLook, label, seats = [] }) {
  const frame = useRef(null);
  const shown = useRef(null);
  const tip = useRef(null);
  const handlers = useRef({});
  handlers.current = { onPoint, onLook };

  useLayoutEffect(() => {
    const box = frame.current;
    const next = parsed(svg);
    const old = shown.current;
    const before = old && moving && !calm() ? places(old) : null;
    const focused = old?.contains(document.activeElement) ? document.activeElement.dataset.target : null;
    rename(next, seats);
    next.setAttribute("aria-label", label);
    next.setAttribute("role", "group");
    box.replaceChildren(next);
    tip.current.hidden = true;
    shown.current = next;
    mark(next, legal, chosen);
    if (before) animate(next, before);
    if (focused) named(next).get(focused)?.focus({ preventScroll: true });
  }, [svg]);

  useLayoutEffect(() => mark(shown.current, legal, chosen), [legal, chosen]);

  // Shows the name of a part for touch and keyboard; for a mouse the browser shows it.
  const tell = (one) => {
    const part = one?.closest?.("[data-target]");
    const words = part?.querySelector(":scope > title")?.textContent ?? "";
    tip.current.hidden = !words;
    tip.current.textContent = words;
    if (!words) return;
    const [all, at, own] = [frame.current, part, tip.current].map((each) => each.getBoundingClientRect());
    const left = Math.min(Math.max(0, middle(at)[0] - all.left - own.width / 2), all.width - own.width);
    const above = at.top - all.top - own.height - 8;
    tip.current.style.left = `${left}px`;
    tip.current.style.top = `${above >= 0 ? above : at.bottom - all.top + 8}px`;
  };

  useEffect(() => {
    const box = frame.current;
    let touched = false; // touch: browsers send false mouse events after it
    const down = (event) => {
      touched = event.pointerType === "touch";
      tell(touched ? event.target : null);
    };
    const click = (event) => {
      const name = clicked(event);
      if (name) handlers.current.onPoint?.(name);
      else handlers.current.onLook?.(null);
    };
    const look = (event) => { if (!touched) handlers.current.onLook?.(target(event) || null); };
    const focus = (event) => {
      look(event);
      if (event.target.matches(":focus-visible")) tell(event.target);
    };
    const blur = () => { if (!touched) tell(null); };
    const leave = () => { if (!touched) handlers.current.onLook?.(null); };
    const key = (event) => {
      const name = target(event);
      if (!name) return;
      if (event.key === "Enter" || event.key === " ") handlers.current.onPoint?.(name);
      else if (ARROWS[event.key]) step(shown.current, name, ARROWS[event.key]);
      else return;
      event.preventDefault();
    };
    const pairs = [["pointerdown", down], ["click", click], ["pointerover", look], ["focusin", focus], ["focusout", blur], ["pointerleave", leave], ["keydown", key]];
    for (const [name, call] of pairs) box.addEventListener(name, call);
    return () => pairs.forEach(([name, call]) => box.removeEventListener(name, call));
  }, []);

  return html`<div class="around"><div class="board" ref=${frame}></div><p class="tip" role="tooltip" ref=${tip} hidden></p></div>`;
}

// The title of a part of the picture.
export function title(name) {
  const one = name && document.querySelector(`.board [data-target="${CSS.escape(name)}"] > title`);
  return one ? one.textContent : "";
}

export function About({ what, why = [] }) {
  return html`<p class=${what || why.length ? "why shown" : "why"} role="status">
    ${what && html`<b>${what}</b>`}${why.slice(0, MOST_REASONS).map((one) => html`<span key=${one}>${one}</span>`)}</p>`;
}
