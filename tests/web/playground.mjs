// tests/web/playground.mjs - the playground in Chromium, as a visitor uses it.
//
//   node playground.mjs PAGE REFERENCE DEMONSTRATIONS,POLICY,.. BEX OUT [FRAMES]
//
// PAGE playground.html; REFERENCE tests/web/reference.c; OUT a folder for screenshots; FRAMES: only this, the pictures of
// a film (tests/web/film). Prints what it finds; exit 1 at the first thing that is wrong. Nothing here depends on how
// fast the machine is: times are printed, never judged.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [page_file, reference, parts, bex, out, frames] = process.argv.slice(2);
const PATIENCE = 300_000; // of anything, milliseconds: a machine under load
const ARGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

function must(holds, what) {
  if (!holds) throw new Error(what);
  console.log("ok: " + what);
}

mkdirSync(out, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ARGS });

// a page that is ready; what goes wrong inside fails the test
async function open(address, { guided = false, width = 1280, height = 820, touch = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, hasTouch: touch, reducedMotion: "no-preference" });
  if (!guided) await context.addInitScript(() => localStorage.setItem("bex-guided", "1"));
  const p = await context.newPage();
  p.setDefaultTimeout(PATIENCE);
  p.wrong = [];
  p.on("pageerror", (e) => p.wrong.push(e.message));
  p.on("console", (m) => { if (m.type() === "error") p.wrong.push(m.text()); });
  await p.goto(address);
  await until(p, () => window.playground && window.playground.ready);
  return p;
}
const until = (p, fn, given) => p.waitForFunction(fn, given, { timeout: PATIENCE, polling: 50 });
const shot = (p, name) => p.screenshot({ path: `${out}/${name}.png` });

// the pixel of a place in the maze
async function pixel(p, [x, y]) {
  const box = await p.locator("#view").boundingBox();
  const cols = await p.evaluate(() => playground.play.maze.cols);
  return [box.x + (y + 0.7) * box.width / cols, box.y + (x + 0.7) * box.width / cols];
}

async function draw(p, places) {
  const before = await p.evaluate(() => playground.state.log.filter((e) => e.points).length);
  await p.mouse.move(...await pixel(p, places[0]));
  await p.mouse.down();
  for (const place of places.slice(1)) await p.mouse.move(...await pixel(p, place), { steps: 4 });
  await p.mouse.up();
  await until(p, (n) => playground.state.log.filter((e) => e.points).length === n + 1, before);
}

async function hover(p, place) {
  await p.evaluate(() => { playground.view.fan = null; });
  await p.mouse.move(...await pixel(p, place));
  await until(p, () => playground.view.fan && !playground.view.fan.more);
  return p.evaluate(() => {
    const f = playground.view.fan;
    return { best: f.best, values: f.futures.map((t) => t.value), ends: f.futures.map((t) => Array.from(t.path.slice(-2))) };
  });
}

const PAST = [[3, 3], [2.9, 3.9], [3.8, 3.9], [3.85, 5], [3.9, 5.75], [5, 5.8]];
const address = pathToFileURL(page_file).href;

async function explores(p) {
  await draw(p, PAST);
  must(await p.evaluate(() => playground.view.past.length === 1 && playground.state.log[0].points.length > 8), "a past was drawn with the pointer");
  const all = await hover(p, [3, 3]);
  must(all.values.length >= 8 && all.values.every(Number.isFinite), `${all.values.length} futures of a place, each with its coverage`);
  must(all.best === all.values.indexOf(Math.max(...all.values)), "exp at its most takes the future that covers most");
  await shot(p, "fan");
  await p.locator("#exp").focus();
  for (let i = 0; i < 9; i++) await p.keyboard.press("PageDown");
  await until(p, () => playground.state.exp < 0.3);
  const usual = await hover(p, [3.05, 3]);
  must(usual.values[usual.best] < Math.max(...usual.values) - 0.1, "exp at its least takes one that covers less");
  await shot(p, "fan-usual");
  await p.keyboard.press("End");
  await until(p, () => playground.state.exp === 1);
}

