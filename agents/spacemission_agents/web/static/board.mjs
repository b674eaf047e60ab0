// Shows the picture of a game; animates changes; takes clicks and keys.

import { html, useEffect, useLayoutEffect, useRef, useState } from "./dom.mjs";
import { open } from "./moves.mjs";
import { capital } from "./words.mjs";

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
const NOTHING = [];
const LONGEST = 16; // letters of a name in the picture
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

function parsed(text) {
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  return document.importNode(root, true);
}

// Replaces "player_2" in the picture by the player's name; ships and stations show the number that default names have.
// What a part is stays in its <title> for screen readers, and as data for the tip.
function rename(svg, seats) {
  for (const number of svg.querySelectorAll(".seat-number text")) number.textContent = Number(number.textContent) + 1;
  const walk = document.createTreeWalker(svg, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (node.data.includes("player_")) node.data = node.data.replace(/\bplayer_(\d+)\b/g, (whole, j) => short(seats[j]?.name ?? whole));
  }
  for (const title of svg.querySelectorAll("title")) {
    if (title.parentElement === svg) title.remove();
    else title.parentElement.dataset.label = title.textContent;
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
      if (!one.dataset.label) one.setAttribute("aria-label", name); // a title would be its name
    } else {
      for (const attribute of ["role", "aria-pressed", "aria-label"]) one.removeAttribute(attribute);
    }
  }
  svg.classList.toggle("choosing", chosen.length > 0);
}

const target = (event) => event.target.closest?.("[data-target]")?.dataset.target;
const labelOf = (event) => event.target.closest?.("[data-label]")?.dataset.label ?? "";

// Removes the titles under the mouse: the browser would show them beside the tip.
function silence(part) {
  for (let one = part?.closest?.("[data-label]"); one; one = one.parentElement.closest("[data-label]")) one.querySelector(":scope > title")?.remove();
}

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

// `tip`: what is said about one part, and by touch at the bottom of a phone: { name, what, why, touch }.
export function Board({ svg, legal = [], chosen = [], hint = NOTHING, moving = false, tip = {}, onPoint, onLook, label, seats = [] }) {
  const frame = useRef(null);
  const shown = useRef(null);
  const box = useRef(null);
  const handlers = useRef({});
  handlers.current = { onPoint, onLook };

  useLayoutEffect(() => {
    const all = frame.current;
    const next = parsed(svg);
    const old = shown.current;
    const before = old && moving && !calm() ? places(old) : null;
    const focused = old?.contains(document.activeElement) ? document.activeElement.dataset.target : null;
    rename(next, seats);
    next.setAttribute("aria-label", label);
    next.setAttribute("role", "group");
    all.replaceChildren(next);
    shown.current = next;
    mark(next, legal, chosen);
    if (before) animate(next, before);
    if (focused) named(next).get(focused)?.focus({ preventScroll: true });
  }, [svg]);

  useLayoutEffect(() => mark(shown.current, legal, chosen), [legal, chosen]);
  useLayoutEffect(() => {
    for (const [name, one] of named(shown.current)) one.classList.toggle("hinted", hint.includes(name));
  }, [hint, svg]);

  useLayoutEffect(() => {
    const part = tip.what && named(shown.current).get(tip.name);
    if (!part || !box.current || tip.touch) return;
    const [all, at, own] = [frame.current, part, box.current].map((each) => each.getBoundingClientRect());
    const left = Math.min(Math.max(0, middle(at)[0] - all.left - own.width / 2), all.width - own.width);
    const above = at.top - all.top - own.height - 8;
    box.current.style.left = `${left}px`;
    box.current.style.top = `${above >= 0 ? above : at.bottom - all.top + 8}px`;
  }, [tip, svg]);

  useEffect(() => {
    const all = frame.current;
    let touch = false; // of the last press
    const down = (event) => { touch = event.pointerType === "touch"; };
    const click = (event) => {
      const name = clicked(event);
      if (name) handlers.current.onPoint?.(name, touch);
      else handlers.current.onLook?.(null);
    };
    const look = (event) => handlers.current.onLook?.(target(event) || null, labelOf(event));
    const over = (event) => {
      if (event.pointerType === "touch") return;
      silence(event.target);
      look(event);
    };
    const leave = (event) => { if (event.pointerType !== "touch") handlers.current.onLook?.(null); };
    const focus = (event) => { if (event.target.matches(":focus-visible")) look(event); };
    const blur = () => { if (!touch) handlers.current.onLook?.(null); };
    const key = (event) => {
      const name = target(event);
      if (!name) return;
      if (event.key === "Enter" || event.key === " ") handlers.current.onPoint?.(name, false);
      else if (ARROWS[event.key]) step(shown.current, name, ARROWS[event.key]);
      else return;
      event.preventDefault();
    };
    const pairs = [["pointerdown", down], ["click", click], ["pointerover", over], ["focusin", focus], ["focusout", blur], ["pointerleave", leave], ["keydown", key]];
    for (const [name, call] of pairs) all.addEventListener(name, call);
    return () => pairs.forEach(([name, call]) => all.removeEventListener(name, call));
  }, []);

  return html`<div class="around"><div class="board" ref=${frame}></div>
    <div class=${tip.touch ? "tip low" : "tip"} role="status" ref=${box} hidden=${!tip.what}>${tip.what && html`<b>${tip.what}</b>`}
      ${(tip.why || []).slice(0, MOST_REASONS).map((one) => html`<${Reason} key=${one.why} ...${one} alone=${tip.why.length === 1} />`)}</div></div>`;
}

// Why something is not legal, in words; the ids of the rules come last.
function Reason({ kinds, why, rules, alone }) {
  const words = alone || !kinds.length ? why : `${kinds.join(", ")}: ${why}`;
  return html`<span class="reason">${capital(words)}.${rules && html` <small>${rules}</small>`}</span>`;
}

// What a part of the picture is.
export function title(name) {
  const one = name && document.querySelector(`.board [data-target="${CSS.escape(name)}"]`);
  return one?.dataset.label ?? "";
}
