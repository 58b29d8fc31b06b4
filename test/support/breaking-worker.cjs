// The engine's thread, except that it breaks as the engine does, spinning, when a file named `break` appears.
const { existsSync, rmSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { parentPort, workerData } = require('node:worker_threads');

// Made by the tests themselves, so no tool can resolve it beforehand.
const compiled = join(__dirname, '../../node_modules/.cache/bellwether-compiled');
require(join(compiled, 'packages/embedded-postgres/src/embedded.worker.js'));

const order = join(dirname(workerData.directory), 'break');
setInterval(() => {
  if (!existsSync(order)) return;
  rmSync(order);
  parentPort.postMessage({ type: 'broken', reason: 'as ordered' });
  for (;;);
}, 20);
