// tests/web/playground.mjs - the playground in Chromium, as a visitor uses it.
//
//   node playground.mjs PAGE REFERENCE DEMONSTRATIONS,POLICY,.. BEX OUT
//
// PAGE playground.html; REFERENCE tests/web/reference.c; OUT a folder for screenshots. Prints what it finds; exit 1 at the
// first thing that is wrong. Nothing here depends on how fast the machine is: times are printed, never judged
// (tests/web/measure.mjs measures).
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { PAST, draw, finish, hover, open, pixel, until } from "./browser.mjs";

const [page_file, reference, parts, bex, out] = process.argv.slice(2);
const address = pathToFileURL(page_file).href;
mkdirSync(out, { recursive: true });

function must(holds, what) {
  if (!holds) throw new Error(what);
  console.log("ok: " + what);
}

const shot = (p, name) => p.screenshot({ path: `${out}/${name}.png` });

const caption = (p) => p.locator("#caption").textContent();
const toast = (p) => p.locator("#toast").textContent();
const scrolls = (p) => p.evaluate(() => document.documentElement.scrollHeight > innerHeight);

async function apart(p, one, other) {
  const [a, b] = await Promise.all([one, other].map((at) => p.locator(at).boundingBox()));
  return a.y + a.height <= b.y || b.y + b.height <= a.y || a.x + a.width <= b.x || b.x + b.width <= a.x;
}

// nothing wider than what it is in
const fits = (p) => p.evaluate(() => [document.documentElement, ...document.querySelectorAll("header, .panel, .buttons, .kinds")].every((e) => e.scrollWidth <= e.clientWidth));

async function explores(p) {
  await draw(p, PAST);
  must(await p.evaluate(() => playground.view.past.length === 1 && playground.state.log[0].points.length > 8), "a past was drawn with the pointer");
  await until(p, () => playground.view.fan && !playground.view.fan.more);
  must(await p.evaluate(() => String(playground.view.probe) === String(playground.play.maze.start)), "and at once the futures of the ball are there");
  await shot(p, "drawn");
  const all = await hover(p, [3, 3]);
  must(all.values.length >= 8 && all.values.every(Number.isFinite), `${all.values.length} futures of a place, each with its coverage`);
  must(all.best === all.values.indexOf(Math.max(...all.values)), "exp at its most takes the future that covers most");
  await shot(p, "fan");
  await p.locator("#exp").focus();
  for (let i = 0; i < 9; i++) await p.keyboard.press("PageDown");
  await until(p, () => playground.state.exp < 0.3);
  const usual = await hover(p, [3.05, 3]);
  must(usual.values[usual.best] < Math.max(...usual.values) - 0.1, "exp at its least takes one that covers less");
  must(/stays there/.test(await caption(p)), "and the page says so");
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
  must(await fits(p), "all of it fits while playing");
  must(await caption(p) === await p.evaluate(() => KINDS[0].says(1)), `while it plays: "${await caption(p)}"`);
  await until(p, () => playground.play.heroCounts.length > 3);
  await shot(p, "race");
  await until(p, () => playground.play.heroCounts.length > 12);
  const [hero, ghost, fps] = await p.evaluate(() => [playground.play.heroCounts[12], playground.play.ghostCounts[12], playground.stats.frames / playground.stats.seconds]);
  await p.locator("#play").click();
  await shot(p, "raced");
  const said = await p.evaluate(() => [playground.play.heroCounts.length - 1, playground.view.heroHalves.size, playground.view.ghostHalves.size]);
  must(String((await caption(p)).match(/[0-9]+/g)) === String(said), `afterwards: "${await caption(p)}"`);
  must(hero > ghost + 10, `after 12 episodes the explorer has seen ${hero} half-cells, its ghost that imitates ${ghost}`);
  console.log(`measured: ${fps.toFixed(1)} frames a second while playing`);
}

