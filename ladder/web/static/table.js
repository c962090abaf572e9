"use strict";
/* Draws the cards that stand in a page as text, and names them as it draws them; without this they
   can be read all the same. */
document.addEventListener("DOMContentLoaded", () => {
  /* as the viewer remembers it */
  const kept = () => { try { return localStorage.getItem("referee.faces"); } catch { return null; } };
  const italian = (kept() ?? "italian") === "italian";

  function draw() {
    for (const place of document.querySelectorAll("span[data-card]")) {
      const { card, italian: name, french } = place.dataset;
      if (place.dataset.drawn === card || !/^([A-Z2-9]?)[HDCS]$/.test(card)) continue;
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      svg.setAttribute("viewBox", card.length === 1 ? "0 0 24 24" : "0 0 60 90");
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", italian ? name : french);
      svg.classList.add(card.length === 1 ? "suit" : "face");
      const label = place.dataset.corners.split(" ")[italian ? 0 : 1];
      svg.innerHTML = card.length === 1 ? Cards.small(card, italian) : Cards.face(card, label, italian);
      place.replaceChildren(svg);
      place.dataset.drawn = card;
    }
    if (italian) return;
    for (const place of document.querySelectorAll("[data-french]:not([data-card])")) {
      if (place.textContent !== place.dataset.french) place.textContent = place.dataset.french;
    }
  }
  draw();
  /* who plays by the keyboard stays at the cards */
  let atCards = false;
  document.addEventListener("htmx:before:request", ({ target }) => { atCards = target.matches("form.hand") && target.contains(document.activeElement); });
  const stay = () => {
    const card = document.querySelector("form.hand button");
    if (!atCards || !card || document.activeElement !== document.body) return;
    card.focus();
    atCards = false;
  };
  /* what is refused is told by the page as it is now: a match that is over, a table that is gone */
  document.addEventListener("htmx:response:error", ({ target }) => { if (target.closest("main")) location.reload(); });
  document.addEventListener("click", ({ target }) => {
    const place = document.getElementById(target.dataset?.copies);
    if (!place) return;
    place.select();
    navigator.clipboard?.writeText(place.value).then(() => { target.textContent += " ✓"; }, () => {});
  });
  /* what shows a match again was not there when the page came */
  document.addEventListener("over", () => location.reload());
  new MutationObserver(() => { draw(); stay(); }).observe(document.body, { childList: true, subtree: true, characterData: true });
});
