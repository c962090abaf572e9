// A bot to start from: choose.js decides, reading.js reads, this talks. Node 18, no packages.

"use strict";

const readline = require("node:readline");
const { choose } = require("./choose.js");
const { ranksOf, readPosition } = require("./reading.js");

function send(message) {
  // The flush trap: write() hands the line over at once, but process.exit() would drop what the
  // pipe has not taken yet. So never call it: drop the input instead, and node ends by itself.
  process.stdout.write(JSON.stringify(message) + "\n");
}

let ranks = "";
const lines = readline.createInterface({ input: process.stdin });

lines.on("line", (line) => {
  const message = JSON.parse(line);
  switch (message.type) {
    case "hello":
      send({ type: "ready", protocol: 1, name: "my-bot", version: "1" });
      break;
    case "deal":
      ranks = ranksOf(message.options);
      break;
    case "act":
      send({ id: message.id, action: choose(readPosition(message, ranks)) });
      break;
    case "end":
      process.stdin.destroy();
      break;
  }
});