async function races(p) {
  await p.locator("#clear").click();
  await until(p, () => playground.state.log.length === 0);
  await p.evaluate(() => { playground.play.speed = 10; });
  await p.mouse.move(5, 5);
  await p.locator("#play").click();
  await until(p, () => playground.play.heroCounts.length > 3);
  await shot(p, "race");
  await until(p, () => playground.play.heroCounts.length > 12);
  const [hero, ghost, fps] = await p.evaluate(() => [playground.play.heroCounts[12], playground.play.ghostCounts[12], playground.stats.frames / playground.stats.seconds]);
  await p.locator("#play").click();
  await shot(p, "raced");
  must(hero > ghost + 10, `after 12 episodes the explorer has seen ${hero} half-cells, its ghost that imitates ${ghost}`);
  console.log(`measured: ${fps.toFixed(1)} frames a second while playing`);
}

async function repeats(p) {
  await draw(p, [[4, 1], [4, 2], [5, 1]]);
  await p.locator("#share").click();
  await until(p, () => location.hash.startsWith("#v1;"));
  const [link, digest, episodes] = await p.evaluate(() => [location.href, playground.state.digest, playground.state.log.length]);
  const other = await open(link);
  const [same, again, counts] = await other.evaluate(() => [playground.stats.repeated, playground.state.digest, playground.state.log.length]);
  must(same === true && again === digest && counts === episodes, `a link of ${link.length - address.length} characters repeats ${episodes} episodes bit for bit (${digest.toString(16)})`);
  await other.close();
  const wrong = await open(address + "#v1;p=x;s=1;m=medium;w=;k=0;x=1.00;l=e0,q:1.00*9999;h=0");
  must(/cannot be repeated/.test(await wrong.locator("#toast").textContent()), "a link that is no link is refused in a sentence");
  await wrong.close();
}

// the engine's fans against the native build's
async function agrees() {
  const p = await open(address), places = [[2.5, 3.25], [3, 3], [3.8, 3.9], [5, 5.75]];
  const seed = await p.evaluate(() => playground.state.seed);
  const rows = await p.evaluate(async (places) => {
    const points = Float32Array.from(places.slice(1).flat());
    await playground.play.draw(points);
    const fans = [];
    for (let kind = 0; kind < 4; kind++) {
      const done = new Promise((r) => { playground.client.onFan = (f) => { if (!f.more) r(f); }; });
      playground.client.fan({ kind, exp: "q:1", x: places[0][0], y: places[0][1] });
      const f = await done;
      fans.push({ best: f.best, futures: f.futures.map((t) => [t.value, ...t.path]) });
    }
    return fans;
  }, places);
  const told = execFileSync(reference, [...parts.split(","), "--", ...[seed, ...places.flat()].map(String)], { encoding: "utf8" }).trim().split("\n");
  const tolerance = 5e-4; // metres and units of coverage: sums in another order, without fused multiply-add
  told.forEach((line, kind) => {
    const [head, ...futures] = line.split(" ; "), best = Number(head.split(" ")[1]);
    let most = 0;
    must(futures.length === rows[kind].futures.length && best === rows[kind].best, `kind ${kind}: ${futures.length} futures, the same one taken`);
    futures.forEach((text, i) => text.split(" ").map(Number).forEach((v, k) => {
      const own = rows[kind].futures[i][k];
      if (!(Number.isNaN(v) && own === null)) most = Math.max(most, Math.abs(v - own));
    }));
    must(most <= tolerance, `kind ${kind}: page and native build differ by ${most.toExponential(1)} at most, allowed ${tolerance}`);
  });
  await p.close();
}

async function hasModes(p) {
  for (const [kind, name] of [[1, "forgets"], [2, "imitates"], [3, "looks-up"]]) {
    await p.locator("body").press(String(kind + 1));
    await until(p, (k) => playground.state.kind === k, kind);
    const f = await hover(p, [3, 3 + 0.02 * kind]);
    must(f.values.length >= 8, `${name}: ${f.values.length} futures`);
    if (kind === 2) must(f.best === -1 && f.values.every((v) => v === null), "imitation compares nothing");
    else must(f.best >= 0, `${name}: one is taken`);
    await shot(p, name);
    const before = await p.evaluate(() => playground.play.heroCounts.length);
    await p.evaluate(() => playground.play.start(1, true));
    await until(p, (n) => playground.play.heroCounts.length === n + 1, before);
  }
  await p.locator("body").press("1");
}