async function repeats(p) {
  await draw(p, [[4, 1], [4, 2], [5, 1]]);
  await p.locator("#share").click();
  await until(p, () => location.hash.startsWith("#v1;"));
  await until(p, () => !document.getElementById("toast").hidden);
  must(await apart(p, "#toast", ".board") && await apart(p, "#toast", "#legend") && await apart(p, "#toast", "#maze .panel"), "the message covers nothing");
  const [link, digest, episodes] = await p.evaluate(() => [location.href, playground.state.digest, playground.state.log.length]);
  const other = await open(link);
  const [same, again, counts] = await other.evaluate(() => [playground.stats.repeated, playground.state.digest, playground.state.log.length]);
  must(same === true && again === digest && counts === episodes, `a link of ${link.length - address.length} characters repeats ${episodes} episodes bit for bit (${digest.toString(16)})`);
  await other.close();
  const wrong = await open(address + "#v1;p=x;s=1;m=medium;w=;k=0;x=1.00;l=e0,q:1.00*9999;h=0");
  must(/cannot be repeated/.test(await toast(wrong)), "a link that is no link is refused in a sentence");
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
    await p.evaluate(() => playground.play.start(1, true));
    await until(p, () => playground.play.heroCounts.length > 1 && !playground.play.playing);
    await p.locator("body").press(String(kind + 1));
    // the engine forgets first, then what was drawn is drawn again
    await until(p, (k) => playground.state.kind === k && playground.play.heroCounts.length === 1 && playground.state.log.length > 0, kind);
    must(await p.evaluate(() => playground.state.log.every((e) => e.points)), `${name}: a new score, with what was drawn`);
    must(await p.locator("#hero-count").textContent() === "0" && await p.locator("#hero-name").textContent() === name.replace("-", " "), "named after who decides");
    const f = await hover(p, [3, 3 + 0.02 * kind]);
    must(f.values.length >= 8, `${name}: ${f.values.length} futures`);
    must(await caption(p) === await p.evaluate((k) => KINDS[k].says(1), kind), `"${await caption(p)}"`);
    if (kind === 2) must(f.best === -1 && f.values.every((v) => v === null), "imitation compares nothing");
    else must(f.best >= 0, `${name}: one is taken`);
    must(!await scrolls(p), "all of it on one screen");
    await shot(p, name);
  }
  const older = await open(address + "#v1;p=x;s=1;m=medium;w=;k=0;x=1.00;l=e0,q:1.00*1~e2,q:1.00*1;h=0");
  must(await older.locator("#hero-name").textContent() === "mixed", "a link with episodes of several shows them as mixed");
  await older.close();
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
  await p.locator("#more summary").click();
  await p.locator("#layout").selectOption("large");
  await until(p, () => playground.play.maze.cols === 12);
  await hover(p, [3, 4]);
  await shot(p, "large");
  must(await p.evaluate(() => !!playground.view.fan), "a fan in the large maze");
  await p.locator("#layout").selectOption("medium");
  await until(p, () => playground.play.maze.cols === 8);
  must(await p.evaluate(() => !playground.view.fan && !playground.view.probe), "another maze takes the fan away");
}

