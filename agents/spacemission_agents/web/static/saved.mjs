// Saves links and preferences in this browser.

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
    // a private window may refuse to store data
  }
}

export const games = () => read(GAMES, []);
export const find = (id) => games().find((game) => game.id === id);
export const forget = (id) => write(GAMES, games().filter((game) => game.id !== id));

// Saves a game and its links, in addition to what is saved of it.
export function keep(game) {
  const before = find(game.id) || {};
  const tokens = { ...before.tokens, ...game.tokens };
  const others = games().filter((one) => one.id !== game.id);
  write(GAMES, [{ ...before, ...game, tokens }, ...others].slice(0, MOST));
}

export const hostKey = () => preference("key", null);
export const preference = (name, otherwise) => read(`spacemission.${name}`, otherwise);
export const prefer = (name, value) => write(`spacemission.${name}`, value);