async function hasWalls(p) {
  await p.locator("body").press("c");
  await until(p, () => playground.state.log.length === 0);
  await p.locator("body").press("w");
  await p.mouse.click(...await pixel(p, [4, 3]));
  await until(p, () => playground.state.flipped.has("4.3"));
  must(await p.evaluate(() => playground.play.maze.walls[4 * 8 + 3] === 0 && halvesIn(playground.play.maze) === 108), "a tap takes a wall away");
  await p.mouse.click(...await pixel(p, [4, 3]));
  await until(p, () => playground.state.flipped.size === 0);
  await p.locator("body").press("w");
  await p.locator("summary").click();
  await p.locator("#layout").selectOption("large");
  await until(p, () => playground.play.maze.cols === 12);
  await hover(p, [3, 4]);
  await shot(p, "large");
  await p.locator("#layout").selectOption("medium");
  await until(p, () => playground.play.maze.cols === 8);
}

async function takesPolicies(p) {
  const [, policy] = parts.split(",");
  writeFileSync(`${out}/cut.safetensors`, readFileSync(policy).subarray(0, 4000));
  await p.locator("#own").setInputFiles(`${out}/cut.safetensors`);
  await until(p, () => !document.getElementById("toast").hidden && !/acts now/.test(document.getElementById("toast").textContent));
  console.log("refused: " + await p.locator("#toast").textContent());
  await p.locator("#own").setInputFiles(policy);
  await until(p, () => /acts now/.test(document.getElementById("toast").textContent));
  must((await hover(p, [3, 3])).values.length >= 8, "a policy of one's own acts");
}

async function works_by_keys() {
  const p = await open(address);
  await p.locator("#view").focus();
  for (const k of ["Enter", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "Enter"]) await p.keyboard.press(k);
  await until(p, () => playground.state.log.length === 1);
  await p.keyboard.press("u");
  await until(p, () => playground.state.log.length === 0);
  must(true, "keys draw a past and undo it");
  await p.keyboard.press("Space");
  must(await p.evaluate(() => playground.play.playing), "Space plays");
  await p.keyboard.press("Space");
  const dark = await p.evaluate(() => document.documentElement.classList.contains("dark"));
  await p.keyboard.press("d");
  must(await p.evaluate((d) => document.documentElement.classList.contains("dark") !== d, dark), "D turns the light");
  await draw(p, PAST);
  await hover(p, [3, 3.05]);
  await shot(p, "dark");
  must(p.wrong.length === 0, "nothing was logged as an error: " + p.wrong.join("; "));
  await p.close();
}

async function fits_a_phone() {
  const p = await open(address, { width: 390, height: 844, touch: true });
  must(await p.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "a phone shows it without scrolling sideways");
  await p.touchscreen.tap(...await pixel(p, [3, 4]));
  await until(p, () => playground.view.fan && !playground.view.fan.more);
  await shot(p, "phone");
  await p.close();
}

async function guides() {
  const p = await open(address, { guided: true });
  await until(p, () => playground.guide.running);
  await until(p, () => playground.state.log.length > 0);
  await until(p, () => playground.view.fan);
  await shot(p, "guide");
  await until(p, () => playground.play.heroCounts.length > 1);
  await until(p, () => !playground.guide.running);
  await shot(p, "guided");
  must(p.wrong.length === 0, "the guided first run ends without an error " + p.wrong.join("; "));
  await p.close();
}

async function two_goals(p) {
  await p.locator("#tab-goals").click();
  await until(p, () => playground.goals.expected > 0);
  await p.locator("#goals-one").click();
  await until(p, () => playground.goals.explorer.length === 1);
  await shot(p, "goals-first");
  await p.locator("#goals-one").click();
  await until(p, () => playground.goals.explorer.length === 2);
  const [a, b] = await p.evaluate(() => playground.goals.explorer);
  must(a !== b, "the exact explorer has both goals after two episodes");
  await p.locator("#goals-many").click();
  await until(p, () => playground.goals.needed.length === 500);
  const [mean, expected] = await p.evaluate(() => [playground.goals.needed.reduce((x, y) => x + y) / 500, playground.goals.expected]);
  must(Math.abs(expected - (1 / 0.05 + 1 / 0.95 - 1)) < 1e-6, `imitation is expected to need ${expected.toFixed(2)} episodes`);
  must(Math.abs(mean / expected - 1) < 0.25, `and needs ${mean.toFixed(1)} in 500 races`);
  await shot(p, "goals");
  await p.locator("#tab-maze").click();
}

