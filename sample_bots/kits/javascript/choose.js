// The decision. Change this file.

"use strict";

// So many points must lie on the table before a trump is spent on them.
const WORTH_A_TRUMP = 4;

// Card points: the five ranks that have some are the highest, but for a low three.
function points(card, ranks) {
  const scoring = ranks.startsWith("AK") ? "A3KQJ" : ranks;
  return [11, 10, 4, 3, 2][scoring.indexOf(card[0])] ?? 0;
}

// How many ranks are below it.
function height(card, ranks) {
  return ranks.length - ranks.indexOf(card[0]);
}

// Whether a later card takes the trick; a covered two has no suit yet.
function beats(card, best, trump, ranks) {
  if (card[1] !== best[1]) return card[1] === trump;
  return height(card, ranks) > height(best, ranks);
}

// The decision: one of `legal`.
function choose({ hand, legal, trick, trump, ranks }) {
  // What a card is worth in the hand: trumps take later tricks. Then the height counts.
  const cost = (card) =>
    100 * (points(card, ranks) + (card[1] === trump ? 5 : 0)) + height(card, ranks);
  const cheapest = (cards) => cards.reduce((a, b) => (cost(b) < cost(a) ? b : a));
  const dearest = (cards) => cards.reduce((a, b) => (cost(b) > cost(a) ? b : a));

  const cards = legal.filter((action) => hand.includes(action));
  // An auction, a call: the first is always allowed, and passes where it may.
  if (cards.length === 0) return legal[0];
  if (trick.length > 0) {
    const best = trick.reduce((a, b) => (beats(b, a, trump, ranks) ? b : a));
    const takers = cards.filter((card) => beats(card, best, trump, ranks));
    const plain = takers.filter((card) => card[1] !== trump);
    if (plain.length > 0) return dearest(plain);
    const table = trick.reduce((sum, card) => sum + points(card, ranks), 0);
    if (takers.length > 0 && table >= WORTH_A_TRUMP) return cheapest(takers);
  }
  return cheapest(cards);
}

module.exports = { choose };
