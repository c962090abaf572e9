// A bot that plays the first legal action. Node 20, no packages, nothing to build.
//
// Run: node first.js

"use strict";

const readline = require("node:readline");

// The decision: one of the legal actions. `view` is all that this seat knows.
function choose(legal, view) {
  return legal[0];
}

function send(message) {
  // The flush trap: write() hands the line over at once, but process.exit() would drop what the
  // pipe has not taken yet. So never call it: drop the input instead, and node ends by itself.
  process.stdout.write(JSON.stringify(message) + "\n");
}

const lines = readline.createInterface({ input: process.stdin });

lines.on("line", (line) => {
  const message = JSON.parse(line);
  switch (message.type) {
    case "hello":
      send({ type: "ready", protocol: 1, name: "first-js", version: "1" });
      break;
    case "act":
      send({ id: message.id, action: choose(message.legal, message.view) });
      break;
    case "end":
      process.stdin.destroy();
      break;
  }
});
