// Loaded into each process of a soak run: at SIGUSR2 it collects garbage and adds a line about itself to a file.
const { appendFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');

process.on('SIGUSR2', () => {
  gc();
  const { rss, heapUsed } = process.memoryUsage();
  const open = {};
  for (const kind of process.getActiveResourcesInfo()) open[kind] = (open[kind] ?? 0) + 1;
  appendFileSync(process.env.RESOURCES_FILE, `${JSON.stringify({ pid: process.pid, rss, heapUsed, open })}\n`);
});
