// tests/web/film.mjs - pictures for the film of the playground (tests/web/film): by the page's own clock, however long each
// takes.
//
//   node film.mjs PAGE FRAMES          FRAMES: a folder, made anew
import { mkdirSync, rmSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { PAST, finish, hover, open, pixel, until } from "./browser.mjs";

const [page_file, frames] = process.argv.slice(2);

async function film() {
  rmSync(frames, { recursive: true, force: true });
  mkdirSync(frames, { recursive: true });
  const p = await open(pathToFileURL(page_file).href, { width: 960, height: 640 });
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
  await caption("It explores; the orange copycat only imitates");
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

finish(film);
