import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PARSER_FILE } from '../../packages/extraction/src/processes/parser-file';
import { ParserPool } from '../../packages/extraction/src/processes/parser-pool';
import { pdfBomb } from '../support/hostile-documents';
import { until } from '../support/until';

const LIMITS = {
  maxBytes: 1e9,
  maxPages: 9,
  maxCharacters: 1e9,
  maxExpansion: 9,
  timeoutMs: 60_000,
  memoryMb: 512,
};
const folder = mkdtempSync(join(tmpdir(), 'bellwether-parsers-'));
const pools: ParserPool[] = [];

function poolOf(file: string, limits: Partial<typeof LIMITS> = {}): ParserPool {
  const pool = new ParserPool({ file, processes: 1, idleMs: 60_000, limits: { ...LIMITS, ...limits } });
  pools.push(pool);
  return pool;
}
afterAll(() => {
  for (const pool of pools) pool.close();
  rmSync(folder, { recursive: true });
});

const read = async (pool: ParserPool, filename: string): Promise<string> =>
  (await pool.parse({ filename, bytes: Buffer.from('read') }, undefined)).text;

/** A parser that does as a script says with each message. */
function parserThat(name: string, script: string): ParserPool {
  const file = join(folder, `${name}.js`);
  writeFileSync(
    file,
    `let served = 0;
     const give = (id, text) => process.send({ type: 'document', id, document: { text } });
     process.on('message', ({ id, filename }) => { ${script}; served += 1; });`,
  );
  return poolOf(file);
}

async function killNext(pool: ParserPool, not?: number): Promise<number> {
  const pid = await until(() => pool.pids.find((each) => each !== not));
  process.kill(pid, 'SIGKILL');
  return pid;
}

it('an answer to another document is nobody’s', async () => {
  const pool = parserThat(
    'late',
    `process.send({ type: 'refused', id: id - 1, code: 'document.malformed', message: 'late' }); give(id, filename)`,
  );
  expect(await read(pool, 'a')).toBe('a');
  expect(await read(pool, 'b')).toBe('b');
});

it('a stray error fails the first document of a process, and no later one', async () => {
  const pool = parserThat(
    'stray',
    `if (filename === 'bad' || served > 0) process.send({ type: 'stray', reason: 'TypeError' }); else give(id, filename)`,
  );
  expect(await read(pool, 'a')).toBe('a');
  const [first] = pool.pids;
  expect(await read(pool, 'b')).toBe('b');
  expect(pool.pids).not.toContain(first);
  await expect(read(pool, 'bad')).rejects.toMatchObject({ code: 'document.malformed' });
});

it('a document whose process is killed from outside is read in the next one', async () => {
  const pool = poolOf(PARSER_FILE);
  const reading = read(pool, 'a.md');
  await killNext(pool);
  expect(await reading).toBe('read');
});

it('a document whose second process is killed, too, is set aside, and the next one is read', async () => {
  const pool = parserThat('slow', `if (filename === 'fine') give(id, filename)`);
  const reading = expect(read(pool, 'a')).rejects.toMatchObject({ code: 'document.resource' });
  await killNext(pool, await killNext(pool));
  await reading;
  expect(await read(pool, 'fine')).toBe('fine');
});

it('a process that does not start, or is told to end, is not held against the document', async () => {
  const ending = parserThat('ending', `process.kill(process.pid, 'SIGTERM')`);
  await expect(read(ending, 'a')).rejects.toMatchObject({ code: 'unavailable' });
  const pool = poolOf(join(folder, 'missing.js'));
  await expect(read(pool, 'a')).rejects.toMatchObject({ code: 'unavailable' });
  await expect(read(pool, 'b')).rejects.toMatchObject({ code: 'unavailable' });
});

it('a process over its memory says so', async () => {
  const pool = poolOf(PARSER_FILE, { memoryMb: 64 });
  const input = { filename: 'bomb.pdf', bytes: pdfBomb(60) };
  await expect(pool.parse(input, undefined)).rejects.toMatchObject({
    code: 'document.resource',
    message: 'Reading the document took more than 64 MB of memory',
  });
});

it('a heap that is full is memory too', async () => {
  const pool = parserThat('abort', `process.kill(process.pid, 'SIGABRT')`);
  await expect(read(pool, 'a')).rejects.toMatchObject({ code: 'document.resource' });
});
