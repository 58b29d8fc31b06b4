// Compares what was accepted with what exists: nothing may be lost, doubled or stuck.
import { setTimeout as sleep } from 'node:timers/promises';
import { flawsOf, saidIn, typeOf } from '../../bench/runs-faults/replica.mjs';
import { answerOf, USAGE } from '../../bench/runs-faults/vendor.mjs';

/** Codes of runs whose process dies, ends or has no database for long. */
const EXPECTED_CODES = ['worker_lost', 'server_shutdown', 'unavailable'];
const SETTLE_MS = 60_000;
const AT_ONCE = 8;

/** Runs `work` for each item, `AT_ONCE` at a time. Records what it throws as a problem. */
async function each(items, problems, work) {
  const left = [...items];
  const one = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) {
      await work(item).catch((error) => problems.add(error.message));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

async function until(what, isThere, problems) {
  for (const deadline = performance.now() + SETTLE_MS; performance.now() < deadline; await sleep(100)) {
    if (await isThere()) return;
  }
  problems.add(`stuck: ${what} after ${SETTLE_MS / 1_000} s`);
}

export async function check({ ledger, load, replicas, vendor, database }) {
  await checkRuns(ledger, load, replicas, vendor, database);
  await checkCreations(ledger, database);
  await checkEdits(ledger, replicas);
  await checkUploads(ledger, load, replicas);
  await checkBooks(ledger, vendor, database);
  await checkAudit(ledger, replicas);
}

const BOOKS = `
  SELECT (SELECT coalesce(sum(used), 0)::int FROM limit_counters) AS used,
    (SELECT coalesce(sum(reserved), 0)::int FROM limit_counters) AS reserved,
    (SELECT count(*)::int FROM limit_reservations WHERE (items #>> '{0,reserved}')::bigint > 0) AS open,
    (SELECT coalesce(sum(model_calls - estimated_calls), 0)::int FROM usage_days) AS calls`;

/**
 * Limits count at least what was answered. Usage counts no call twice; a killed process may lose a quarter of a second of it.
 */
async function checkBooks({ accepted, problems }, vendor, database) {
  let books;
  const read = async () => {
    [books] = await database.query(BOOKS);
    return books.open === 0 && books.reserved === 0;
  };
  await until('reservations of limits are open', read, problems);
  const { used, reserved, calls } = books;
  const answered = (accepted.stream + accepted.completion) * USAGE.total_tokens;
  const asked = [...vendor.calls.values()].reduce((sum, { times }) => sum + times, 0);
  if (reserved !== 0) problems.add(`${reserved} tokens are reserved by no run`);
  if (used < answered) problems.add(`the limit counted ${used} tokens of at least ${answered}`);
  if (calls > asked) problems.add(`usage tells ${calls} calls of the vendor, who got ${asked}`);
}

async function checkAudit({ problems }, [replica]) {
  const { intact, findings } = await replica.made('POST', '/api/v1/organizations/default/audit/verification');
  if (!intact) problems.add(`the audit log is not intact: ${findings[0]?.message}`);
}

/** How many runs ended in which way. */
export function endsOf({ runs }) {
  const ends = new Map();
  for (const { frames } of runs) {
    const last = frames?.at(-1) ?? '';
    const [, code] = typeOf(last) === 'run.failed' ? (/"code":"(\w+)"/.exec(last) ?? []) : [];
    const end = [typeOf(last) || 'no end', code].filter(Boolean).join(' ');
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  return ends;
}

async function checkRuns({ runs, problems }, { runner }, replicas, vendor, database) {
  const count = async (where) => {
    const [{ n }] = await database.query(`SELECT count(*)::int n FROM runs WHERE assistant_id = $1${where}`, [runner]);
    return n;
  };
  await until(
    'runs are queued or running',
    async () => (await count(" AND status IN ('queued', 'running')")) === 0,
    problems,
  );
  await until('calls to the vendor are open', () => vendor.open === 0, problems);
  const there = await count('');
  if (there !== runs.length) problems.add(`${runs.length} runs were accepted, ${there} are there`);
  const accepted = new Set(runs.map(({ id }) => id));
  if (accepted.size !== runs.length) problems.add('two requests were given one run');
  await each(runs, problems, async (run) => {
    for (const flaw of flawsOfRun(run, vendor)) problems.add(`run ${run.id}: ${flaw}`);
    const bytes = run.frames?.join('\n\n');
    for (const replica of replicas) {
      const { frames } = await replica.frames(run.id);
      if (frames.join('\n\n') !== bytes) problems.add(`run ${run.id}: its replay by ${replica.url} differs`);
    }
    const { json } = await replicas[0].call('GET', `/api/v1/runs/${run.id}`);
    if (`run.${json?.status}` !== typeOf(run.frames?.at(-1) ?? '')) problems.add(`run ${run.id}: the record differs`);
  });
}

function flawsOfRun({ name, words, frames }, vendor) {
  if (frames === null) return ['nobody read its end'];
  const flaws = flawsOf(frames);
  const end = frames.at(-1) ?? '';
  const asked = vendor.calls.get(name)?.times ?? 0;
  if (asked > 1) flaws.push(`asked the vendor ${asked} times`);
  if (typeOf(end) === 'run.completed') {
    if (saidIn(frames) !== answerOf(words)) flaws.push('completed and lacks words');
  } else if (!EXPECTED_CODES.some((code) => end.includes(`"${code}"`))) flaws.push(`ended with ${end.slice(0, 300)}`);
  return flaws;
}

async function checkCreations({ creations, problems }, database) {
  const tables = new Set(creations.map(({ table }) => table));
  for (const table of tables) {
    const rows = await database.query(`SELECT id::text, name FROM ${table} WHERE name LIKE 'Created %'`);
    const wanted = creations.filter((made) => made.table === table);
    for (const { name, id } of wanted) {
      const ids = rows.filter((row) => row.name === name).map((row) => row.id);
      if (ids.length !== 1) problems.add(`${name} of ${table} exists ${ids.length} times`);
      else if (ids[0] !== String(id)) problems.add(`${name} of ${table} has another id than was answered`);
    }
    if (rows.length !== wanted.length) problems.add(`${table}: ${wanted.length} created, ${rows.length} there`);
  }
}

async function checkEdits({ edited, problems }, [replica]) {
  for (const { id, saved } of edited) {
    const there = new Map();
    for (let cursor = ''; cursor !== null;) {
      const next = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await replica.made('GET', `/api/v1/assistants/${id}/versions?limit=100${next}`);
      for (const { version, name } of page.items) there.set(version, name);
      cursor = page.next_cursor;
    }
    const latest = saved.at(-1).version;
    for (let version = 1; version <= latest; version += 1) {
      if (!there.has(version)) problems.add(`assistant ${id} has no version ${version} of ${latest}`);
    }
    for (const { version, name } of saved) {
      if (there.get(version) !== name) problems.add(`assistant ${id}: the edit ${name} of version ${version} is lost`);
    }
    if (there.size !== saved.length) problems.add(`assistant ${id}: ${saved.length} edits, ${there.size} versions`);
  }
}

async function checkUploads({ uploads, problems }, { documentsPath }, replicas) {
  const waiting = async () => {
    const [pending, processing] = await Promise.all(
      ['pending', 'processing'].map((status) => replicas[0].made('GET', `${documentsPath}?status=${status}&limit=1`)),
    );
    return pending.total + processing.total;
  };
  await until('documents wait for their processing', async () => (await waiting()) === 0, problems);
  const documents = uploads.filter(({ kind }) => kind === 'document');
  const { total } = await replicas[0].made('GET', `${documentsPath}?limit=1`);
  if (total !== documents.length) problems.add(`${documents.length} documents were accepted, ${total} are there`);
  await each(uploads, problems, async ({ path, kind, name, text }) => {
    const replica = replicas[Math.floor(Math.random() * replicas.length)];
    const answer = await replica.call('GET', `${path}/content`);
    if (answer.text !== text) problems.add(`${kind} ${name}: ${answer.status}, not its bytes`);
    if (kind === 'file') return;
    const { status } = await replica.made('GET', path);
    if (status !== 'completed') problems.add(`document ${name} is ${status}`);
  });
}
