// Loaded into a server before anything else. Counts promises, timers and ticks of its main thread, and what it sends to the
// database, between two SIGUSR2; the bytes that it allocates between two SIGWINCH. Writes them to the file that COUNTS_FILE
// names.
'use strict';
const { createHook } = require('node:async_hooks');
const { renameSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { isMainThread } = require('node:worker_threads');
const { Client } = require('pg');

/** Bytes between two samples of the heap, on average. */
const SAMPLE_BYTES = 4096;
/** Statements that store ended runs. */
const STORES_RUNS = /\binsert into "?(?:runs|run_segments)\b/i;

const tell = (counts) => {
  const file = process.env.COUNTS_FILE;
  writeFileSync(`${file}.new`, JSON.stringify(counts));
  renameSync(`${file}.new`, file);
};

/** Bytes of the parameters of a statement: texts in UTF-8, eight for a number or a time. */
function bytesOf(value) {
  if (value === null || value === undefined) return 0;
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Buffer.isBuffer(value)) return value.length;
  if (Array.isArray(value)) return value.reduce((sum, each) => sum + bytesOf(each), 0);
  if (typeof value === 'object' && !(value instanceof Date)) return Buffer.byteLength(JSON.stringify(value));
  return 8;
}

function countStatements(counts) {
  const { query } = Client.prototype;
  Client.prototype.query = function counted(statement, ...more) {
    const text = typeof statement === 'string' ? statement : (statement.text ?? '');
    counts.STATEMENT = (counts.STATEMENT ?? 0) + 1;
    if (STORES_RUNS.test(text)) {
      const values = statement.values ?? more.find((each) => Array.isArray(each)) ?? [];
      counts.STORED_BYTES = (counts.STORED_BYTES ?? 0) + bytesOf(values);
    }
    return query.call(this, statement, ...more);
  };
}

/** Starts a sampling profile, or ends it with the bytes that were allocated since. */
function sampled(session, isSampling) {
  if (!isSampling) {
    const including = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
    session.post('HeapProfiler.startSampling', { samplingInterval: SAMPLE_BYTES, ...including });
    return {};
  }
  let bytes = 0;
  session.post('HeapProfiler.stopSampling', (_error, { profile }) => {
    const waiting = [profile.head];
    for (const node of waiting) {
      bytes += node.selfSize;
      waiting.push(...node.children);
    }
  });
  return { ALLOCATED: bytes };
}

if (isMainThread) {
  const counts = {};
  countStatements(counts);
  let isCounting = false;
  const hook = createHook({
    init(_id, type) {
      counts[type] = (counts[type] ?? 0) + 1;
    },
  });
  process.on('SIGUSR2', () => {
    if (isCounting) hook.disable();
    else hook.enable();
    isCounting = !isCounting;
    tell(counts);
  });
  const session = new Session();
  session.connect();
  let isSampling = false;
  process.on('SIGWINCH', () => {
    const counted = sampled(session, isSampling);
    isSampling = !isSampling;
    tell(counted);
  });
}
