// web/page/words.js - who may decide, and what the page says of it: one row each, in the engine's order (web/stage.h).
"use strict";

const KINDS = [
  { name: "explores", note: "remembers where it has been",
    says: (exp) => (exp >= 0.7 ? "It knows where it has been, and takes the future that adds most that is new."
      : exp > 0.3 ? "It knows where it has been, and takes a future that is partly new."
      : "It knows where it has been, and takes a future that stays there.") },
  { name: "forgets", note: "the same, but knows no past", says: () => "It compares futures without the past: it may go where it has just been." },
  { name: "imitates", note: "does what it was shown", says: () => "It does what it was shown most, every time again. It compares nothing: no slider." },
  { name: "looks up", note: "copies a demonstration", says: () => "No network: it copies the demonstration near it that leads to most that is new." },
];
const EXPLORES = 0, FORGETS = 1, IMITATES = 2, LOOKS_UP = 3;

const capital = (word) => word[0].toUpperCase() + word.slice(1);
const isRated = (kind) => kind !== IMITATES;
const hasSlider = (kind) => kind === EXPLORES || kind === FORGETS;

// who lived the episodes of a log: one name, or "mixed"; `next` decides where there are none yet
function livedBy(log, next) {
  const kinds = new Set(log.filter((e) => !e.points).map((e) => e.kind));
  return kinds.size > 1 ? "mixed" : KINDS[kinds.size ? [...kinds][0] : next].name;
}
