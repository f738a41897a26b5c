// web/page/words.js - who may decide, and what the page says of it: one row each, in the engine's order (web/stage.h).
"use strict";

// futures: what a fan shows; slider: where there is none, why
const KINDS = [
  { name: "explores", note: "remembers where it has been", futures: "imagined futures (it cannot see walls)",
    says: (exp) => (exp >= 0.7 ? "It knows where it has been, and takes the future that adds most that is new."
      : exp > 0.3 ? "It knows where it has been, and takes a future that is partly new."
      : "It knows where it has been, and takes a future that stays there.") },
  { name: "forgets", note: "the same, but knows no past", futures: "imagined futures (it cannot see walls)",
    says: () => "It compares futures without the past: it may go where it has just been." },
  { name: "imitates", note: "does what it was shown", futures: "runs it might do from there; it compares none", slider: "it compares nothing",
    says: () => "It does what it was shown. So does the copycat, by other random numbers." },
  { name: "looks up", note: "copies the nearest demonstration that leads somewhere new", futures: "demonstrations it could copy", slider: "always to the new",
    says: () => "No network: it copies the demonstration near it that leads to most that is new." },
];
const EXPLORES = 0, FORGETS = 1, IMITATES = 2, LOOKS_UP = 3;

const INVITATION = "draw where the ball has been, then press Play.";

const capital = (word) => word[0].toUpperCase() + word.slice(1);
const many = (n, word) => n + " " + word + (n === 1 ? "" : "s");
const isRated = (kind) => kind !== IMITATES;
const hasSlider = (kind) => !KINDS[kind].slider;

// who lived the episodes of a log: one name, or "mixed" (an older link); `next` decides where there are none yet
function livedBy(log, next) {
  const kinds = new Set(log.filter((e) => !e.points).map((e) => e.kind));
  return kinds.size > 1 ? "mixed" : KINDS[kinds.size ? [...kinds][0] : next].name;
}
