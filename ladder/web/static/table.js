"use strict";
/* Draws the cards that stand in a page as text; without this they can be read all the same. */
document.addEventListener("DOMContentLoaded", () => {
  const SUITS = { H: "hearts", D: "diamonds", C: "clubs", S: "spades" };
  const RANKS = { A: "ace", K: "king", Q: "queen", J: "jack", T: "10" };

  function draw() {
    for (const place of document.querySelectorAll("[data-card]")) {
      const card = place.dataset.card;
      if (place.dataset.drawn === card || !/^([A-Z2-9]?)[HDCS]$/.test(card)) continue;
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      const suit = SUITS[card.slice(-1)];
      const name = card.length === 1 ? suit : `${RANKS[card[0]] || card[0]} of ${suit}`;
      svg.setAttribute("viewBox", card.length === 1 ? "0 0 24 24" : "0 0 60 90");
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", name);
      svg.classList.add(card.length === 1 ? "suit" : "face");
      const label = card[0] === "T" ? "10" : card[0];
      svg.innerHTML = card.length === 1 ? Cards.small(card, false) : Cards.face(card, label, false);
      place.replaceChildren(svg);
      place.dataset.drawn = card;
    }
  }
  draw();
  new MutationObserver(draw).observe(document.body, { childList: true, subtree: true, characterData: true });
});
