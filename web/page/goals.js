// web/page/goals.js - the second tab: the paper's two goals, the exact explorer beside imitation.
"use strict";

function makeGoals(client) {
  const $ = (id) => document.getElementById(id);
  const goals = { p: 0.05, seed: 1, expected: 0, chance: 0.05, explorer: [], clone: [], needed: [], log: [], digest: "", shown: false };

  const percent = (x) => (x >= 0.0995 || x === 0 ? Math.round(100 * x) + " %" : (100 * x).toPrecision(2) + " %");

  async function again() {
    Object.assign(goals, await client.ask("goals", { p: goals.p, seed: goals.seed }), { explorer: [], clone: [], needed: [], log: [] });
    tell();
  }

  // after each answer: what a link repeats, and what is seen
  function tell() {
    goals.digest = digestOf(new Uint8Array(Uint32Array.from([...goals.explorer, ...goals.clone, ...goals.needed]).buffer));
    show();
  }

  function strip(id, seen) {
    $(id).innerHTML = seen.map((g, i) => "<i" + (seen.indexOf(g) === i ? ' class="new"' : "") + ">" + (g + 1) + "</i>").join("");
  }

  // tries until both were seen, 0: not yet
  const both = (seen) => { const i = seen.findIndex((g) => g !== seen[0]); return i + 1; };

  function drawPaths() {
    const [c, w, h] = fitCanvas($("goals-view")), y = [h * 0.25, h * 0.75], x = [w * 0.1, w * 0.5, w * 0.86];
    const chance = [1 - goals.chance, goals.chance], beta = [1 - goals.p, goals.p];
    c.font = "15px system-ui";
    for (let g = 0; g < 2; g++) {
      for (const [share, colour, shift, dashed] of [[beta[g], colours.ghost, 7, true], [chance[g], colours.hero, -7, false]]) {
        if (share <= 0) continue;
        c.strokeStyle = colour; c.lineWidth = 1.5 + 9 * share; c.setLineDash(dashed ? [10, 6] : []);
        c.beginPath(); c.moveTo(x[0], h / 2 + shift * (g ? 1 : 1)); c.bezierCurveTo(x[0] + w * 0.2, h / 2 + shift, x[1] - w * 0.15, y[g] + shift, x[1], y[g] + shift); c.lineTo(x[2], y[g] + shift); c.stroke();
      }
      c.setLineDash([]);
      c.textAlign = "right";
      // outside of both paths, which meet in the middle
      const [own, shown] = g ? [30, 50] : [-40, -20];
      c.fillStyle = colours.hero; c.fillText("explorer's next try: " + percent(chance[g]), x[2] - 32, y[g] + own);
      c.fillStyle = colours.ghost; c.fillText("demonstrated: " + percent(beta[g]), x[2] - 32, y[g] + shown);
      const seen = goals.explorer.includes(g);
      c.beginPath(); c.arc(x[2], y[g], 24, 0, 7); c.fillStyle = seen ? colours.hero : colours.card; c.strokeStyle = colours.ink; c.lineWidth = 2; c.fill(); c.stroke();
      c.fillStyle = seen ? colours.floor : colours.ink; c.textAlign = "center"; c.font = "bold 17px system-ui"; c.fillText(g + 1, x[2], y[g] + 6); c.font = "15px system-ui";
    }
    c.beginPath(); c.arc(x[0], h / 2, 15, 0, 7); c.fillStyle = colours.ink; c.fill();
  }

  // why the explorer's next chances are what they are
  function next() {
    const [one, two] = [0, 1].map((g) => goals.explorer.filter((seen) => seen === g).length);
    return one === two ? "Both goals were seen equally often, neither is newer: the explorer's next try is as demonstrated."
      : "Goal " + (one < two ? 1 : 2) + " was seen less often: the explorer's next try goes there, for sure.";
  }

  function show() {
    $("p-value").textContent = percent(goals.p);
    const e = both(goals.explorer), b = both(goals.clone);
    $("goals-say").textContent = !goals.explorer.length ? "One goal is shown nearly always, the other hardly ever. Who finds both first?"
      : e && !b ? "The explorer has seen both after 2 tries. Imitation is still at goal " + (goals.clone[0] + 1) + "."
      : e && b ? "Both goals: the explorer after 2 tries, imitation after " + b + "."
      : "Goal " + (goals.explorer[0] + 1) + " is seen. The explorer will now take the other path, " + percent(Math.max(goals.chance, 1 - goals.chance)) + " sure.";
    $("goals-next").textContent = next();
    strip("explorer-strip", goals.explorer);
    strip("clone-strip", goals.clone);
    const n = goals.needed.length, mean = n ? goals.needed.reduce((a, v) => a + v, 0) / n : 0;
    $("goals-result").textContent = n ? "Imitation needed " + mean.toFixed(1) + " tries on average of " + n + " races (expected: " + goals.expected.toFixed(1) + "). The explorer: 2."
      : "Imitation is expected to need " + goals.expected.toFixed(1) + " tries.";
    if (!goals.shown) return;
    drawPaths();
    drawHistogram($("goals-chart"), goals.needed, [{ at: 2, colour: colours.hero, text: "explorer: 2" }], "tries needed", "races");
  }

  goals.one = async () => {
    const a = await client.ask("goalsEpisode", {});
    goals.chance = a.chance;
    goals.explorer.push(a.explorer);
    goals.clone.push(a.clone);
    goals.log.push("o");
    tell();
  };
  goals.race = async () => {
    goals.needed.push(...(await client.ask("goalsRace", { times: 500 })).needed);
    goals.log.push("r");
    tell();
  };
  goals.link = () => writeGoalsLink(goals);
  // all of `saved` (web/page/link.js) again. True: the same tries
  goals.repeat = async (saved) => {
    goals.p = saved.p;
    goals.seed = saved.seed;
    $("p").value = Math.log10(saved.p);
    await again();
    for (const act of saved.log) await (act === "o" ? goals.one() : goals.race());
    return goals.digest === saved.digest;
  };
  goals.again = () => { goals.seed++; return again(); };
  goals.open = async () => { goals.shown = true; if (!goals.expected) await again(); show(); };
  goals.show = show;

  $("p").oninput = () => { goals.p = 10 ** Number($("p").value); again(); };
  $("goals-one").onclick = goals.one;
  $("goals-many").onclick = goals.race;
  $("goals-again").onclick = goals.again;
  return goals;
}
