"use strict";
/* Shows a film (referee.viewer.record_film): a deal at a time, frame by frame. */

const Viewer = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const SPEEDS = [0.5, 1, 2, 4, 8];
  const CARD = /^[A2-9TJQK][HDCS]$/;

  const remembered = (key, usual) => {
    try { return localStorage.getItem("referee." + key) ?? usual; } catch { return usual; }
  };
  const remember = (key, value) => {
    try { localStorage.setItem("referee." + key, value); } catch { /* a file has no storage */ }
  };

  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (value === true) made.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  class FilmViewer {
    constructor(root, film, texts, language) {
      this.root = root;
      this.texts = texts;
      this.language = language;
      this.italian = remembered("faces", "italian") === "italian";
      this.hidden = false;
      this.speed = 1;
      this.timer = null;
      this.deal = 0;
      this.frame = 0;
      this.states = [];
      this.film = film;
      this.build();
      this.fromHash();
      this.turnTo(this.deal, this.frame);
      this.listen();
    }

    get t() { return this.texts[this.language]; }
    get current() { return this.film.deals[this.deal]; }
    get lastFrame() { return this.current ? this.current.frames.length - 1 : 0; }

    /* --- where we are */

    fromHash() {
      const found = new URLSearchParams(location.hash.slice(1));
      const deal = this.film.deals.findIndex((one) => one.called === found.get("deal"));
      this.deal = Math.max(deal, 0);
      this.states = [];
      this.go(Number.parseInt(found.get("act") ?? "0", 10) || 0, false);
    }

    hash() { return `#deal=${this.current.called}&act=${this.frame}`; }

    go(frame, show = true) {
      this.frame = Math.min(Math.max(frame, 0), this.lastFrame);
      if (show) this.show();
    }

    turnTo(deal, frame = 0) {
      if (deal < 0 || deal >= this.film.deals.length) return;
      this.deal = deal;
      this.states = [];
      this.select.value = String(deal);
      this.listActs();
      this.go(frame);
    }

    step(by) {
      const next = this.frame + by;
      if (next > this.lastFrame && this.deal + 1 < this.film.deals.length) this.turnTo(this.deal + 1);
      else if (next < 0 && this.deal > 0) this.turnTo(this.deal - 1, Infinity);
      else this.go(next);
    }

    /* More of a match that is under way. Who looked at its end goes on looking at its end. */
    update(film) {
      const atEnd = this.deal === this.film.deals.length - 1 && this.frame === this.lastFrame;
      const called = this.current ? this.current.called : null;
      this.film = film;
      this.tellProgress();
      this.listDeals();
      if (atEnd || called === null) this.turnTo(film.deals.length - 1, Infinity);
      else this.turnTo(Math.max(film.deals.findIndex((one) => one.called === called), 0), this.frame);
    }

    /* How far a match is that goes on; `over` is where to read what became of it. */
    tellProgress(over) {
      const { under_way: underWay, deals } = this.film;
      this.root.classList.toggle("empty", !deals.length);
      this.live.hidden = underWay === undefined;
      if (this.live.hidden) return;
      const [done, of] = underWay;
      const shown = deals.length ? "" : ` ${this.t.nothing_yet}`;
      this.live.replaceChildren(...(over
        ? [`${this.t.match_over}: `, element("a", { href: over }, this.t.result)]
        : [`${this.t.deals_over.replace("{done}", done).replace("{of}", of)}${shown}`]));
    }

    /* What lies on the table: frames say only what has changed. */
    state(frame) {
      const { frames } = this.current;
      for (let at = this.states.length; at <= frame; at += 1) {
        const before = at ? this.states[at - 1] : { hands: {}, trick: [], called: [], taken: null };
        const { deed, hands, ...changed } = frames[at];
        this.states.push({ ...before, ...changed, hands: { ...before.hands, ...hands } });
      }
      return this.states[frame];
    }

    /* --- the page around the table */

    build() {
      const button = (key, sign, act) =>
        element("button", { type: "button", "data-label": key, onclick: act }, sign);
      this.playButton = button("play", "▶", () => this.toggle());
      this.select = element("select", { "data-label": "deal", onchange: () => this.turnTo(Number(this.select.value)) });
      this.slider = element("input", { type: "range", min: 0, "data-label": "acts", oninput: () => this.go(Number(this.slider.value)) });
      this.speedSelect = element("select", { "data-label": "speed", onchange: () => { this.speed = Number(this.speedSelect.value); this.restart(); } },
        ...SPEEDS.map((speed) => element("option", { value: speed, selected: speed === 1 }, `${speed}×`)));
      this.faceSelect = element("select", { "data-label": "faces", onchange: () => this.setFaces(this.faceSelect.value === "italian") });
      this.languageSelect = element("select", { "aria-label": "language", onchange: () => this.setLanguage(this.languageSelect.value) },
        ...Object.entries(this.texts).map(([code, { language }]) => element("option", { value: code, lang: code, selected: code === this.language }, language)));
      this.hide = element("input", { type: "checkbox", onchange: () => { this.hidden = this.hide.checked; this.show(); } });
      this.hideText = element("span");
      this.linkButton = element("button", { type: "button", class: "link", onclick: () => this.copyLink() });
      this.heading = element("h2");
      this.live = element("p", { class: "live", role: "status" });
      this.stage = element("div", { class: "stage" });
      this.caption = element("p", { class: "caption", role: "status" });
      this.acts = element("ol", { class: "acts", tabindex: 0, "data-label": "acts" });
      this.outcome = element("div", { class: "outcome" });
      const sees_all = this.film.viewer === null || this.film.viewer === undefined;
      this.root.replaceChildren(
        this.heading,
        this.live,
        element("div", { class: "bar" },
          button("first", "⇤", () => this.go(0)), button("back", "←", () => this.step(-1)), this.playButton,
          button("on", "→", () => this.step(1)), button("last", "⇥", () => this.go(Infinity)),
          this.select, this.slider, this.speedSelect),
        element("div", { class: "sides" },
          element("div", { class: "board" }, this.stage, this.caption),
          element("div", { class: "aside" }, this.outcome, this.acts)),
        element("div", { class: "bar settings" }, this.faceSelect, this.languageSelect,
          sees_all ? element("label", {}, this.hide, " ", this.hideText) : null, this.linkButton));
      this.name();
    }

    /* Everything that depends on the language. */
    name() {
      this.root.lang = this.language;
      for (const one of this.root.querySelectorAll("[data-label]")) {
        const label = this.t[one.dataset.label];
        one.setAttribute("aria-label", label);
        one.title = label;
      }
      this.hideText.textContent = this.t.hide;
      this.linkButton.textContent = this.t.link;
      this.faceSelect.replaceChildren(
        element("option", { value: "italian", selected: this.italian }, this.t.italian),
        element("option", { value: "french", selected: !this.italian }, this.t.french));
      const options = this.film.options.length ? ` (${this.film.options.join(", ")})` : "";
      const viewer = this.film.viewer ? ` · ${this.t.seen_by} ${this.film.viewer}` : "";
      this.heading.textContent = `${this.film.game}${options}: ${this.film.bots.join(" – ")}${viewer}`;
      this.tellProgress();
      this.listDeals();
      this.listActs();
    }

    setFaces(italian) {
      this.italian = italian;
      remember("faces", italian ? "italian" : "french");
      this.faceSelect.value = italian ? "italian" : "french";
      this.listActs();
      this.show();
    }

    setLanguage(language) {
      this.language = language;
      remember("language", language);
      this.name();
      this.show();
    }

    copyLink() {
      if (!this.current) return;
      history.replaceState(null, "", this.hash());
      const copied = () => {
        this.linkButton.textContent = `${this.t.link}: ${this.t.copied}`;
        setTimeout(() => { this.linkButton.textContent = this.t.link; }, 1500);
      };
      if (navigator.clipboard) navigator.clipboard.writeText(location.href).then(copied, () => {});
    }

    listDeals() {
      this.select.replaceChildren(...this.film.deals.map((deal, at) =>
        element("option", { value: at, selected: at === this.deal }, `${this.t.deal} ${deal.called}`)));
    }

    listActs() {
      if (!this.current) return;
      this.acts.replaceChildren(...this.current.frames.map((frame, at) =>
        element("li", { "data-at": at },
          element("button", { type: "button", onclick: () => this.go(at) }, this.sentence(frame.deed) + this.takenText(frame.taken)),
          this.remark(frame.deed))));
    }

    remark(deed) {
      if (!deed) return null;
      const parts = [];
      if (deed.us !== undefined) parts.push(duration(deed.us));
      if (deed.eval !== undefined) parts.push(`eval ${deed.eval}`);
      if (deed.note !== undefined) parts.push(deed.note);
      return parts.length ? element("small", {}, parts.join(" · ")) : null;
    }

    /* --- words */

    seatName(seat) { return this.film.bots[this.current.bots[seat]] ?? `${seat}`; }

    rankName(rank) { return (this.italian ? this.t.italian_ranks[rank] : null) ?? this.t.ranks[rank]; }

    suitName(suit) { return (this.italian ? this.t.italian_suits : this.t.suits)[suit]; }

    corner(rank) { return (this.italian ? this.t.italian_corners[rank] : null) ?? this.t.corners[rank] ?? rank; }

    cardName(card) {
      if (!CARD.test(card)) return this.t.covered;
      return this.t.card_of.replace("{rank}", this.rankName(card[0])).replace("{suit}", this.suitName(card[1]));
    }

    actionText(action) {
      const [word, ...rest] = action.split(" ");
      const named = rest.map((part) =>
        CARD.test(part) ? this.cardName(part) : /^[HDCS]$/.test(part) ? this.suitName(part) : part);
      if (CARD.test(word)) return [this.cardName(word), ...named].join(" ");
      return [this.t.words[word] ?? word, ...named].join(" ");
    }

    sentence(deed) {
      if (!deed) return this.t.begins;
      const by = deed.referee ? ` (${this.t.referee})` : "";
      return `${this.seatName(deed.seat)}: ${this.actionText(deed.action)}${by}`;
    }

    /* --- the table */

    card(card, extra = "") {
      const svg = document.createElementNS(SVG, "svg");
      svg.setAttribute("viewBox", "0 0 60 90");
      svg.setAttribute("class", `card ${extra}`);
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", this.cardName(card));
      svg.dataset.card = card;
      if (CARD.test(card)) svg.innerHTML = Cards.face(card, this.corner(card[0]), this.italian);
      else svg.innerHTML = /^[2-7]$/.test(card) ? Cards.covered(card) : Cards.BACK;
      return svg;
    }

    suit(suit) {
      const svg = document.createElementNS(SVG, "svg");
      svg.setAttribute("viewBox", "0 0 24 24");
      svg.setAttribute("class", "suit");
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", this.suitName(suit));
      svg.innerHTML = Cards.small(suit, this.italian);
      return svg;
    }

    show() {
      if (!this.current) return;
      const state = this.state(this.frame);
      const { deed } = this.current.frames[this.frame];
      const over = this.frame === this.lastFrame;
      this.slider.max = this.lastFrame;
      this.slider.value = this.frame;
      this.caption.textContent = this.captionOf(deed, state);
      const seats = this.current.bots.length;
      const nodes = [this.middle(state, deed)];
      for (let seat = 0; seat < seats; seat += 1) nodes.push(this.seat(seat, state, deed));
      this.stage.className = `stage of-${seats}`;
      this.stage.replaceChildren(...nodes);
      this.outcome.replaceChildren(...(over ? this.outcomeOf() : []));
      for (const item of this.acts.children) {
        const here = Number(item.dataset.at) === this.frame;
        item.classList.toggle("here", here);
        if (here) this.acts.scrollTop = item.offsetTop - this.acts.clientHeight / 2;
      }
    }

    takenText(taken) {
      return taken ? ` → ${this.seatName(taken.seat)} +${taken.points}` : "";
    }

    captionOf(deed, state) {
      return this.sentence(deed) + this.takenText(state.taken);
    }

    middle(state, deed) {
      const box = element("div", { class: "middle" });
      const heap = element("div", { class: "heap" });
      if (state.turn_up) heap.append(this.card(state.turn_up, state.talon ? "turn-up" : "turn-up gone"));
      if (state.talon > 1 || (state.talon && !state.turn_up)) heap.append(this.card(state.next_card ?? "?", "talon"));
      if (heap.children.length) heap.append(element("small", {}, state.talon ? `${this.t.talon} ${state.talon}` : this.t.drawn));
      const trick = element("div", { class: "trick", role: "group", "aria-label": this.t.trick });
      for (const { seat, card } of state.trick) {
        const winner = state.taken && state.taken.seat === seat ? " winner" : "";
        const fresh = deed && deed.seat === seat ? " fresh" : "";
        trick.append(element("figure", { class: `laid${winner}${fresh}`, "data-seat": seat },
          this.card(card), element("figcaption", { title: this.seatName(seat) }, this.seatName(seat))));
      }
      const facts = element("p", { class: "facts" });
      if (state.trump) facts.append(`${this.t.trump} `, this.suit(state.trump));
      if (state.phase && state.phase !== "play") facts.append(` ${this.t.phases[state.phase] ?? state.phase}`);
      if (state.caller !== null && state.caller !== undefined) {
        facts.append(` ${this.seatName(state.caller)} ${this.t.plays_for} ${state.pledge}`);
        if (state.called.length) facts.append(` · ${this.t.called} ${state.called.map((card) => this.cardName(card)).join(", ")}`);
      }
      box.append(facts, heap, trick);
      return box;
    }

    seat(seat, state, deed) {
      const { bots, viewer, dealer, partners } = this.current;
      const place = (seat - (viewer ?? 0) + bots.length) % bots.length;
      const hand = state.hands[seat] ?? {};
      const cards = [...(hand.cards ?? [])];
      const covered = this.hidden && seat !== (viewer ?? 0);
      const held = cards.length + (hand.covered ?? 0);
      const row = element("div", { class: `hand${held > 6 ? " many" : ""}${held > 8 ? " full" : ""}` });
      for (const card of cards) row.append(this.card(covered ? "?" : card, "in-hand"));
      for (let at = 0; at < (hand.covered ?? 0); at += 1) row.append(this.card("?", "in-hand"));
      const side = partners.findIndex((one) => one.includes(seat));
      const classes = ["seat", `place-${place}`];
      if (side >= 0) classes.push(`side-${side}`);
      if (deed && deed.seat === seat) classes.push("acting");
      const said = deed && deed.seat === seat && !CARD.test(deed.action) ? element("p", { class: "said" }, this.actionText(deed.action)) : null;
      const signs = seat === dealer ? element("abbr", { title: this.t.dealer }, "●") : null;
      return element("div", { role: "group", class: classes.join(" "), "data-seat": seat, "aria-label": this.seatName(seat) },
        element("p", { class: "who" }, element("strong", {}, this.seatName(seat)), " ", signs,
          element("span", { class: "points" }, ` ${state.points[seat]} ${this.t.points}`)), row, said);
    }

    outcomeOf() {
      const { outcome, bots } = this.current;
      const rows = bots.map((_, seat) => element("tr", {},
        element("th", { scope: "row" }, this.seatName(seat)),
        element("td", {}, number(outcome.points[seat])), element("td", {}, number(outcome.scores[seat]))));
      const done = [element("p", { class: "over" }, outcome.reason === "unfinished" ? this.t.unfinished : this.t.over),
        element("table", {}, element("thead", {}, element("tr", {}, element("td"),
          element("th", { scope: "col" }, this.t.points), element("th", { scope: "col" }, this.t.score))),
        element("tbody", {}, ...rows))];
      for (const fault of outcome.faults ?? []) {
        done.push(element("p", { class: "bad" }, `${this.t.fault}: ${this.film.bots[fault.bot]}: ${fault.code} ${fault.detail}`));
      }
      const { result } = this.film;
      if (result && this.deal === this.film.deals.length - 1) {
        const who = result.winner === null ? this.t.drawn_match : `${result.winner.map((bot) => this.film.bots[bot]).join(", ")} ${this.t.wins}`;
        done.push(element("p", { class: "result" }, `${this.t.result}: ${who} (${result.scores.map(number).join(" : ")})`));
      }
      if (this.film.trouble) done.push(element("p", { class: "bad" }, this.film.trouble));
      return done;
    }

    /* --- moving on */

    toggle() {
      if (this.timer !== null) this.pause();
      else {
        const atEnd = this.frame === this.lastFrame && this.deal === this.film.deals.length - 1;
        if (atEnd) this.turnTo(0);
        this.start();
      }
    }

    start() {
      this.playButton.textContent = "❚❚";
      this.playButton.title = this.t.pause;
      this.playButton.setAttribute("aria-label", this.t.pause);
      this.timer = setInterval(() => {
        const atEnd = this.frame === this.lastFrame && this.deal === this.film.deals.length - 1;
        if (atEnd) this.pause();
        else this.step(1);
      }, 900 / this.speed);
    }

    pause() {
      clearInterval(this.timer);
      this.timer = null;
      this.playButton.textContent = "▶";
      this.playButton.title = this.t.play;
      this.playButton.setAttribute("aria-label", this.t.play);
    }

    restart() {
      if (this.timer === null) return;
      this.pause();
      this.start();
    }

    listen() {
      document.addEventListener("click", ({ target }) => { /* the same act, seen by another */
        const link = target instanceof Element && target.closest("a[data-same-act]");
        if (link && this.current) link.hash = this.hash();
      });
      window.addEventListener("hashchange", () => {
        this.fromHash();
        this.turnTo(this.deal, this.frame);
        this.root.scrollIntoView(); /* the link may stand far below */
      });
      document.addEventListener("keydown", (event) => {
        const { target, key } = event;
        const typing = target instanceof Element && target.closest("input, select, textarea, [contenteditable]");
        if (event.ctrlKey || event.metaKey || event.altKey || typing) return;
        const onButton = target instanceof Element && target.closest("button, a, summary");
        const deeds = {
          ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1),
          Home: () => this.go(0), End: () => this.go(Infinity),
          PageDown: () => this.turnTo(this.deal + 1), PageUp: () => this.turnTo(this.deal - 1),
          f: () => this.setFaces(!this.italian),
        };
        if (!onButton) deeds[" "] = () => this.toggle();
        if (!deeds[key]) return;
        event.preventDefault();
        deeds[key]();
      });
    }
  }

  function languageOf(texts) {
    const wished = [remembered("language", null), ...navigator.languages, "en"];
    return wished.filter(Boolean).map((one) => one.slice(0, 2)).find((one) => one in texts);
  }

  function number(value) { return value === undefined || value === null ? "·" : String(value).replace("-", "−"); }

  function duration(us) {
    if (us < 1000) return `${us} µs`;
    if (us < 1_000_000) return `${(us / 1000).toFixed(1)} ms`;
    if (us < 9_950_000) return `${(us / 1_000_000).toFixed(1)} s`;
    const seconds = Math.round(us / 1_000_000);
    return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  }

  /* News of a match that is played; `viewer` is null where it had just ended. */
  function follow(viewer, from, film) {
    const news = new EventSource(from);
    news.addEventListener("film", async () => {
      if (!viewer) { location.reload(); return; } // it was begun again
      const more = await film();
      if (more) viewer.update(more);
    });
    news.addEventListener("deals", ({ data }) => {
      if (!viewer) return;
      viewer.film.under_way = data.split(" ");
      viewer.tellProgress();
    });
    news.addEventListener("over", ({ data }) => {
      news.close();
      if (viewer && viewer.film.deals.length) viewer.tellProgress(data);
      else location.replace(data); // it was over before there was anything to see
    });
  }

  async function begin() {
    const root = document.getElementById("viewer");
    if (!root) return;
    const inline = (id) => { const found = document.getElementById(id); return found && JSON.parse(found.textContent); };
    const fetched = async (url) => { const answer = await fetch(url); if (!answer.ok) throw new Error(String(answer.status)); return answer.status === 204 ? null : answer.json(); };
    try {
      const texts = inline("viewer-texts") ?? await fetched(root.dataset.texts);
      const film = inline("viewer-film") ?? await fetched(root.dataset.film);
      const viewer = film && new FilmViewer(root, film, texts, languageOf(texts));
      root.dataset.ready = "yes";
      if (root.dataset.live) follow(viewer, root.dataset.live, () => fetched(root.dataset.film));
    } catch (error) {
      console.error(error);
      root.replaceChildren(element("p", { class: "bad" }, "This page could not be read."));
    }
  }

  document.addEventListener("DOMContentLoaded", begin);
  return { FilmViewer };
})();
