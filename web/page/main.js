// web/page/main.js - the page itself: buttons, keys, the pointer, and a frame sixty times a second.
"use strict";

(async function main() {
  const $ = (id) => document.getElementById(id);
  const touch = matchMedia("(hover: none)").matches;
  firstTheme();
  const assets = JSON.parse($("assets").textContent);
  const canvas = $("view"), view = makeView(canvas);
  const stats = { frames: 0, seconds: 0, slow: 0, plan: null, candidates: 0, repeated: null, bytes: document.documentElement.outerHTML.length };
  let client;
  try { client = makeClient(); } catch (e) { $("wait").textContent = "This browser cannot run it: " + e.message; return; }
  const play = makePlay(client, view), s = play.state, goals = makeGoals(client);

  let toastTimer = 0;
  function toast(text) {
    $("toast").textContent = text;
    $("toast").hidden = false;
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => { $("toast").hidden = true; }, 4500);
  }
  client.onTrouble = play.onTrouble = toast;

  // ---- what is shown ----

  function legend() {
    const who = livedBy(s.log, s.kind), futures = KINDS[s.kind].futures;
    $("legend").innerHTML = [
      '<i class="ring"></i>' + (touch ? "tap" : "point") + " anywhere: what would it do from there?",
      '<i class="drawn"></i>the past you drew',
      '<i class="demos"></i>demonstrations: paths someone drove',
      isRated(s.kind) ? futures + ': little new <i class="fan"></i> much new; bold: taken' : '<i class="runs"></i>' + futures,
      '<i class="hero"></i>' + (who === "mixed" ? "several in turn" : who) + ", with the squares it visited",
      '<i class="ghost"></i>a copycat ball that imitates, with dots',
      '<i class="start"></i>start of each episode, one run of 3 seconds',
    ].map((text) => "<li>" + text + "</li>").join("");
  }

  // the guide speaks for itself
  function say(text) { if (!guide.running) $("caption").textContent = text; }
  // what was last set, and what came of it
  const explain = () => say(KINDS[s.kind].says(s.exp));
  const invite = () => say(capital(INVITATION));
  const lived = () => play.heroCounts.length - 1;
  const result = () => say("After " + many(lived(), "episode") + ": " + many(view.heroHalves.size, "square") + " visited" +
    (play.hasGhost ? ", by the copycat " + view.ghostHalves.size : "") + ".");

  function counters() {
    const most = halvesIn(play.maze), hero = view.heroHalves.size, ghost = view.ghostHalves.size;
    $("total").textContent = most;
    $("hero-count").textContent = hero;
    $("ghost-count").textContent = ghost;
    $("hero-bar").style.width = 100 * hero / most + "%";
    $("ghost-bar").style.width = 100 * ghost / most + "%";
  }

  function measured() {
    const fps = stats.seconds > 0.5 ? Math.round(stats.frames / stats.seconds) : 0;
    $("measured").textContent = (stats.plan ? stats.candidates + " futures in " + stats.plan.toFixed(1) + " ms" : "") + (fps ? " \u00b7 " + fps + " frames/s" : "") +
      " \u00b7 " + (stats.bytes / 1e6).toFixed(1) + " MB" + (client.worker ? "" : " \u00b7 no worker here");
  }

  play.onCount = counters;
  play.onChange = () => {
    if (!play.maze) return;
    counters();
    $("hero-name").textContent = livedBy(s.log, s.kind);
    $("episodes").textContent = lived() ? ", in " + many(lived(), "episode") : "";
    $("play").innerHTML = play.playing ? "&#8214; Pause <small>stay here</small>" : "&#9654; Play <small>on and on</small>";
    $("exp-value").textContent = KINDS[s.kind].slider || Math.round(100 * s.exp) + " %";
    $("exp").value = s.exp;
    $("exp").disabled = !hasSlider(s.kind);
    document.querySelectorAll("[name=kind]").forEach((k) => { k.checked = Number(k.value) === s.kind; });
    legend();
    drawCounts($("chart"), [{ values: play.ghostCounts, colour: colours.ghost, dashed: true }, { values: play.heroCounts, colour: colours.hero }], halvesIn(play.maze));
    askFan();
  };

  // ---- futures of a place ----

  let asked = false;
  function askFan() { if (view.probe) asked = true; }
  function probe(place) {
    if (place && isWall(play.maze, cellOf(place[0]), cellOf(place[1]))) place = null;
    view.probe = place;
    if (place) askFan();
    else { view.fan = null; client.noFan(); }
  }
  // nothing pointed at: from the ball, once something was drawn
  const rest = () => probe(play.playing || !s.log.some((e) => e.points) ? null : [...play.maze.start]);
  play.onMaze = () => probe(null);
  // of the last futures, the median: what a visitor waits
  const waits = [];
  client.onFan = (f) => {
    view.fan = f;
    if (f.more || f.best < 0 || !hasSlider(s.kind)) return;
    waits.push(f.milliseconds);
    if (waits.length > 25) waits.shift();
    stats.plan = [...waits].sort((a, b) => a - b)[waits.length >> 1];
    if (waits.length > 4) measured();
  };
  const fanNow = () => client.fan({ kind: s.kind, exp: "q:" + s.exp.toFixed(2), x: view.probe[0], y: view.probe[1] });

  // ---- the pointer ----

  let down = null, stroke = null, lifted = null; // lifted: where a drawing ended; a hand that trembles there points at nothing
  const near = (a, b) => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) < 0.12;
  canvas.onpointerdown = (e) => {
    if (!play.maze || e.button) return;
    guide.stop();
    canvas.setPointerCapture(e.pointerId);
    down = view.placeAt(e);
    stroke = [down];
  };
  canvas.onpointermove = (e) => {
    if (!play.maze || guide.running) return;
    const at = view.placeAt(e);
    if (!stroke) {
      if (lifted && Math.hypot(at[0] - lifted[0], at[1] - lifted[1]) < 0.4) return;
      lifted = null;
      if (e.pointerType !== "touch") probe(at);
      return;
    }
    if (near(stroke[stroke.length - 1], at)) return;
    stroke.push(at);
    probe(null);
    view.stroke = Float32Array.from(stroke.flat());
  };
  canvas.onpointerup = async () => {
    const line = stroke, at = down;
    stroke = down = null;
    view.stroke = null;
    if (!line) return;
    lifted = null;
    if (line.length > 2) {
      lifted = line.at(-1);
      await drawPast(line);
    } else if ($("edit-walls").checked) await flip(at);
    else probe(at);
  };
  canvas.onpointercancel = () => { stroke = down = view.stroke = null; };
  // a finger that is lifted leaves, too: what it pointed at stays
  canvas.onpointerleave = (e) => { if (e.pointerType !== "touch" && !stroke && !guide.running && document.activeElement !== canvas) rest(); };

  async function flip(at) {
    await play.flip(cellOf(at[0]), cellOf(at[1]));
    explain();
  }

  async function drawPast(line) {
    const points = Float32Array.from(line.flat(), roundPlace);
    if (!await play.draw(points)) toast("That is all wall: draw where the ball can go.");
    rest();
    explain();
  }

  // ---- buttons and keys ----

  $("kinds").innerHTML = KINDS.map((k, i) => '<label><input type="radio" name="kind" value="' + i + '"><span><b>' + capital(k.name) + "</b> " + k.note + "</span></label>").join("");
  const kindInput = (k) => document.querySelector("[name=kind][value='" + k + "']");
  const page = {
    caption: $("caption"), explain, probe, setExp: (x) => { play.setExp(Math.round(100 * x) / 100); explain(); },
    setKind: (k) => {
      if (kindInput(k).disabled) return;
      if (k !== s.kind && lived()) toast("Another one decides: a new score" + (s.log.some((e) => e.points) ? ", with your drawing." : "."));
      play.setKind(k);
      if (!view.probe && !guide.running) rest();
      explain();
    },
    demonstrations: () => ($("show-demos").checked ? 120 : 0),
  };
  const guide = makeGuide(play, view, page);
  const start = (episodes, fast) => { probe(null); play.start(episodes, fast); explain(); };
  const toggle = () => { guide.stop(); if (play.playing) play.pause(); else start(Infinity, false); };
  const liveSome = () => { guide.stop(); start(5, true); };
  const clear = async () => { guide.stop(); await play.clear(); rest(); invite(); };
  const undo = async () => { await play.undo(); explain(); };
  const again = async () => { guide.stop(); await play.again(); explain(); };
  play.onPause = () => { if (lived()) result(); };
  const share = async () => {
    const link = $("goals").hidden ? await play.link() : goals.link();
    const repeats = $("goals").hidden ? "It repeats the same run, exactly." : "It repeats the same tries, exactly.";
    history.replaceState(null, "", link);
    try { await navigator.clipboard.writeText(location.href); toast("The link is in the clipboard. " + repeats); }
    catch (e) { toast("The link is in the address bar. " + repeats); }
  };
  const tab = (name) => {
    for (const t of ["maze", "goals"]) {
      $(t).hidden = t !== name;
      $("tab-" + t).setAttribute("aria-selected", t === name);
    }
    guide.stop();
    play.pause();
    $("toast").hidden = true;
    if (name === "goals") goals.open(); else { goals.shown = false; play.onChange(); }
  };
  const theme = () => { setTheme(!document.documentElement.classList.contains("dark"), true); view.changed(); play.onChange(); goals.show(); };
  $("play").onclick = toggle;
  $("live").onclick = liveSome;
  $("again").onclick = again;
  $("clear").onclick = clear;
  $("share").onclick = share;
  $("theme").onclick = theme;
  $("guide-open").onclick = () => { tab("maze"); guide.start(); };
  $("tab-maze").onclick = () => tab("maze");
  $("tab-goals").onclick = () => tab("goals");
  $("exp").oninput = () => { guide.stop(); page.setExp(Number($("exp").value)); if (!view.probe) probe([...play.maze.start]); };
  document.querySelectorAll("[name=kind]").forEach((k) => { k.onchange = () => { guide.stop(); page.setKind(Number(k.value)); }; });
  $("layout").innerHTML = Object.entries(MAZES).map(([k, m]) => '<option value="' + k + '">' + m.name + "</option>").join("");
  $("layout").onchange = async () => {
    guide.stop();
    await play.setLayout($("layout").value);
    invite();
    if ($("layout").value !== "medium") toast("Nobody showed it this maze: see what it makes of it.");
  };
  $("speed").onchange = () => { play.speed = Number($("speed").value); };
  $("show-demos").onchange = () => { view.showDemonstrations = page.demonstrations(); view.changed(); };
  $("own").onchange = async () => {
    const file = $("own").files[0];
    if (!file) return;
    try {
      await takeOwn(await file.arrayBuffer(), file.name);
      toast(file.name + " acts now.");
    } catch (e) {
      const [, reason] = /^policy in memory: ([^]*)$/.exec(e.message) || [];
      toast(reason ? file.name + " is not a policy that bex can read: " + reason : file.name + ": " + e.message);
    }
    $("own").value = ""; // the same file may be taken again
  };

  let pen = null; // a past that is drawn by keys
  function keysInMaze(e) {
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[e.key];
    if (move) {
      const from = view.probe || play.maze.start, to = [from[0] + 0.1 * move[0], from[1] + 0.1 * move[1]];
      if (isWall(play.maze, cellOf(to[0]), cellOf(to[1]))) return true;
      probe(to);
      if (pen) { pen.push(to); view.stroke = Float32Array.from(pen.flat()); }
      return true;
    }
    if (e.key !== "Enter") return false;
    const at = view.probe || play.maze.start;
    if ($("edit-walls").checked) flip(at);
    else if (!pen) pen = [[...at]];
    else { if (pen.length > 1) drawPast(pen); pen = null; view.stroke = null; }
    return true;
  }

  const keys = {
    " ": toggle, l: liveSome, u: undo, c: clear, r: again, s: share, g: () => guide.start(), d: theme,
    w: () => { $("edit-walls").checked = !$("edit-walls").checked; toast($("edit-walls").checked ? "A tap sets or clears a wall." : "Draw and hover again."); },
    "+": () => page.setExp(Math.min(1, s.exp + 0.05)), "-": () => page.setExp(Math.max(0.02, s.exp - 0.05)),
  };
  for (let k = 0; k < KINDS.length; k++) keys[k + 1] = () => page.setKind(k);
  document.onkeydown = (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || $("maze").hidden || !play.maze) return;
    if (e.target === canvas && keysInMaze(e)) { e.preventDefault(); return; }
    if (/^(select|input)$/i.test(e.target.tagName) && e.target.type !== "range" && e.target.type !== "radio") return;
    if (e.key === " " && e.target.tagName === "BUTTON") return; // a button's own
    const act = keys[e.key.toLowerCase()];
    if (!act) return;
    e.preventDefault();
    if (e.key !== "g") guide.stop();
    act();
  };

  // ---- beginning ----

  function takePolicy(p, name) {
    const about = p.settings;
    if (p.kind === EXPLORES) {
      const q = /^q:([0-9.]+)$/.exec(about.exp);
      if (q) s.exp = Math.min(1, Math.max(0.02, Number(q[1])));
    }
    $("policy-note").textContent += capital(KINDS[p.kind].name) + ": " + name + (p.coverage ? ", " + about.candidates + " futures a plan, guidance " + about.guidance : "") + ". ";
  }

  const own = new Map(); // kind: digest; a link names by them what acts
  async function takeOwn(buffer, name) {
    const bytes = new Uint8Array(buffer), policy = await client.ask("policy", { bytes });
    takePolicy(policy, name);
    s.policies = [assets.digest, ...own.set(policy.kind, digestOf(bytes)).values()].join("-");
    await play.replaced();
  }

  async function open() {
    const [wasm, demonstrations, ...policies] = await Promise.all([assets.wasm, assets.demonstrations, ...assets.policies.map((p) => p.bytes)].map(unpack));
    const a = await client.ask("open", { wasm, demonstrations, policies });
    a.policies.forEach((p, i) => takePolicy(p, assets.policies[i].name));
    s.policies = assets.digest;
    view.demonstrations = a.demonstrations;
    const kinds = new Set(a.policies.map((p) => p.kind));
    play.hasGhost = kinds.has(IMITATES);
    kindInput(EXPLORES).disabled = kindInput(FORGETS).disabled = !kinds.has(EXPLORES);
    kindInput(IMITATES).disabled = !play.hasGhost;
    await play.open();
    await servedPolicy();
  }

  // `bex serve POLICY` offers it beside the page
  async function servedPolicy() {
    if (!/^https?:$/.test(location.protocol)) return;
    const answer = await fetch("policy.safetensors").catch(() => null);
    if (!answer || !answer.ok || !/octet-stream/.test(answer.headers.get("content-type"))) return;
    await takeOwn(await answer.arrayBuffer(), "policy.safetensors");
  }

  async function fromLink() {
    let saved = null;
    try { saved = readLink(location.hash); } catch (e) { toast("This link cannot be repeated: " + e.message + "."); }
    if (!saved) return null;
    tab(saved.tab);
    if (saved.tab === "goals") {
      stats.repeated = await goals.repeat(saved);
      toast(stats.repeated ? "Repeated: the same tries, exactly." : "Repeated, but not the same tries: please report this.");
      return "goals";
    }
    $("layout").value = saved.layout;
    const same = await play.repeat(saved, (i, n) => { $("caption").textContent = "Repeating: " + (i + 1) + " of " + n; });
    stats.repeated = same;
    if (lived()) result(); else explain();
    toast(same ? (s.log.length ? "Repeated: the same run, exactly." : "Set as the link says.") : saved.policies !== s.policies ? "The link was made with other policies than this page has: what happened is not the same." : "Repeated, but not the same run: please report this.");
    return "maze";
  }

  async function measurePlan() {
    const a = await client.ask("measure", { exp: "q:" + s.exp.toFixed(2), times: 20 });
    const t = a.times.slice(5).sort((x, y) => x - y);
    stats.plan = t[t.length >> 1];
    stats.times = a.times;
    stats.candidates = a.candidates;
    measured();
  }

  let before = 0;
  function frame(now) {
    requestAnimationFrame(frame);
    const seconds = (now - before) / 1000;
    before = now;
    if ($("maze").hidden) return;
    if (asked && view.probe) { asked = false; fanNow(); }
    play.frame(seconds);
    view.draw();
    if (!play.playing || seconds > 1) return;
    stats.frames++;
    stats.seconds += seconds;
    if (seconds > 0.025) stats.slow++;
    if (stats.frames % 60 === 0) measured();
  }

  window.playground = { state: s, play, view, stats, guide, goals, client, probe, measurePlan };
  try {
    await open();
  } catch (e) { $("wait").textContent = "It does not run here: " + e.message; return; }
  $("wait").hidden = true;
  play.onChange();
  requestAnimationFrame(frame);
  addEventListener("resize", () => { view.changed(); play.onChange(); if (goals.shown) goals.show(); });
  addEventListener("hashchange", fromLink);
  const linked = await fromLink();
  await measurePlan().catch(() => {});
  window.playground.ready = true;
  let guided = null;
  try { guided = localStorage.getItem("bex-guided"); } catch (e) { /* private windows */ }
  if (!linked && !guided) guide.start();
  else if (linked !== "maze") invite();
})();
