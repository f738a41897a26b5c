// web/page/client.js - the page's side of web/page/engine.js: a worker where the browser allows one to a page from disk,
// else the same engine in this thread. ask() promises an answer; fan() asks for futures, which come to onFan.
"use strict";

function unpack(base64) {
  const raw = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return new Response(new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer().then((b) => new Uint8Array(b));
}

function makeClient() {
  const waiting = new Map();
  let number = 0, fanNumber = 0, send;
  const client = { onFan: null, onTrouble: null, worker: true };
  const receive = (a) => {
    if (a.event === "fan") { if (a.number === fanNumber && client.onFan) client.onFan(a); return; }
    if (a.event === "trouble") { if (client.onTrouble) client.onTrouble(a.text); return; }
    const w = waiting.get(a.id);
    waiting.delete(a.id);
    if (a.error) w.fail(new Error(a.error)); else w.done(a);
  };
  const source = document.getElementById("engine").textContent;
  const here = () => {
    client.worker = false;
    const script = document.createElement("script");
    script.textContent = source;
    document.head.append(script);
    send = startEngine((a) => setTimeout(receive, 0, a));
  };
  try {
    const code = source + "\nconst engine = startEngine((a) => postMessage(a)); onmessage = (e) => engine(e.data);";
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
    worker.onmessage = (e) => receive(e.data);
    worker.onerror = (e) => { for (const w of waiting.values()) w.fail(new Error(e.message || "the engine has stopped")); waiting.clear(); };
    send = (q) => worker.postMessage(q);
  } catch (e) { here(); }
  client.ask = (ask, q) => new Promise((done, fail) => { waiting.set(++number, { done, fail }); send({ id: number, ask, ...q }); });
  client.fan = (q) => { fanNumber++; send({ ask: "fan", number: fanNumber, ...q }); };
  client.noFan = () => { fanNumber++; send({ ask: "fan", number: 0 }); };
  return client;
}
