// Proves the keys of a sealed ladder by its facts alone (results.md, 11), with Node's own library.
//
//     node sealed_ladder.js facts.jsonl
"use strict";
const { createHash, createHmac } = require("node:crypto");
const { readFileSync } = require("node:fs");

const sha256 = (data) => createHash("sha256").update(data);
const hmac = (key, text) => createHmac("sha256", key).update(text).digest("hex");
const check = (fits, what) => { if (!fits) throw new Error(what); };

const lines = readFileSync(process.argv[2], "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
const of = (kind) => lines.filter((line) => line.fact.type === kind);
const sealed = new Map(of("Sealed").map((line) => [line.fact.epoch, line]));
const begun = new Map(of("Begun").map((line) => [line.fact.epoch, line.fact.beacon]));
for (const { fact } of of("Revealed")) {
  const secret = sha256(fact.secret).digest();
  const { hash, fact: { commitment } } = sealed.get(fact.epoch);
  check(sha256(secret).digest("hex") === commitment, "another secret");
  const event = sha256(hmac(secret, `seal\n${hash}\n${begun.get(fact.epoch)}\n`)).digest();
  const jobs = of("Match").map((line) => line.fact.job);
  const drawn = jobs.filter((job) => job.draw && job.draw.name[0] === fact.epoch);
  for (const job of drawn) check(job.key === hmac(event, String(job.draw.name[1])), "another key");
  console.log(`epoch ${fact.epoch}: ${drawn.length}`);
}
