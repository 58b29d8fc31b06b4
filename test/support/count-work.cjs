// Loaded into a server before anything else: counts promises, timers and ticks of its main thread between two SIGUSR2, and
// writes them to the file that COUNTS_FILE names.
'use strict';
const { createHook } = require('node:async_hooks');
const { renameSync, writeFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  const counts = {};
  let isCounting = false;
  const hook = createHook({
    init(_id, type) {
      counts[type] = (counts[type] ?? 0) + 1;
    },
  });
  process.on('SIGUSR2', () => {
    const file = process.env.COUNTS_FILE;
    if (isCounting) hook.disable();
    else hook.enable();
    isCounting = !isCounting;
    writeFileSync(`${file}.new`, JSON.stringify(counts));
    renameSync(`${file}.new`, file);
  });
}
