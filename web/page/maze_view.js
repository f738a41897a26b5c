// web/page/maze_view.js - draws the maze: half-cells visited, the demonstrations, the past as ink that fades, the running
// episode of the hero and of the ghost, and the fan. What stays is kept as a picture, so that a frame is cheap.
"use strict";

function makeView(canvas) {
  const view = { maze: null, demonstrations: null, showDemonstrations: 0, past: [], heroHalves: new Set(), ghostHalves: new Set(), fan: null, probe: null, stroke: null, hero: null, ghost: null };
  const still = document.createElement("canvas");
  let stale = true, size = 1, scale = 1;

  view.changed = () => { stale = true; };
  // pixels of a place and back
  const px = (y) => (y + 0.7) * size, py = (x) => (x + 0.7) * size;
  view.placeAt = (event) => {
    const box = canvas.getBoundingClientRect();
    return [(event.clientY - box.top) / size - 0.7, (event.clientX - box.left) / size - 0.7];
  };

  function line(c, xy, from, to) {
    c.beginPath();
    for (let i = from; i < to; i++) {
      // a drawn past has gaps where walls are
      const gap = i > from && Math.abs(xy[2 * i] - xy[2 * i - 2]) + Math.abs(xy[2 * i + 1] - xy[2 * i - 1]) > 0.5;
      if (gap) c.moveTo(px(xy[2 * i + 1]), py(xy[2 * i])); else c.lineTo(px(xy[2 * i + 1]), py(xy[2 * i]));
    }
    c.stroke();
  }

  function resize() {
    scale = devicePixelRatio || 1;
    canvas.style.aspectRatio = view.maze.cols + " / " + view.maze.rows;
    const w = canvas.clientWidth;
    size = w / view.maze.cols;
    const W = Math.round(w * scale), H = Math.round(size * view.maze.rows * scale);
    if (canvas.width === W && canvas.height === H) return;
    canvas.width = still.width = W;
    canvas.height = still.height = H;
    stale = true;
  }

  function drawHalves(c) {
    const half = size / 2, row = 2 * view.maze.cols;
    c.globalAlpha = 0.2;
    c.fillStyle = colours.hero;
    for (const h of view.heroHalves) c.fillRect((h % row) * half + 0.5, Math.floor(h / row) * half + 0.5, half - 1, half - 1);
    c.globalAlpha = 0.75;
    c.fillStyle = colours.ghost;
    for (const h of view.ghostHalves) {
      c.beginPath();
      c.arc((h % row) * half + half * 0.16, Math.floor(h / row) * half + half * 0.16, Math.max(1.5, half * 0.06), 0, 7);
      c.fill();
    }
    c.globalAlpha = 1;
  }

  function drawStill() {
    const c = still.getContext("2d"), maze = view.maze;
    c.setTransform(scale, 0, 0, scale, 0, 0);
    c.fillStyle = colours.wall;
    c.fillRect(0, 0, still.width, still.height);
    c.fillStyle = colours.floor;
    for (let r = 0; r < maze.rows; r++)
      for (let k = 0; k < maze.cols; k++)
        if (!isWall(maze, r, k)) c.fillRect(k * size - 0.5, r * size - 0.5, size + 1, size + 1);
    drawHalves(c);
    c.lineJoin = c.lineCap = "round";
    if (view.showDemonstrations) {
      c.strokeStyle = colours.soft; c.lineWidth = 1; c.globalAlpha = 0.22;
      view.demonstrations.slice(0, view.showDemonstrations).forEach((xy) => line(c, xy, 0, xy.length / 2));
    }
    view.past.forEach((e, i) => {
      c.globalAlpha = Math.max(0.16, 0.8 - 0.09 * (view.past.length - 1 - i));
      c.strokeStyle = e.drawn ? colours.drawn : colours.hero;
      c.lineWidth = e.drawn ? size * 0.075 : size * 0.035;
      line(c, e.xy, 0, e.xy.length / 2);
    });
    c.globalAlpha = 1;
    c.strokeStyle = colours.soft; c.lineWidth = 1.5;
    c.setLineDash([3, 3]);
    c.beginPath(); c.arc(px(maze.start[1]), py(maze.start[0]), size * 0.2, 0, 7); c.stroke();
    c.setLineDash([]);
    stale = false;
  }

  function drawFuture(c, path, colour, width) {
    const n = path.length / 2;
    c.strokeStyle = colour; c.lineWidth = width;
    c.beginPath();
    c.moveTo(px(path[1]), py(path[0]));
    // through the middles of its pieces: a smooth line
    for (let i = 1; i < n - 1; i++)
      c.quadraticCurveTo(px(path[2 * i + 1]), py(path[2 * i]), px((path[2 * i + 1] + path[2 * i + 3]) / 2), py((path[2 * i] + path[2 * i + 2]) / 2));
    c.lineTo(px(path[2 * n - 1]), py(path[2 * n - 2]));
    c.stroke();
  }

  function drawFan(c) {
    const f = view.fan.futures, values = f.map((t) => t.value).filter((v) => v !== null);
    const low = Math.min(...values), high = Math.max(...values), thin = Math.max(1.5, size * 0.03);
    const colourOf = (t) => (t.value === null ? colours.ghost : mix(colours.least, colours.most, high > low ? (t.value - low) / (high - low) : 1));
    const order = f.map((_, i) => i).sort((a, b) => f[a].value - f[b].value);
    for (const i of order) {
      if (f[i].path.length < 4 || i === view.fan.best) continue;
      drawFuture(c, f[i].path, colourOf(f[i]), thin);
      c.fillStyle = colourOf(f[i]);
      c.beginPath(); c.arc(px(f[i].path.at(-1)), py(f[i].path.at(-2)), thin * 1.4, 0, 7); c.fill();
    }
    const best = f[view.fan.best];
    if (!best) return;
    drawFuture(c, best.path, colours.floor, thin * 4.5);
    drawFuture(c, best.path, colourOf(best), thin * 2.8);
    c.fillStyle = colourOf(best); c.strokeStyle = colours.floor; c.lineWidth = 2;
    c.beginPath(); c.arc(px(best.path.at(-1)), py(best.path.at(-2)), thin * 3.4, 0, 7); c.fill(); c.stroke();
  }

  function drawBall(c, x, y, colour, hollow) {
    c.beginPath(); c.arc(px(y), py(x), Math.max(5, size * 0.1), 0, 7);
    c.fillStyle = hollow ? colours.floor : colour; c.strokeStyle = hollow ? colour : colours.floor; c.lineWidth = hollow ? 3 : 2;
    c.fill(); c.stroke();
  }

  function drawRunner(c, runner, colour, hollow) {
    const n = Math.min(runner.xy.length / 2, Math.floor(runner.at) + 1);
    c.strokeStyle = colour; c.lineWidth = size * (hollow ? 0.035 : 0.06); c.globalAlpha = hollow ? 0.7 : 0.95;
    c.setLineDash(hollow ? [7, 5] : []);
    line(c, runner.xy, 0, n);
    c.setLineDash([]); c.globalAlpha = 1;
    drawBall(c, runner.xy[2 * n - 2], runner.xy[2 * n - 1], colour, hollow);
  }

  view.draw = () => {
    if (!view.maze || !canvas.clientWidth) return;
    resize();
    if (stale) drawStill();
    const c = canvas.getContext("2d");
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.drawImage(still, 0, 0);
    c.setTransform(scale, 0, 0, scale, 0, 0);
    c.lineJoin = c.lineCap = "round";
    if (view.stroke) { c.strokeStyle = colours.drawn; c.lineWidth = size * 0.075; line(c, view.stroke, 0, view.stroke.length / 2); }
    if (view.ghost) drawRunner(c, view.ghost, colours.ghost, true);
    if (view.fan && view.probe) drawFan(c);
    if (view.hero) drawRunner(c, view.hero, colours.hero, false);
    else if (!view.probe) drawBall(c, view.maze.start[0], view.maze.start[1], colours.hero, false);
    if (view.probe) drawBall(c, view.probe[0], view.probe[1], colours.most, true);
  };
  return view;
}
