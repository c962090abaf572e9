"use strict";
/* Draws the cards: rank and suit as on the wire ("7D"), as Italian or French faces. */

const Cards = (() => {
  const INK = { H: "#b3261e", D: "#a36a00", C: "#1d6b34", S: "#1f4e79" };
  const FRENCH_INK = { H: "#b3261e", D: "#b3261e", C: "#1b1b1f", S: "#1b1b1f" };
  const FRENCH = {
    H: '<path d="M0 9C-15-2-8-12 0-5 8-12 15-2 0 9z"/>',
    D: '<path d="M0-10 7 0 0 10-7 0z"/>',
    C: '<path d="M-1 1-3 10H3L1 1z"/><circle cy="-5" r="4.6"/><circle cx="-5" cy="2" r="4.6"/>' +
      '<circle cx="5" cy="2" r="4.6"/>',
    S: '<path d="M0-11C-3-5-9-2-9 3c0 5 6 5 8 2l-2 5h6L1 5c2 3 8 3 8-2 0-5-6-8-9-14z"/>',
  };
  const ITALIAN = {
    H: '<path d="M-8-9H8C8-1 4 2 1.4 2.4V6L6 9H-6l4.6-3V2.4C-4 2-8-1-8-9z"/>' +
      '<path d="M-6.2-5H6.2" stroke="#fff" stroke-width="1.4"/>',
    D: '<circle r="9.5"/><circle r="7" fill="none" stroke="#fff" stroke-width="1.3"/>' +
      '<path d="M0-5 1.5-1.5 5 0 1.5 1.5 0 5-1.5 1.5-5 0-1.5-1.5z" fill="#fff"/>',
    C: '<g transform="rotate(28)"><rect x="-2.6" y="-11" width="5.2" height="22" rx="2.6"/>' +
      '<circle cx="3" cy="-4" r="1.8"/><circle cx="-3" cy="3" r="1.8"/></g>',
    S: '<g transform="rotate(-28)"><path d="M-1.6 4V-9L0-12 1.6-9V4z"/>' +
      '<rect x="-6" y="3.4" width="12" height="2" rx="1"/><rect x="-1.2" y="5" width="2.4" height="5"/>' +
      '<circle cy="10.6" r="1.8"/></g>',
  };
  const SIX = [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]];
  const EIGHT = [-1, -0.34, 0.34, 1].flatMap((row) => [[-1, row], [1, row]]);
  const PIPS = {
    A: [[0, 0]],
    2: [[0, -1], [0, 1]],
    3: [[0, -1], [0, 0], [0, 1]],
    4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
    5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
    6: SIX,
    7: [...SIX, [0, -0.5]],
    8: [...SIX, [0, -0.5], [0, 0.5]],
    9: [...EIGHT, [0, 0]],
    T: [...EIGHT, [0, -0.67], [0, 0.67]],
  };
  const HATS = {
    J: '<path d="M22 31q8-9 16 0z"/><path d="M37 30q7-6 5-11-6 3-7 9z"/>',
    Q: '<path d="M21 31v-7l5 4 4-6 4 6 5-4v7z"/><path d="M22 33q-3 9 1 14h-3q-5-8-1-14zM38 33q3 9-1 14h3q5-8 1-14z"/>',
    K: '<path d="M21 31V20l4.5 5L30 17l4.5 8 4.5-5v11z"/><path d="M25 41q5 10 10 0v6q-5 6-10 0z"/>',
  };
  const HORSE = '<path d="M22 66q-2-14 5-20l-3-5 5 1q10 0 13 9l-3 4-7-2q-2 6 3 13z"/>' +
    '<circle cx="32" cy="47" r="1.2" fill="#fff"/><circle cx="30" cy="29" r="6"/><path d="M23 25h14l-2-6H25z"/>' +
    '<path d="M25 36h10l2 7H23z"/>';

  const at = (inner, x, y, scale, turn = 0) =>
    `<g transform="translate(${x} ${y}) rotate(${turn}) scale(${scale})">${inner}</g>`;

  function figure(rank, italian) {
    if (rank === "Q" && italian) return HORSE;
    return HATS[rank] + '<circle cx="30" cy="37" r="6.5"/><path d="M17 70q0-22 13-22t13 22z"/>';
  }

  function inside(rank, suit, italian) {
    const pip = (italian ? ITALIAN : FRENCH)[suit];
    if (rank === "A") return at(pip, 30, 45, 2.1);
    if (PIPS[rank]) {
      const step = PIPS[rank].length > 6 ? 21 : 20;
      return PIPS[rank].map(([x, y]) =>
        at(pip, 30 + 11.5 * x, 45 + step * y, PIPS[rank].length > 7 ? 0.5 : 0.58, !italian && y > 0 ? 180 : 0)
      ).join("");
    }
    return `<g opacity=".92">${figure(rank, italian)}</g>` + at(pip, 47, 64, 0.55);
  }

  /* The inside of an <svg viewBox="0 0 60 90">; `label` is the rank as its corners have it. */
  function face(card, label, italian) {
    const [rank, suit] = card;
    const ink = (italian ? INK : FRENCH_INK)[suit];
    const pip = (italian ? ITALIAN : FRENCH)[suit];
    const corner = `<text x="7.5" y="13" font-size="12" font-weight="700" text-anchor="middle">${label}</text>` +
      at(pip, 7.5, 20, 0.36);
    return `<rect x=".75" y=".75" width="58.5" height="88.5" rx="6" fill="#fffdf8" stroke="#8a857a"/>` +
      `<g fill="${ink}">${inside(rank, suit, italian)}${corner}` +
      `<g transform="rotate(180 30 45)">${corner}</g></g>`;
  }

  const BACK = '<rect x=".75" y=".75" width="58.5" height="88.5" rx="6" fill="#fffdf8" stroke="#8a857a"/>' +
    '<rect x="5" y="5" width="50" height="80" rx="4" fill="#36506c"/>' +
    '<path d="M5 25 25 5M5 45 45 5M5 65 55 15M10 80 55 35M30 80 55 55M5 65 25 85M5 45 45 85M5 25 55 75M10 5 55 50M30 5 55 30" ' +
    'stroke="#7f9bb8" stroke-width="1.2" fill="none"/>';

  /* A two that lies covered in a blind trick: its rank is known. */
  const covered = (label) => BACK +
    `<circle cx="30" cy="45" r="11" fill="#fffdf8"/><text x="30" y="50" font-size="14" font-weight="700" text-anchor="middle" fill="#36506c">${label}</text>`;

  const small = (suit, italian) =>
    `<g fill="${(italian ? INK : FRENCH_INK)[suit]}">${at((italian ? ITALIAN : FRENCH)[suit], 12, 12, 0.95)}</g>`;

  return { face, covered, BACK, small };
})();
