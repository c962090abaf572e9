// Reads of a message what a decision needs.

"use strict";

// The ranks of each profile (SPEC 11.1), highest first.
const RANKS = {
  it3: "A3KQJ76542",
  gen7: "A7KQJ65432",
  pt7: "A7KJQ65432",
  pt7_qj: "A7KQJ65432",
  pt10: "ATKJQ65432",
  it3_low3: "AKQJ765432",
  it7: "A7KQJ65432",
  es48: "A3KQJ9876542",
};

function ranksOf(options) {
  return RANKS[options.rank_profile] ?? RANKS.it3;
}

// `trump` is null while there is none. A card is its rank, then its suit: "7D"; a covered two "2".
function readPosition({ legal, view }, ranks) {
  return { hand: view.hand, legal, trick: view.trick, trump: view.trump, ranks };
}

module.exports = { ranksOf, readPosition };
