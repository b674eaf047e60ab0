// From what was pointed at to a move: those legal moves stay whose targets hold everything chosen.

export function candidates(legal, chosen) {
  return legal.filter((move) => chosen.every((name) => move.targets.includes(name)));
}

// Ids that can be pointed at next.
export function open(legal, chosen) {
  const names = new Set();
  for (const move of candidates(legal, chosen)) for (const name of move.targets) names.add(name);
  return names;
}

// The move that is meant by exactly what was chosen, if there is one.
export function exact(legal, chosen) {
  if (!chosen.length) return null;
  const found = candidates(legal, chosen).filter((move) => move.targets.length === chosen.length);
  return found.length === 1 ? found[0] : null;
}

// What is chosen after pointing at a name: it joins, or leaves if it was chosen; what does not go with it leaves.
export function point(legal, chosen, name) {
  if (chosen.includes(name)) return chosen.filter((other) => other !== name);
  const kept = [name];
  for (const other of chosen) if (candidates(legal, [...kept, other]).length) kept.push(other);
  return candidates(legal, kept).length ? kept : chosen;
}

// The move to play at once: nothing else can be meant.
export function settled(legal, chosen) {
  const left = candidates(legal, chosen);
  const move = exact(legal, chosen);
  return move && left.length === 1 ? move : null;
}
