// web/page/guide.js - the first run: twenty seconds that show what everything is, without a word to read twice. Any touch
// or key ends it.
"use strict";

// a past that goes where many demonstrations go: down the right of the medium maze
const GUIDE_STROKE = [[3, 3], [2.85, 3.85], [3.8, 3.9], [3.85, 5], [3.9, 5.75], [5, 5.8], [5.8, 5.7], [5.8, 4.9]];

function makeGuide(play, view, page) {
  const guide = { running: false };
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const say = (text) => { page.caption.textContent = text; };

  // fn(0..1) for so long; false once the guide was ended
  const during = (seconds, fn) => new Promise((done) => {
    const begin = performance.now();
    const turn = () => {
      const at = Math.min(1, (performance.now() - begin) / 1000 / seconds);
      if (!guide.running) return done(false);
      if (fn) fn(still ? 1 : at);
      if (at < 1) requestAnimationFrame(turn); else done(true);
    };
    turn();
  });

  const along = (points, at) => {
    const i = Math.min(points.length - 2, Math.floor(at * (points.length - 1))), t = at * (points.length - 1) - i;
    return [0, 1].map((k) => points[i][k] + t * (points[i + 1][k] - points[i][k]));
  };

  // at most so many seconds: a slow machine gets the time it needs
  async function until(holds, seconds) {
    const begin = performance.now();
    while (guide.running && !holds() && performance.now() - begin < 1000 * seconds) await during(0.1);
  }

  async function show() {
    say("The ball was shown demonstrations: paths someone drove beforehand.");
    if (!await during(3.5, (at) => { view.showDemonstrations = Math.ceil(at * 60); view.changed(); })) return;
    say("This is where it has been since.");
    const drawn = [];
    if (!await during(3, (at) => {
      while (drawn.length < 1 + Math.floor(at * 40)) drawn.push(along(GUIDE_STROKE, drawn.length / 40));
      view.stroke = Float32Array.from(drawn.flat());
    })) return;
    view.stroke = null;
    view.showDemonstrations = 0;
    await play.draw(Float32Array.from(GUIDE_STROKE.flat(), roundPlace));
    say("It imagines futures, and takes the one furthest from where it has been.");
    const around = [[3, 3], [2.6, 3.4], [3.2, 4], [3, 3]];
    page.probe([3, 3]);
    await until(() => view.fan, 10);
    if (!await during(3.5, (at) => page.probe(along(around, at)))) return;
    say("The slider: stay with the known, or go somewhere new?");
    if (!await during(4.5, (at) => { page.setExp(Math.max(0.02, 1 - 0.96 * Math.sin(Math.PI * at))); page.probe([3, 3]); })) return;
    page.setExp(1);
    page.probe(null);
    say("Off it goes. The orange copycat only does what it was shown.");
    play.start(3, false);
    await until(() => !play.playing, 20);
  }

  guide.start = async () => {
    if (guide.running) return;
    page.probe(null);
    await play.clear();
    if (play.state.layout !== "medium" || play.state.flipped.size) await play.setLayout("medium");
    page.setKind(0);
    page.setExp(1);
    guide.running = true;
    await show();
    guide.stop();
  };
  guide.stop = () => {
    if (!guide.running) return;
    guide.running = false;
    view.stroke = null;
    page.probe(null);
    view.showDemonstrations = page.demonstrations();
    view.changed();
    if (play.playing) page.explain(); else say("Your turn: " + INVITATION);
    try { localStorage.setItem("bex-guided", "1"); } catch (e) { /* private windows */ }
  };
  return guide;
}