async function takesPolicies(p) {
  const [, policy] = parts.split(","), whole = readFileSync(policy);
  const wrong = { "cut.safetensors": whole.subarray(0, 4000), "picture.safetensors": readFileSync(`${out}/fan.png`), "empty.safetensors": Buffer.alloc(0) };
  for (const [name, bytes] of Object.entries(wrong)) {
    writeFileSync(`${out}/${name}`, bytes);
    await p.locator("#own").setInputFiles(`${out}/${name}`);
    await until(p, (n) => document.getElementById("toast").textContent.startsWith(n + " is not a policy that bex can read: "), name);
    console.log("refused: " + await toast(p));
  }
  must((await hover(p, [3, 3.02])).values.length >= 8, "what acted before still does");
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

// looked at, not judged: the pictures are of a race with a past and a fan
async function is_seen_by_other_eyes(p) {
  const eyes = await p.context().newCDPSession(p);
  for (const type of ["deuteranopia", "protanopia", "tritanopia", "achromatopsia", "none"]) {
    await eyes.send("Emulation.setEmulatedVisionDeficiency", { type });
    if (type !== "none") await shot(p, type);
  }
}

async function fits_a_phone() {
  const p = await open(address, { width: 390, height: 844, touch: true });
  must(await fits(p), "a phone shows it without scrolling sideways");
  const slider = await p.locator("#exp").boundingBox(), buttons = await p.locator("#play").boundingBox();
  must(slider.y + slider.height <= buttons.y, "maze, counters, slider and buttons are on its first screen");
  await p.touchscreen.tap(...await pixel(p, [3, 4]));
  await until(p, () => playground.view.fan && !playground.view.fan.more);
  await shot(p, "phone");
  const theme = await p.locator("#theme").boundingBox(), title = await p.locator("h1").boundingBox();
  must(theme.y < title.y + title.height && title.y < theme.y + theme.height, "light or dark stands beside the title");
  await p.locator("#play").click();
  const moved = await p.locator("#play").boundingBox();
  must(["x", "y", "width", "height"].every((k) => moved[k] === buttons[k]), "Pause is where Play was");
  await p.locator("#play").click();
  await p.locator("#share").click();
  await until(p, () => !document.getElementById("toast").hidden);
  must(await apart(p, "#toast", ".board") && await apart(p, "#toast", ".slider"), "a message covers neither maze nor slider");
  await p.locator("#tab-goals").click();
  await until(p, () => playground.goals.expected > 0);
  await p.locator("#goals-one").click();
  await until(p, () => playground.goals.explorer.length === 1);
  must(await fits(p), "two goals fit a phone");
  await p.screenshot({ path: `${out}/phone-goals.png`, fullPage: true });
  await p.locator("#tab-maze").click();
  await p.touchscreen.tap(...await pixel(p, [3, 4]));
  await until(p, () => playground.view.fan);
  await p.locator("#guide-open").click();
  await until(p, () => playground.guide.running);
  must(await p.evaluate(() => !playground.view.fan && !playground.view.probe), "the film begins without a fan");
  await p.evaluate(() => { playground.play.start(1, false); playground.guide.stop(); });
  must(await caption(p) === await p.evaluate(() => KINDS[0].says(1)), "ended while it plays, it says what plays");
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
  must(/^Your turn: /.test(await caption(p)) && await p.evaluate(() => !playground.play.playing), `the film over: "${await caption(p)}"`);
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
  for (let n = 2; n < 6; n++) {
    const [next, chance, counts] = await p.evaluate(() => [document.getElementById("goals-next").textContent, playground.goals.chance, [0, 1].map((g) => playground.goals.explorer.filter((seen) => seen === g).length)]);
    must(counts[0] === counts[1] ? /equally often/.test(next) && Math.abs(chance - 0.05) < 1e-9 : /for sure/.test(next) && chance === (counts[1] < counts[0] ? 1 : 0), `seen ${counts}: "${next}"`);
    await p.locator("#goals-one").click();
    await until(p, (k) => playground.goals.explorer.length === k + 1, n);
    must(await p.locator("#explorer-strip i").count() === n + 1, "and each try is shown");
  }
  await p.locator("#goals-many").click();
  await until(p, () => playground.goals.needed.length === 500);
  const [mean, expected] = await p.evaluate(() => [playground.goals.needed.reduce((x, y) => x + y) / 500, playground.goals.expected]);
  must(Math.abs(expected - (1 / 0.05 + 1 / 0.95 - 1)) < 1e-6, `imitation is expected to need ${expected.toFixed(2)} episodes`);
  must(Math.abs(mean / expected - 1) < 0.25, `and needs ${mean.toFixed(1)} in 500 races`);
  must(!await scrolls(p), "two goals on one screen");
  await shot(p, "goals");
  await p.locator("#share").click();
  await until(p, () => location.hash.startsWith("#g1;"));
  const tries = (q) => q.evaluate(() => JSON.stringify([playground.goals.p, playground.goals.explorer, playground.goals.clone, playground.goals.needed]));
  const other = await open(await p.evaluate(() => location.href));
  must(await other.locator("#goals").isVisible() && !await other.locator("#maze").isVisible(), "a link of two goals opens them");
  must(await tries(other) === await tries(p) && await other.evaluate(() => playground.stats.repeated) === true, `and repeats the tries: "${await toast(other)}"`);
  await other.close();
  const changed = await open((await p.evaluate(() => location.href)).replace(";s=1;", ";s=2;"));
  must(await changed.evaluate(() => playground.stats.repeated) === false && /not the same/.test(await toast(changed)), "a changed link is told from it");
  await changed.close();
  const wrong = await open(address + "#g1;p=0.9;s=1;l=o1;h=0");
  must(/cannot be repeated/.test(await toast(wrong)), "one that is no link is refused");
  await wrong.close();
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
    must(await p.evaluate(() => /-[0-9a-f]+$/.test(playground.state.policies)), `bex serve shows it, with a policy of one's own, at ${at}`);
    must((await hover(p, [3, 3])).values.length >= 8, "and it acts");
    await p.close();
  } finally { server.kill(); }
}

async function everything() {
  must(statSync(page_file).size < 3e6, `the page has ${(statSync(page_file).size / 1e6).toFixed(2)} MB, less than 3`);
  const p = await open(address);
  must(await fits(p) && !await scrolls(p), "all of it fits a window of 1280 x 800");
  const [plan, n, worker] = await p.evaluate(() => [playground.stats.plan, playground.stats.candidates, playground.client.worker]);
  console.log(`measured: a plan with ${n} candidates in ${plan.toFixed(1)} ms${worker ? "" : ", without a worker"}`);
  await explores(p);
  await races(p);
  await p.evaluate(() => playground.measurePlan());
  console.log(`measured: ${(await p.evaluate(() => playground.stats.plan)).toFixed(1)} ms, warm`);
  await hover(p, [3, 3]);
  await is_seen_by_other_eyes(p);
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

finish(async () => {
  await everything();
  console.log("all is well");
});
