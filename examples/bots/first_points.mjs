#!/usr/bin/env node
// Develops, discovers, scans, or moves at random: a bot that needs nothing but Node.js.
//
// spacemission check-bot "command:node examples/bots/first_points.mjs"
// spacemission arena --agents "command:node examples/bots/first_points.mjs,random" --games 100

import { createInterface } from 'node:readline'

const LIKED = ['develop', 'discover', 'scan'] // first words of moves, best first

// A number below `size`, drawn from the decision's key alone: the bot plays the same game everywhere.
const draw = (key, size) => Number(BigInt(key) % BigInt(size))

function choose (act) {
  const moves = act.moves.map(one => one.move)
  for (const word of LIKED) {
    const liked = moves.filter(move => move.startsWith(word))
    if (liked.length > 0) return liked[draw(act.key, liked.length)]
  }
  return moves[draw(act.key, moves.length)]
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  if (message.type === 'hello') {
    const ready = { type: 'ready', protocol: 1, name: 'first points', version: '1', wants: ['moves'] }
    console.log(JSON.stringify(ready))
  } else if (message.type === 'act') {
    console.log(JSON.stringify({ type: 'move', id: message.id, move: choose(message) }))
  }
}
