// tests/web/browser.mjs - Chromium, headless, with the playground open in it, and what a visitor's hand does.
import { chromium } from "playwright-core";

const PATIENCE = 300_000; // of anything, milliseconds: a machine under load
const ARGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ARGS });

export const until = (p, fn, given) => p.waitForFunction(fn, given, { timeout: PATIENCE, polling: 50 });

// a page that is ready; `wrong` gathers what goes wrong inside
export async function open(address, { guided = false, width = 1280, height = 800, touch = false, scale = 1, dark = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, hasTouch: touch, deviceScaleFactor: scale, colorScheme: dark ? "dark" : "light", reducedMotion: "no-preference" });
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

// the pixel of a place in the maze
export async function pixel(p, [x, y]) {
  const box = await p.locator("#view").boundingBox();
  const cols = await p.evaluate(() => playground.play.maze.cols);
  return [box.x + (y + 0.7) * box.width / cols, box.y + (x + 0.7) * box.width / cols];
}

export async function draw(p, places) {
  const before = await p.evaluate(() => playground.state.log.filter((e) => e.points).length);
  await p.mouse.move(...await pixel(p, places[0]));
  await p.mouse.down();
  for (const place of places.slice(1)) await p.mouse.move(...await pixel(p, place), { steps: 4 });
  await p.mouse.up();
  await until(p, (n) => playground.state.log.filter((e) => e.points).length === n + 1, before);
}

export async function hover(p, place) {
  await p.evaluate(() => { playground.view.fan = null; });
  await p.mouse.move(...await pixel(p, place));
  await until(p, () => playground.view.fan && !playground.view.fan.more);
  return p.evaluate(() => {
    const f = playground.view.fan;
    return { best: f.best, values: f.futures.map((t) => t.value), ends: f.futures.map((t) => Array.from(t.path.slice(-2))) };
  });
}

// a past down the right of the medium maze
export const PAST = [[3, 3], [2.9, 3.9], [3.8, 3.9], [3.85, 5], [3.9, 5.75], [5, 5.8]];

// main(), and the exit code
export async function finish(main) {
  let code = 0;
  try {
    await main();
  } catch (e) {
    console.log("FAILED: " + e.message + "\n" + e.stack);
    code = 1;
  }
  await browser.close();
  process.exit(code);
}
