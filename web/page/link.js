// web/page/link.js - all that was done, as the fragment of the page's address, and back.
//
//   #v1;p=POLICIES;s=SEED;m=LAYOUT;w=r.c,r.c;k=KIND;x=EXP;l=LOG;h=DIGEST       the maze
//   #g1;p=P;s=SEED;l=o3r1o2;h=DIGEST                                         two goals: o a try each, r 500 races
//
// LOG, in order: d and the points of a drawn line, two digits of base 64 a coordinate, 1/128 m each; e, the kind and exp
// of an episode, *n for n alike. Drawn points are rounded so when they are drawn: what is repeated is what was seen.
"use strict";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const GRID = 128;

const roundPlace = (x) => Math.min(4095, Math.max(0, Math.round((x + 1) * GRID))) / GRID - 1;

function writePlace(x) {
  const n = Math.round((x + 1) * GRID);
  return DIGITS[n >> 6] + DIGITS[n & 63];
}

function readPlaces(text) {
  if (text.length % 4) throw new Error("a drawn past is cut off");
  return Float32Array.from({ length: text.length / 2 }, (_, i) => {
    const n = DIGITS.indexOf(text[2 * i]) * 64 + DIGITS.indexOf(text[2 * i + 1]);
    if (n < 0) throw new Error("a drawn past has a digit that is none");
    return n / GRID - 1;
  });
}

// FNV-1a, as the engine's digest of a past
function digestOf(bytes) {
  let digest = 2166136261;
  for (const b of bytes) digest = Math.imul(digest ^ b, 16777619);
  return (digest >>> 0).toString(16);
}

function writeLog(log) {
  const out = [];
  for (let i = 0; i < log.length;) {
    if (log[i].points) { out.push("d" + Array.from(log[i].points, writePlace).join("")); i++; continue; }
    let n = 1;
    while (i + n < log.length && !log[i + n].points && log[i + n].kind === log[i].kind && log[i + n].exp === log[i].exp) n++;
    out.push("e" + log[i].kind + "," + log[i].exp + "*" + n);
    i += n;
  }
  return out.join("~");
}

function readLog(text) {
  const log = [];
  for (const item of text ? text.split("~") : []) {
    const e = /^e([0-3]),(q:[0-9.]+)\*([0-9]{1,3})$/.exec(item);
    if (item[0] === "d") log.push({ points: readPlaces(item.slice(1)) });
    else if (e) for (let n = 0; n < +e[3]; n++) log.push({ kind: +e[1], exp: e[2] });
    else throw new Error("'" + item.slice(0, 12) + "' is no part of a past");
  }
  if (log.length > 400) throw new Error("more than 400 episodes");
  return log;
}

function writeLink(s) {
  const parts = { p: s.policies, s: s.seed, m: s.layout, w: [...s.flipped].join(","), k: s.kind, x: s.exp.toFixed(2), l: writeLog(s.log), h: s.digest.toString(16) };
  return "#v1;" + Object.entries(parts).map(([k, v]) => k + "=" + v).join(";");
}

// `log` of letters, alike ones counted: ["o","o","r"] is o2r1
const writeTries = (log) => log.join("").replace(/(.)\1*/g, (run, letter) => letter + run.length);

function writeGoalsLink(g) {
  return "#g1;p=" + g.p + ";s=" + g.seed + ";l=" + writeTries(g.log) + ";h=" + g.digest;
}

function readGoals(v) {
  const p = Number(v.p), seed = Number(v.s);
  if (!(p > 0 && p <= 0.5) || !Number.isInteger(seed) || seed < 0 || seed > 4294967295) throw new Error("a number is out of range");
  if (!/^([or][0-9]{1,3})*$/.test(v.l || "")) throw new Error("its tries are not readable");
  const log = (v.l || "").replace(/([or])([0-9]+)/g, (_, letter, n) => letter.repeat(n)).split("");
  if (log.length > 400) throw new Error("more than 400 tries");
  return { tab: "goals", p, seed, log, digest: v.h };
}

// what a link says, or null for none; throws with what is wrong
function readLink(hash) {
  if (!hash || hash === "#") return null;
  const parts = hash.slice(1).split(";"), version = parts.shift();
  if (version !== "v1" && version !== "g1") throw new Error("it is of another version of this page");
  const v = Object.fromEntries(parts.map((p) => [p[0], decodeURIComponent(p.slice(2))]));
  if (version === "g1") return readGoals(v);
  const layout = v.m, seed = Number(v.s), kind = Number(v.k), exp = Number(v.x);
  if (!MAZES[layout]) throw new Error("there is no maze '" + layout + "'");
  if (!Number.isInteger(seed) || seed < 0 || seed > 4294967295 || !(kind >= 0 && kind <= 3) || !(exp >= 0.02 && exp <= 1)) throw new Error("a number is out of range");
  const flipped = new Set(v.w ? v.w.split(",") : []), plain = layMaze(layout, []);
  for (const cell of flipped)
    if (!/^\d+\.\d+$/.test(cell) || !mayFlip(plain, ...cell.split(".").map(Number))) throw new Error("'" + cell + "' is no cell");
  return { tab: "maze", policies: v.p, seed, layout, flipped, kind, exp, log: readLog(v.l), digest: parseInt(v.h, 16) };
}