async function is_served() {
  const server = spawn(bex, ["serve", page_file, "--policy", parts.split(",")[1], "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const at = await new Promise((done, fail) => {
      let text = "";
      server.stdout.on("data", (d) => { const m = /http:\/\/\S+/.exec(text += d); if (m) done(m[0]); });
      server.on("exit", (code) => fail(new Error(`bex serve ended with ${code}`)));
    });
    const p = await open(at);
    must(await p.evaluate(() => playground.state.policies === "served"), `bex serve shows it, with a policy of one's own, at ${at}`);
    must((await hover(p, [3, 3])).values.length >= 8, "and it acts");
    await p.close();
  } finally { server.kill(); }
}

// pictures of a race for the film: by the page's own clock, however long each takes
async function films() {
  rmSync(frames, { recursive: true, force: true });
  mkdirSync(frames, { recursive: true });
  const p = await open(address, { width: 960, height: 640 });
  let n = 0;
  const take = async (times = 1) => { for (let i = 0; i < times; i++) await p.screenshot({ path: `${frames}/${String(n++).padStart(4, "0")}.png` }); };
  const caption = (text) => p.evaluate((t) => { document.getElementById("caption").textContent = t; }, text);
  await caption("Draw where it has been\u2026");
  await p.mouse.move(...await pixel(p, PAST[0]));
  await p.mouse.down();
  for (const place of PAST.slice(1)) for (let i = 0; i < 3; i++) { await p.mouse.move(...await pixel(p, place), { steps: 3 }); await take(); }
  await p.mouse.up();
  await until(p, () => playground.state.log.length === 1);
  await caption("\u2026and it goes elsewhere: the bold future covers most");
  for (const y of [3.0, 2.9, 2.8, 2.7, 2.6, 2.7, 2.8, 2.9, 3.0]) { await hover(p, [3, y]); await p.waitForTimeout(60); await take(2); }
  await caption("It explores; the orange ghost only imitates");
  await p.mouse.move(5, 300);
  await p.evaluate(() => { playground.probe(null); const f = playground.play.frame; playground.play.frame = () => {}; window.turn = f; playground.play.start(5, false); });
  while (await p.evaluate(() => playground.play.heroCounts.length) <= 5) {
    const moved = await p.evaluate(() => { playground.play.speed = 10; const at = playground.view.hero ? playground.view.hero.at : -1; turn(0.025); return !playground.view.hero || playground.view.hero.at !== at; });
    if (!moved || !(await p.evaluate(() => !!playground.view.hero))) { await p.waitForTimeout(20); continue; }
    await p.waitForTimeout(40);
    await take();
  }
  await take(12);
  console.log(`film: ${n} pictures in ${frames}`);
  await p.close();
}

async function everything() {
  must(statSync(page_file).size < 3e6, `the page has ${(statSync(page_file).size / 1e6).toFixed(2)} MB, less than 3`);
  const p = await open(address);
  const [plan, n, worker] = await p.evaluate(() => [playground.stats.plan, playground.stats.candidates, playground.client.worker]);
  console.log(`measured: a plan with ${n} candidates in ${plan.toFixed(1)} ms${worker ? "" : ", without a worker"}`);
  await explores(p);
  await races(p);
  await p.evaluate(() => playground.measurePlan());
  console.log(`measured: ${(await p.evaluate(() => playground.stats.plan)).toFixed(1)} ms, warm`);
  await repeats(p);
  await hasModes(p);
  await hasWalls(p);
  await takesPolicies(p);
  await two_goals(p);
  must(p.wrong.length === 0, "nothing was logged as an error " + p.wrong.join("; "));
  await p.close();
  await agrees();
  await works_by_keys();
  await fits_a_phone();
  await guides();
  await is_served();
}

let code = 0;
try {
  await (frames ? films() : everything());
  console.log("all is well");
} catch (e) {
  console.log("FAILED: " + e.message + "\n" + e.stack);
  code = 1;
}
await browser.close();
process.exit(code);
