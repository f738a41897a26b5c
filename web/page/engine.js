// web/page/engine.js - runs beside the page, in a worker: the WebAssembly module and what it is asked for.
//
//   in    {id, ask: "open" | "policy" | "set" | "draw" | "forget" | "live" | "goals" .., ...}
//   out   {id, ...answer} or {id, error};  {event: "fan", ...} whenever a newer one than was last sent is ready
//
// One question after the other; futures of a place (ask "fan", no answer) come first, between the pieces of an
// episode, and only the newest place counts. A piece is one plan of the hero and one of the ghost.
"use strict";

function startEngine(post) {
  const HERO = 0, GHOST = 1, IMITATES = 2, PIECE = 8, TEXT = 192;
  let m, episodes = 0;
  let hero = "", ghost = -1, fanKey = "", wanted = null, growing = null;
  const questions = [];

  const check = (code) => {
    if (code < 0) throw new Error(m.UTF8ToString(m._pg_error()));
    return code;
  };
  // fn(address) with bytes put there for the time of the call
  const lend = (bytes, fn) => {
    const at = m._malloc(bytes.byteLength || 1);
    m.HEAPU8.set(new Uint8Array(bytes.buffer || bytes, bytes.byteOffset || 0, bytes.byteLength), at);
    try { return fn(at); } finally { m._free(at); }
  };
  const text = (s, fn) => lend(new TextEncoder().encode(s + "\0"), fn);
  const floats = (at, n) => new Float32Array(m.HEAPU8.buffer, at, n);
  // x, y of states (n, 4)
  const places = (at, n) => {
    const all = floats(at, 4 * n), xy = new Float32Array(2 * n);
    for (let i = 0; i < n; i++) { xy[2 * i] = all[4 * i]; xy[2 * i + 1] = all[4 * i + 1]; }
    return xy;
  };
  // whatever sets the stage closes walkers and fan, also where it fails: this comes before
  const forgetAll = () => { hero = ""; ghost = -1; fanKey = ""; growing = null; };

  const settings = (kind) => {
    const out = {};
    const at = m._malloc(TEXT);
    for (const key of ["exp", "guidance", "candidates", "denoising_steps", "commit"])
      out[key] = text(key, (k) => (m._pg_setting(kind, k, at) < 0 ? "" : m.UTF8ToString(at)));
    m._free(at);
    return out;
  };

  const takePolicy = (bytes) => {
    forgetAll();
    const kind = check(lend(bytes, (at) => m._pg_policy(at, bytes.byteLength)));
    return { kind, coverage: !!m._pg_has_coverage(kind), settings: settings(kind) };
  };

  // ---- futures of a place ----

  const sendFan = (ask, more) => {
    const futures = [], n = m._pg_fan_count();
    for (let i = 0; i < n; i++) {
      const value = m._pg_fan_value(i);
      futures.push({ value: Number.isNaN(value) ? null : value, path: floats(m._pg_fan_path(i), 2 * m._pg_fan_points(i)).slice() });
    }
    post({ event: "fan", number: ask.number, x: ask.x, y: ask.y, best: m._pg_fan_best(), futures, more, milliseconds: ask.took });
  };

  const openFan = (ask) => {
    const key = [ask.kind, ask.exp, episodes].join();
    if (key === fanKey) return;
    fanKey = "";
    check(text(ask.exp, (e) => m._pg_fan_open(ask.kind, e)));
    fanKey = key;
  };

  const spread = (ask) => {
    growing = null;
    try {
      openFan(ask);
      const begin = performance.now();
      const more = check(m._pg_fan_spread(ask.x, ask.y));
      ask.took = performance.now() - begin;
      if (more) growing = ask; else sendFan(ask, false);
    } catch (e) { post({ event: "trouble", text: e.message }); }
  };

  const grow = () => {
    const ask = growing, until = performance.now() + 25;
    let more = 1;
    try {
      while (more && performance.now() < until) more = check(m._pg_fan_grow());
      if (!more) growing = null;
      sendFan(ask, !!more);
    } catch (e) { growing = null; post({ event: "trouble", text: e.message }); }
  };

  // ---- what is asked for ----

  async function live(q) {
    const key = [q.kind, q.exp, episodes].join();
    if (key !== hero) { hero = ""; check(text(q.exp, (e) => m._pg_walker(HERO, q.kind, e, episodes, 1))); }
    const race = q.ghost;
    if (race && ghost !== episodes) check(text("", (e) => m._pg_walker(GHOST, IMITATES, e, episodes, 0)));
    hero = ""; ghost = -1;
    check(m._pg_begin(HERO));
    if (race) check(m._pg_begin(GHOST));
    let slowest = 0, plans = [];
    for (let more = 1; more > 0;) {
      const begin = performance.now();
      more = check(m._pg_run(HERO, PIECE));
      if (more) plans.push(performance.now() - begin);
      if (race) more += check(m._pg_run(GHOST, PIECE));
      await pause();
    }
    const out = { hero: places(m._pg_states(HERO), m._pg_steps(HERO) + 1), ghost: race ? places(m._pg_states(GHOST), m._pg_steps(GHOST) + 1) : null };
    check(m._pg_end(HERO, 1));
    if (race) { check(m._pg_end(GHOST, 0)); ghost = episodes + 1; }
    episodes++;
    hero = [q.kind, q.exp, episodes].join();
    out.digest = m._pg_digest() >>> 0;
    out.plans = plans;
    return out;
  }

  const answers = {
    async open(q) {
      m = await makePlayground({ wasmBinary: q.wasm });
      check(lend(q.demonstrations, (at) => m._pg_demonstrations(at, q.demonstrations.byteLength)));
      const policies = q.policies.map(takePolicy), rows = m._pg_demonstration_rows(), demonstrations = [];
      for (let e = 0, at; (at = m._pg_demonstration(e)); e++) demonstrations.push(places(at, rows));
      return { policies, demonstrations };
    },
    policy: (q) => takePolicy(q.bytes),
    set(q) {
      forgetAll();
      check(lend(q.walls, (at) => m._pg_maze(at, q.rows, q.cols, q.start[0], q.start[1])));
      m._pg_seed(q.seed);
      return {};
    },
    draw(q) {
      const rows = check(lend(q.points, (at) => m._pg_draw(at, q.points.length / 2)));
      if (!rows) return { rows };
      return { rows, xy: places(m._pg_past_states(episodes++), rows), digest: m._pg_digest() >>> 0 };
    },
    forget(q) {
      m._pg_forget(q.keep);
      episodes = Math.min(episodes, q.keep);
      forgetAll();
      return { digest: m._pg_digest() >>> 0 };
    },
    live,
    // the median time of a whole plan with candidates, milliseconds
    measure(q) {
      const times = [];
      fanKey = "";
      openFan({ kind: 0, exp: q.exp });
      for (let i = 0; i < q.times; i++) {
        const begin = performance.now();
        check(m._pg_fan_spread(3 + i * 1e-3, 3));
        times.push(performance.now() - begin);
      }
      return { times, candidates: m._pg_fan_count() };
    },
    goals(q) { check(m._pg_goals(q.p, q.seed)); return { expected: m._pg_goals_expected(), chance: m._pg_goals_chance() }; },
    goalsEpisode() { return { explorer: m._pg_goals_explore(), clone: m._pg_goals_clone(), chance: m._pg_goals_chance() }; },
    // how many episodes imitation needs for both goals, so many times
    goalsRace(q) {
      const needed = [];
      for (let i = 0; i < q.times; i++) {
        const first = m._pg_goals_clone();
        let n = 2;
        while (m._pg_goals_clone() === first) n++;
        needed.push(n);
      }
      return { needed };
    },
  };

  // ---- one thing after the other ----

  const channel = new MessageChannel();
  let wake = null, running = false;
  channel.port1.onmessage = () => { const w = wake; wake = null; if (w) w(); };
  const breathe = () => new Promise((done) => { wake = done; channel.port2.postMessage(0); });
  // lets messages in; the newest place first
  async function pause() {
    await breathe();
    if (wanted) { const ask = wanted; wanted = null; spread(ask); }
  }

  async function run() {
    if (running) return;
    running = true;
    while (wanted || growing || questions.length) {
      await pause();
      if (questions.length) {
        const q = questions.shift();
        try { post({ id: q.id, ...(await answers[q.ask](q)) }); }
        catch (e) { post({ id: q.id, error: e.message || String(e) }); }
      } else if (growing) grow();
    }
    running = false;
  }

  return (q) => {
    if (q.ask === "fan") wanted = q.number ? q : null;
    else questions.push(q);
    if (q.ask === "fan" && !q.number) growing = null;
    run();
  };
}
