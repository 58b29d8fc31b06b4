// Required before a service, not its children: when it ends, writes how much of its own code it had loaded to BENCH_LOADED.
const { statSync, writeFileSync } = require('node:fs');
const { basename } = require('node:path');
const { isMainThread } = require('node:worker_threads');

if (isMainThread && basename(process.argv[1] ?? '') === 'main.js') {
  process.on('exit', () => {
    const own = Object.keys(require.cache).filter((file) => !file.includes('node_modules') && file.includes('/dist/'));
    const bytes = own.reduce((sum, file) => sum + statSync(file).size, 0);
    writeFileSync(process.env.BENCH_LOADED, JSON.stringify({ files: own.length, kilobytes: bytes / 1e3 }));
  });
}
