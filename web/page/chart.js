// web/page/chart.js - small charts: counts over episodes, and a histogram.
"use strict";

// a canvas at the screen's own resolution: [context, width, height]
function fitCanvas(canvas) {
  const scale = devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
  if (canvas.width !== Math.round(w * scale) || canvas.height !== Math.round(h * scale)) {
    canvas.width = Math.round(w * scale);
    canvas.height = Math.round(h * scale);
  }
  const c = canvas.getContext("2d");
  c.setTransform(scale, 0, 0, scale, 0, 0);
  c.clearRect(0, 0, w, h);
  return [c, w, h];
}

function drawAxis(c, w, h, left, bottom, label) {
  c.strokeStyle = colours.line;
  c.fillStyle = colours.soft;
  c.font = "12px system-ui";
  c.beginPath(); c.moveTo(left, 4); c.lineTo(left, h - bottom); c.lineTo(w - 4, h - bottom); c.stroke();
  c.textAlign = "right";
  c.fillText(label, w - 4, h - 3);
}

// lines: [{values, colour, dashed}], value i after i episodes
function drawCounts(canvas, lines, most) {
  const [c, w, h] = fitCanvas(canvas), left = 30, bottom = 17;
  const longest = Math.max(12, ...lines.map((l) => l.values.length - 1));
  drawAxis(c, w, h, left, bottom, longest + " episodes");
  c.textAlign = "right";
  c.fillText(most, left - 4, 12);
  c.fillText("0", left - 4, h - bottom);
  for (const l of lines) {
    c.strokeStyle = l.colour; c.lineWidth = 2.5; c.setLineDash(l.dashed ? [5, 4] : []);
    c.beginPath();
    l.values.forEach((v, i) => c.lineTo(left + (w - left - 6) * i / longest, (h - bottom) * (1 - v / most) + 4 * v / most));
    c.stroke();
  }
  c.setLineDash([]);
}

// how often each value came; `marks` [{at, colour, text}]
function drawHistogram(canvas, values, marks, across, up) {
  const [c, w, h] = fitCanvas(canvas), left = 44, bottom = 17;
  const sorted = [...values].sort((a, b) => a - b), most = Math.max(8, sorted[Math.floor(sorted.length * 0.98)] || 8);
  const bins = new Array(Math.min(most, 40)).fill(0), width = most / bins.length;
  for (const v of values) if (v <= most) bins[Math.min(bins.length - 1, Math.floor((v - 1) / width))]++;
  const high = Math.max(1, ...bins), at = (v) => left + (w - left - 6) * (v - 1) / most;
  drawAxis(c, w, h, left, bottom, most);
  c.textAlign = "center";
  c.fillText(across, (left + w) / 2, h - 3);
  c.textAlign = "right";
  if (values.length) c.fillText(high, left - 4, 33);
  c.fillText(up, left - 4, 14);
  c.fillText("1", left + 8, h - 3);
  c.fillStyle = colours.ghost;
  bins.forEach((n, i) => c.fillRect(at(1 + i * width) + 0.5, h - bottom - n / high * (h - bottom - 22), Math.max(1, at(1 + width) - at(1) - 1), n / high * (h - bottom - 22)));
  marks.forEach((m, i) => {
    const x = Math.min(at(m.at), w - 6);
    c.strokeStyle = c.fillStyle = m.colour; c.lineWidth = 2.5;
    c.beginPath(); c.moveTo(x, 6); c.lineTo(x, h - bottom); c.stroke();
    c.textAlign = x > w - 130 ? "right" : "left";
    c.fillText(m.text, x + (x > w - 130 ? -5 : 5), 15 + 14 * i);
  });
}
