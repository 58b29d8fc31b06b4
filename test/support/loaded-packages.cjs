// Loaded into a server before anything else: at SIGUSR2 it writes the packages whose modules its main thread has loaded, and
// the bytes of its heap that are in use, to the file that LOADED_FILE names.
'use strict';
const { renameSync, writeFileSync } = require('node:fs');
const { getHeapStatistics, setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { isMainThread } = require('node:worker_threads');

const packageOf = (file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? null;

if (isMainThread) {
  process.on('SIGUSR2', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc');
    collect();
    collect();
    const packages = new Set(Object.keys(require.cache).map(packageOf));
    packages.delete(null);
    const file = process.env.LOADED_FILE;
    writeFileSync(`${file}.new`, JSON.stringify({ packages: [...packages], heap: getHeapStatistics().used_heap_size }));
    renameSync(`${file}.new`, file);
  });
}
