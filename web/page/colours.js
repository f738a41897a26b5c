// web/page/colours.js - the page's colours as the style sheet says them, for canvases; Okabe and Ito's blue and vermilion
// for the two who race, told apart by any eye, and without colours by the ghost's dashes, dots and hollow ball; one hue from
// pale to strong for coverage, told by lightness alone.
"use strict";

const colours = {};

function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["back", "card", "ink", "soft", "line", "wall", "floor", "hero", "ghost", "drawn", "least", "most"])
    colours[name] = style.getPropertyValue("--" + name).trim();
}

// between two #rrggbb
function mix(a, b, at) {
  const part = (c, i) => parseInt(c.slice(1 + 2 * i, 3 + 2 * i), 16);
  return "rgb(" + [0, 1, 2].map((i) => Math.round(part(a, i) + at * (part(b, i) - part(a, i)))).join() + ")";
}

function setTheme(dark, remember) {
  document.documentElement.classList.toggle("dark", dark);
  if (remember) try { localStorage.setItem("bex-dark", dark ? "1" : "0"); } catch (e) { /* private windows */ }
  readColours();
}

function firstTheme() {
  let kept = null;
  try { kept = localStorage.getItem("bex-dark"); } catch (e) { /* private windows */ }
  setTheme(kept === null ? matchMedia("(prefers-color-scheme: dark)").matches : kept === "1", false);
}
