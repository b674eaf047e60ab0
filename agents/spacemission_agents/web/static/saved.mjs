// Keeps links and preferences in this browser.

const GAMES = "spacemission.games";
const MOST = 40;

function read(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function write(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // a private window keeps nothing
  }
}

export const games = () => read(GAMES, []);
export const find = (id) => games().find((game) => game.id === id);
export const forget = (id) => write(GAMES, games().filter((game) => game.id !== id));

// Keeps a game with those of its links that this browser knows; what was known of it stays.
export function keep(game) {
  const before = find(game.id) || {};
  const tokens = { ...before.tokens, ...game.tokens };
  const others = games().filter((one) => one.id !== game.id);
  write(GAMES, [{ ...before, ...game, tokens }, ...others].slice(0, MOST));
}

export const hostKey = () => preference("key", null);
export const preference = (name, otherwise) => read(`spacemission.${name}`, otherwise);
export const prefer = (name, value) => write(`spacemission.${name}`, value);
