"use strict";
/* Draws a rating over time in place of the page's own picture, and tells what it was after the match
   under the pointer, or at which the arrow keys are. A page that changes keeps it, since what is
   drawn is no part of what the page has: each match that counts is fetched and drawn. */
const STYLE = document.currentScript.dataset.style;
const HEIGHT = 190;
const DAY = 86400;
/* Seconds between marks on the axis of time: no moment is told twice. */
const BETWEEN = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10800, 21600, 43200, ...[1, 2, 4, 7, 14, 28, 56, 112, 224].map((days) => days * DAY)];

const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(Math.round(value))}`;
const moment = (ms) => `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;

const told = (point) => {
  const between = point.low === null ? "" : ` (${signed(point.low)} to ${signed(point.high)})`;
  return `${signed(point.rating)}${between} after match ${point.match}, version ${point.version}, ${moment(point.at_ms)}`;
};

/* Where the line breaks off, since another version goes on, there is a place of no point. */
const columns = (points) => {
  const places = [];
  let at = -Infinity;
  points.forEach((point, index) => {
    at = Math.max(at, point.at_ms / 1000);
    if (index > 0 && points[index - 1].version !== point.version) { places.push({ at, point: null }); }
    places.push({ at, point });
  });
  const of = (name) => places.map(({ point }) => (point === null ? null : point[name] ?? point.rating));
  return { places, data: [places.map((place) => place.at), of("low"), of("high"), of("rating")] };
};

/* A version that has just begun has a band ten times as wide as the line will ever need. */
const heights = (points) => {
  const last = points.at(-1);
  const shown = [0, last.low ?? 0, last.high ?? 0, ...points.map((point) => point.rating)];
  const [low, high] = [Math.min(...shown), Math.max(...shown)];
  const room = Math.max(high - low, 10) * 0.08;
  return [low - room, high + room];
};

class RatingPlot extends HTMLElement {
  static observedAttributes = ["data-matches"];

  connectedCallback() { this.load(); }

  attributeChangedCallback(_, before) { if (before !== null) { this.load(); } }

  disconnectedCallback() { this.watch?.disconnect(); }

  async load() {
    const asked = this.asked = this.dataset.matches;
    let ratings;
    try { ({ ratings } = await (await fetch(this.dataset.from)).json()); } catch { return; }
    const found = ratings?.find((rating) => rating.pool === this.dataset.pool);
    if (!found?.points.length || asked !== this.asked) { return; }
    const read = this.at < this.places?.length - 1 ? this.places[this.at].point.match : 0;
    this.points = found.points;
    Object.assign(this, columns(found.points));
    if (this.plot) { this.plot.setData(this.data); } else { this.begin(); }
    const place = this.places.findIndex(({ point }) => point?.match === read);
    this.go(place < 0 ? this.places.length - 1 : place);
  }

  begin() {
    const inside = this.attachShadow({ mode: "open" });
    const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: STYLE });
    const drawn = Object.assign(document.createElement("div"), { className: "drawn", tabIndex: 0 });
    drawn.setAttribute("role", "group");
    drawn.setAttribute("aria-label", this.dataset.told);
    drawn.addEventListener("keydown", (event) => this.key(event));
    this.line = Object.assign(document.createElement("p"), { className: "told" });
    this.line.setAttribute("role", "status");
    inside.append(style, drawn, this.line);
    this.plot = new uPlot(this.options(), this.data, drawn);
    this.watch = new ResizeObserver(() => this.plot.setSize({ width: this.clientWidth, height: HEIGHT }));
    this.watch.observe(this);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.plot.redraw());
  }

  options() {
    const color = (name) => () => getComputedStyle(this).getPropertyValue(name).trim();
    const axis = { stroke: color("--quiet"), grid: { stroke: color("--line"), width: 1 }, ticks: { show: false } };
    const edge = { stroke: "transparent", points: { show: false } };
    return {
      width: this.clientWidth,
      height: HEIGHT,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      scales: { y: { range: () => heights(this.points) } },
      axes: [
        { ...axis, incrs: BETWEEN, space: 80, values: [
          [DAY, "{YYYY}-{MM}-{DD}", null, null, null, null, null, null, 1],
          [60, "{HH}:{mm}", "\n{YYYY}-{MM}-{DD}", null, "\n{YYYY}-{MM}-{DD}", null, null, null, 1],
          [1, "{HH}:{mm}:{ss}", "\n{YYYY}-{MM}-{DD}", null, "\n{YYYY}-{MM}-{DD}", null, null, null, 1],
        ] },
        { ...axis, size: 56, values: (_, ticks) => ticks.map((tick) => (tick ? signed(tick) : "0")) },
      ],
      series: [{}, edge, edge, { stroke: color("--accent"), width: 2, points: { size: 5, fill: color("--accent") } }],
      bands: [{ series: [2, 1], fill: () => `${color("--accent")()}2e` }],
      hooks: { setCursor: [({ cursor }) => this.tell(cursor.idx)] },
    };
  }

  tell(place) {
    const point = this.places[place ?? this.places.length - 1]?.point;
    if (point) { this.line.textContent = told(point); }
  }

  /* Many matches may have ended in one second, so the place is told by us, and not by the pointer. */
  go(place) {
    this.at = place;
    this.plot.setCursor({ left: this.plot.valToPos(this.data[0][place], "x"), top: 0 }, false);
    this.tell(place);
  }

  key(event) {
    const last = this.places.length - 1;
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: last }[event.key];
    if (to === undefined) { return; }
    event.preventDefault();
    const step = event.key === "ArrowLeft" ? -1 : 1;
    const place = Math.min(Math.max(to, 0), last);
    this.go(this.places[place].point === null ? place + step : place);
  }
}

customElements.define("rating-plot", RatingPlot);
