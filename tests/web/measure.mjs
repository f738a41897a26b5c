// tests/web/measure.mjs - how fast the playground is on this machine, which should do nothing else meanwhile: the time of a
// plan with all its candidates, first as the browser compiles in haste and then for good, and the frames of a race.
//
//   node measure.mjs PAGE [SECONDS]    a window of a desk, and one of a phone at three pixels a point
import { pathToFileURL } from "node:url";
import { finish, open } from "./browser.mjs";

const [page_file, seconds = "12"] = process.argv.slice(2);

function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}

async function plans(p) {
  return p.evaluate(async () => (await playground.client.ask("measure", { exp: "q:1.00", times: 300 })).times);
}

// times between frames, and what the page itself computed and drew in each
async function race(p) {
  await p.evaluate(() => {
    const gaps = window.gaps = [], work = window.work = [], { play, view } = playground;
    let before = performance.now(), began = 0;
    const turn = (now) => { gaps.push(now - before); before = now; requestAnimationFrame(turn); };
    const frame = play.frame, draw = view.draw;
    play.frame = (s) => { began = performance.now(); frame(s); };
    view.draw = () => { draw(); work.push(performance.now() - began); };
    play.start(Infinity, false);
    requestAnimationFrame(turn);
  });
  await p.waitForTimeout(1000 * Number(seconds));
  return p.evaluate(() => ({ gaps: gaps.slice(1), work, episodes: playground.play.heroCounts.length - 1 }));
}

async function measure() {
  for (const [name, options] of [["desk", {}], ["phone", { width: 390, height: 844, touch: true, scale: 3 }]]) {
    const p = await open(pathToFileURL(page_file).href, options), t = await plans(p), r = await race(p);
    const rate = 1000 * r.gaps.length / r.gaps.reduce((a, x) => a + x, 0), late = r.gaps.filter((x) => x > 25).length;
    console.log(`${name}: a plan with ${await p.evaluate(() => playground.stats.candidates)} candidates ${quantile(t.slice(0, 50), 0.5).toFixed(2)} ms at first, ${quantile(t.slice(100), 0.5).toFixed(2)} ms once compiled, 95 of 100 then within ${quantile(t.slice(100), 0.95).toFixed(2)} ms; ` +
      `${rate.toFixed(1)} frames a second, ${late} of ${r.gaps.length} late, the page's own work ${quantile(r.work, 0.5).toFixed(2)} ms of a frame, ${quantile(r.work, 0.99).toFixed(2)} at the 99th percentile; ${r.episodes} episodes`);
    await p.context().close();
  }
}

finish(measure);
