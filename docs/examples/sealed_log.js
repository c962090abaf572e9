// Proves the decks of a sealed event by its log alone (results.md, 1), with Node's own library.
//
//     node sealed_log.js log.jsonl
"use strict";
const { createHash, createHmac } = require("node:crypto");
const { readFileSync } = require("node:fs");

const sha256 = (data) => createHash("sha256").update(data);
const hmac = (key, text) => createHmac("sha256", key).update(text).digest("hex");
const check = (fits, what) => { if (!fits) throw new Error(what); };

const raw = readFileSync(process.argv[2], "utf8").trimEnd().split("\n");
const lines = raw.map((line) => JSON.parse(line));
const [header, told, end] = [lines[0], lines[1], lines[lines.length - 1]];
const { plan } = header;
let before = "";
raw.forEach((line, at) => {
  before = sha256(before + line.slice(0, -66)).digest("hex");
  check(lines[at].hash === before, "the chain is broken");
});
const text = raw[0].slice(raw[0].indexOf('"plan":') + 7, raw[0].lastIndexOf(',"hash":"'));
check(sha256(text).digest("hex") === header.digest, "the plan is another");
const secret = sha256(end.key).digest();
check(sha256(secret).digest("hex") === plan.commitment, "another secret");
told.contributions.forEach((given, at) => {
  check(!given || sha256(`contribution:${given}`).digest("hex") === plan.seal.commitments[at], "another contribution");
});
const message = ["seal", header.digest, ...told.contributions, told.beacon, ""].join("\n");
const key = hmac(secret, message);
const event = sha256(key).digest();
const rounds = new Map(lines.filter((one) => "round" in one).map((one) => [String(one.round), one]));
for (const match of lines.filter((one) => "match" in one)) {
  const [section, number, , part] = match.match;
  const { first, blocks } = rounds.get(`${section},${number}`);
  const from = part * plan.match_blocks, to = Math.min(from + plan.match_blocks, blocks);
  let keys = "";
  for (let at = from; at < to; at += 1) keys += `${hmac(event, String(first + at))}\n`;
  check(sha256(keys).digest("hex") === match.decks, "other decks");
}
console.log(key);
