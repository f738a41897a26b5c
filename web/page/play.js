// web/page/play.js - what happens: the log of all that was drawn and lived, episodes that race the ghost, counters.
//
//   log      what a link repeats, in the engine's order; `items` are the same as pictures, one for each
//   ahead    the episode after the one on the screen, made while that one is watched; dropped when anything changes
//
// What changes the engine's past goes through `serial`: one thing after the other.
"use strict";

const STEPS_PER_SECOND = 100;

function makePlay(client, view) {
  const s = { seed: 3, layout: "medium", flipped: new Set(), kind: 0, exp: 1, log: [], digest: 0, policies: "" };
  const play = { state: s, items: [], maze: null, playing: false, speed: 3, onChange: () => {}, onPause: () => {}, onMaze: () => {}, heroCounts: [0], ghostCounts: [0], plans: [] };
  let ahead = null, runner = null, remaining = 0, hurry = false, chain = Promise.resolve();

  const serial = (work) => { const done = chain.then(work); chain = done.catch(() => {}); return done; };
  const expText = () => "q:" + s.exp.toFixed(2);

  // ---- counters ----

  function visit(halves, xy, from, to) {
    const before = halves.size;
    for (let i = from; i < to; i++) {
      const h = halfAt(play.maze, xy[2 * i], xy[2 * i + 1]);
      if (h >= 0) halves.add(h);
    }
    if (halves.size !== before) view.changed();
  }

  function recount() {
    view.heroHalves.clear();
    view.ghostHalves.clear();
    play.heroCounts = [0];
    play.ghostCounts = [0];
    for (const item of play.items) if (!item.drawn && !item.running) count(item);
    show();
  }

  function count(item) {
    visit(view.heroHalves, item.xy, 0, item.xy.length / 2);
    if (item.ghost) visit(view.ghostHalves, item.ghost, 0, item.ghost.length / 2);
    play.heroCounts.push(view.heroHalves.size);
    play.ghostCounts.push(view.ghostHalves.size);
  }

  function show() {
    view.past = play.items.filter((i) => !i.running);
    view.changed();
    play.onChange();
  }

  // ---- the engine's past ----

  async function live() {
    const entry = { kind: s.kind, exp: expText() };
    const a = await client.ask("live", { ...entry, ghost: play.hasGhost });
    s.log.push(entry);
    s.digest = a.digest;
    play.plans.push(...a.plans);
    return { xy: a.hero, ghost: a.ghost, kind: entry.kind };
  }

  async function drop() {
    if (!ahead) return;
    const item = await ahead.promise.catch(() => null);
    ahead = null;
    if (!item) return;
    s.log.pop();
    s.digest = (await client.ask("forget", { keep: s.log.length })).digest;
  }

  function prepare() {
    ahead = { item: null };
    ahead.promise = serial(live);
    const mine = ahead;
    ahead.promise.then((item) => { mine.item = item; }, (e) => { ahead = null; play.pause(); play.onTrouble(e.message); });
  }

  // `work` on the engine with nothing made ahead; `ahead` itself waits in the chain, so this must not be in it yet
  const change = (work) => {
    const dropped = ahead;
    return serial(async () => {
      if (dropped && dropped === ahead) await drop();
      return work();
    });
  };

  // false: all of it lies in walls
  async function draw(points) {
    const a = await client.ask("draw", { points });
    if (!a.rows) return false;
    s.log.push({ points });
    s.digest = a.digest;
    play.items.push({ drawn: true, xy: a.xy });
    return true;
  }

  play.draw = (points) => change(async () => {
    const drawn = await draw(points);
    show();
    return drawn;
  });

  async function forget(keep) {
    s.digest = (await client.ask("forget", { keep })).digest;
    s.log.length = keep;
    play.items.length = keep;
    runner = null;
    view.hero = view.ghost = null;
    recount();
  }

  play.undo = () => change(() => (s.log.length ? forget(s.log.length - 1) : null));
  play.clear = () => { play.pause(); return change(() => forget(0)); };

  async function redraw() {
    const lines = s.log.filter((e) => e.points).map((e) => e.points);
    await forget(0);
    for (const points of lines) await draw(points);
    recount();
  }
  play.again = () => { play.pause(); return change(redraw); };

  async function lay() {
    play.maze = view.maze = layMaze(s.layout, s.flipped);
    play.onMaze();
    const m = play.maze;
    await client.ask("set", { walls: m.walls, rows: m.rows, cols: m.cols, start: m.start, seed: s.seed });
  }

  // another maze: nothing of the past is in it; another wall: what was drawn stays
  play.setLayout = (layout) => { play.pause(); return change(async () => { s.layout = layout; s.flipped.clear(); await forget(0); await lay(); recount(); }); };
  play.flip = (r, c) => {
    if (!mayFlip(play.maze, r, c)) return null;
    play.pause();
    return change(async () => {
      const cell = r + "." + c;
      if (!s.flipped.delete(cell)) s.flipped.add(cell);
      await lay();
      await redraw();
    });
  };
  // a score is of one who decides: another starts anew, with what was drawn
  play.setKind = (kind) => {
    const other = kind !== s.kind;
    s.kind = kind;
    change(() => (other && s.log.some((e) => !e.points) ? redraw() : null));
    play.onChange();
  };
  play.setExp = (exp) => { s.exp = exp; change(() => null); play.onChange(); };
  play.replaced = () => change(async () => { await lay(); await redraw(); });

  // all of `saved` (web/page/link.js), lived again; tells each episode. True: the same bits
  play.repeat = (saved, tell) => change(async () => {
    Object.assign(s, { seed: saved.seed, layout: saved.layout, flipped: saved.flipped, log: [] });
    await lay();
    await forget(0);
    for (const [i, entry] of saved.log.entries()) {
      tell(i, saved.log.length);
      if (entry.points) {
        await draw(entry.points);
      } else {
        s.kind = entry.kind;
        s.exp = Number(entry.exp.slice(2));
        const item = await live();
        play.items.push(item);
        count(item);
      }
      show();
    }
    s.kind = saved.kind;
    s.exp = saved.exp;
    show();
    return s.digest === saved.digest;
  });

  // ---- time ----

  play.start = (episodes, fast) => {
    remaining = episodes;
    hurry = fast;
    play.playing = true;
    play.onChange();
  };
  play.pause = () => {
    const played = play.playing;
    play.playing = false;
    play.onChange();
    if (played) play.onPause();
  };

  function begin(item) {
    runner = { item, hero: { xy: item.xy, at: 0 }, ghost: item.ghost ? { xy: item.ghost, at: 0 } : null };
    item.running = true;
    play.items.push(item);
    view.hero = runner.hero;
    view.ghost = runner.ghost;
  }

  function advance(steps) {
    const r = runner, last = r.item.xy.length / 2 - 1, from = Math.floor(r.hero.at);
    r.hero.at = Math.min(last, r.hero.at + steps);
    if (r.ghost) r.ghost.at = r.hero.at;
    const to = Math.floor(r.hero.at) + 1;
    visit(view.heroHalves, r.item.xy, from, to);
    if (r.item.ghost) visit(view.ghostHalves, r.item.ghost, from, to);
    if (r.hero.at < last) return;
    r.item.running = false;
    runner = null;
    count(r.item);
    remaining--;
    show();
    if (remaining <= 0) play.pause();
  }

  // a frame, `seconds` after the one before
  play.frame = (seconds) => {
    if (!play.playing) return;
    if (!ahead && (runner ? remaining > 1 : true)) prepare();
    if (!runner && ahead && ahead.item) {
      begin(ahead.item);
      ahead = null;
      if (remaining > 1) prepare();
    }
    if (!runner) return;
    advance(Math.min(seconds, 0.1) * STEPS_PER_SECOND * (hurry ? Math.max(10, play.speed) : play.speed));
    play.onCount();
  };

  play.open = () => serial(lay);
  play.link = () => change(() => writeLink(s));
  return play;
}
