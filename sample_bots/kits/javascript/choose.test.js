// What choose() does in positions of SPEC.md. Run: node --test

"use strict";

const assert = require("node:assert");
const test = require("node:test");
const { choose } = require("./choose.js");

const GEN7 = "A7KQJ65432";
const IT3 = "A3KQJ76542";
const FIVE = ["6S", "3H", "KH", "7D", "6D", "3C", "KC", "7S"];

test("SPEC 3.4: the king takes the knave", () => {
  const hand = ["5C", "QS", "KD"];
  assert.equal(choose({ hand, legal: hand, trick: ["JD"], trump: "H", ranks: GEN7 }), "KD");
});

test("SPEC 4.2: nothing takes a trump, so the cheapest", () => {
  const hand = ["AD", "5C", "QS"];
  assert.equal(choose({ hand, legal: hand, trick: ["4H"], trump: "H", ranks: GEN7 }), "5C");
});

test("SPEC 11.6: the lowest trump takes six points", () => {
  const trick = ["4H", "2S", "KD", "JH"];
  assert.equal(choose({ hand: FIVE, legal: FIVE, trick, trump: "S", ranks: IT3 }), "6S");
});

test("SPEC 11.6: an auction is not for this bot yet", () => {
  const legal = ["pass", "bid 6", "bid 5"];
  assert.equal(choose({ hand: FIVE, legal, trick: [], trump: null, ranks: IT3 }), "pass");
});
