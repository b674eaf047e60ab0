// Rewrites texts of the engine for the page.

// Replaces "player_2" by the player's name, or by "you" for the own seat.
export function named(text, seats, own = -1) {
  return text.replace(/\bplayer_(\d+)\b/g, (whole, j) => {
    const seat = seats[Number(j)];
    if (!seat) return whole;
    return Number(j) === own ? "you" : seat.name;
  });
}

// The table in words with the names of seats, as wide as before; its columns with seats by number are explained.
export function tableWords(text, seats) {
  const renamed = text.replace(/\bplayer_(\d+)( \(you\))?( *)/g, (whole, j, you = "", room) => {
    const name = `${seats[Number(j)]?.name ?? `player_${j}`}${you}`;
    return room.length > 1 ? `${name.slice(0, whole.length - 1)} `.padEnd(whole.length) : name + room;
  });
  return `Numbers of seats: ${seats.map((seat, j) => `${j} ${seat.name}`).join(", ")}\n\n${renamed}`;
}

// An own move as an imperative: "Fly to Hazard" for "player_0 flies to Hazard".
export function own(text, seats, seat) {
  const start = `player_${seat} `;
  const rest = text.startsWith(start) ? text.slice(start.length) : text;
  return capital(named(rest, seats, seat).replace(/^\w+/, imperative));
}

const imperative = (verb) => verb.replace(/ies$/, "y").replace(/(ss|sh|ch|x|o)es$/, "$1").replace(/(?<!s)s$/, "");

// The player and the action of a line of the log.
export function line(event, seats) {
  const start = `player_${event.player} `;
  const rest = event.words.startsWith(start) ? event.words.slice(start.length) : event.words;
  return { who: seats[event.player]?.name ?? start.trim(), what: named(rest, seats) };
}

export const plain = (name) => name.replaceAll("_", " ");
// One, two and three.
export const listed = (names) => [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" and ");

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// The verb of a move, by which moves are grouped.
export const verb = (text) => text.split(/[\s,]/, 1)[0].toLowerCase();

// The common beginning of several texts, in whole words and without an article: "Jump to".
export function beginning(texts) {
  const words = texts.map((text) => text.split(" "));
  const first = words[0];
  let count = 0;
  while (count < first.length - 1 && words.every((one) => one[count] === first[count])) count += 1;
  return first.slice(0, Math.max(count, 1)).join(" ").replace(/,.*$/, "").replace(/ (an?|the)$/, "");
}
