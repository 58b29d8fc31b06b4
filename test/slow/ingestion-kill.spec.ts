import { runningEmbeddedUrl } from '@bellwether/embedded-postgres';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { filesForm } from '../support/app';
import { preparedDataDir } from '../support/data-directory';
import { createScratchDatabase, type ScratchDatabase } from '../support/scratch-database';
import { endlessPdf } from '../support/hostile-documents';
import { type ServerProcess, startServer } from '../support/server-process';
import { until } from '../support/until';

/** More for a longer look: INGESTION_KILLS=100 npx jest test/slow/ingestion-kill.spec.ts --selectProjects slow */
const KILLS = Number(process.env.INGESTION_KILLS ?? 2);
const PATH = '/api/v1/knowledge-bases';

let dataDir: string;
let scratch: ScratchDatabase | null = null;
let server: ServerProcess | null = null;
const startTimes: number[] = [];

beforeAll(async () => {
  dataDir = preparedDataDir('bw-kill-');
  if (process.env.TEST_DATABASE_URL) scratch = await createScratchDatabase();
});
afterAll(async () => {
  await server?.kill();
  await scratch?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const start = async (): Promise<ServerProcess> => {
  const databaseUrl = scratch?.url;
  server = await startServer({
    dataDir,
    env: { JOB_LEASE: '3', EXTRACTION_TIMEOUT: '600000' },
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  });
  startTimes.push(server.startedInMs);
  return server;
};

async function query<T extends object>(statement: string, values: unknown[]): Promise<T[]> {
  const client = new Client({ connectionString: scratch?.url ?? (await runningEmbeddedUrl(dataDir)) ?? '' });
  await client.connect();
  try {
    return (await client.query<T>(statement, values)).rows;
  } finally {
    await client.end();
  }
}

const WORDS = 'osmosis membrane water cell leaf light sugar root stem enzyme protein energy carbon oxygen gene'.split(
  ' ',
);
/** From one chunk to a hundred and more, so that kills fall between batches, too. */
const text = (seed: number, sections: number): string =>
  Array.from({ length: sections }, (_, section) => {
    const words = Array.from({ length: 40 }, (_, n) => WORDS[(seed * 7 + section * 3 + n * (n + seed)) % WORDS.length]);
    return `## Section ${section} of ${seed}\n\nThe ${words.join(' ')} number${seed}x${section}.\n`;
  }).join('\n');
const FIRST = Array.from({ length: 6 }, (_, n) => [`doc-${n}.md`, text(n, n === 3 ? 80 : 1 + n * 4)] as const);
/** Half of them replaced, one of these by something unreadable. */
const SECOND = FIRST.map(
  ([name], n) =>
    [
      name,
      n === 4 ? '\u0000\u0001' : n % 2 === 0 ? text(n + 50, 2 + n * 3) : text(n, n === 3 ? 80 : 1 + n * 4),
    ] as const,
);

const DEATHS = 2;

const create = async ({ api }: ServerProcess, name: string): Promise<string> =>
  (await api('POST', PATH, { name, language: 'en', chunk_size: 300 })).json.id as string;
const upload = (target: ServerProcess, id: string, files: readonly (readonly [string, string | Buffer])[]) =>
  target.api('POST', `${PATH}/${id}/documents`, filesForm(...files));
const unfinished = async ({ api }: ServerProcess, id: string): Promise<number> => {
  const counts = await Promise.all(
    ['pending', 'processing'].map((status) => api('GET', `${PATH}/${id}/documents?status=${status}`)),
  );
  return counts.reduce((sum, { json }) => sum + (json.total as number), 0);
};
async function settled(target: ServerProcess, id: string): Promise<void> {
  const deadline = performance.now() + 120_000;
  while ((await unfinished(target, id)) > 0) {
    if (performance.now() > deadline) throw new Error(`Documents are left over:\n${target.output()}`);
    await sleep(50);
  }
}

/** All that a knowledge base holds, without what differs between two runs by nature: ids and times. */
async function contents(id: string): Promise<Record<string, unknown[]>> {
  const of = <T extends object>(statement: string): Promise<T[]> => query<T>(statement, [id]);
  return {
    documents: await of(`SELECT filename, title, status, error_code, chunk_count, sha256 FROM kb_documents
      WHERE knowledge_base_id = $1 ORDER BY filename`),
    chunks:
      await of(`SELECT d.filename, c.generation = d.generation AS answers, c.ordinal, c.start_offset, c.end_offset,
        md5(c.text) AS text, c.length,
        (SELECT string_agg(t.term || ':' || (w & 255), ' ' ORDER BY t.term COLLATE "C") FROM kb_chunk_terms f
          CROSS JOIN LATERAL unnest(f.terms) w JOIN kb_terms t ON t.id = w >> 8 WHERE f.chunk_id = c.id) AS terms
      FROM kb_chunks c JOIN kb_documents d ON d.id = c.document_id
      WHERE c.knowledge_base_id = $1 ORDER BY d.filename COLLATE "C", c.ordinal, c.generation`),
    terms: await of(`SELECT term, df FROM kb_terms WHERE knowledge_base_id = $1 AND df > 0 ORDER BY term COLLATE "C"`),
    totals: await of(`SELECT chunk_count, token_count::int FROM knowledge_bases WHERE id = $1`),
  };
}

/** Rows that belong to nothing. */
async function orphans(id: string): Promise<unknown> {
  const [row] = await query<object>(
    `SELECT
      (SELECT count(*)::int FROM kb_chunks c WHERE c.knowledge_base_id = $1
        AND NOT EXISTS (SELECT FROM kb_documents d WHERE d.generation = c.generation)) AS chunks,
      (SELECT count(*)::int FROM kb_documents WHERE knowledge_base_id = $1 AND (claim IS NOT NULL OR deleted_at IS NOT NULL)) AS claims,
      (SELECT count(*)::int FROM kb_terms t WHERE t.knowledge_base_id = $1 AND t.df <> (
        SELECT count(*) FROM kb_chunk_terms f JOIN kb_chunks c ON c.id = f.chunk_id
        WHERE c.knowledge_base_id = $1 AND EXISTS (SELECT FROM unnest(f.terms) w WHERE w >> 8 = t.id))) AS miscounted`,
    [id],
  );
  return row;
}

interface Fate {
  readonly status: string;
  readonly starts: number;
  readonly code: string | null;
}

/** Resolves when the only document of a knowledge base is as expected. */
const documentIn = (id: string, isExpected: (document: Fate) => boolean): Promise<Fate> =>
  until(async () => {
    const [row] = await query<Fate>(
      'SELECT status, lost_starts AS starts, error_code AS code FROM kb_documents WHERE knowledge_base_id = $1',
      [id],
    );
    return row !== undefined && isExpected(row) ? row : null;
  }, 120_000);

/** Every row's bytes are there, and are what was sent. */
async function storedWell(id: string): Promise<boolean> {
  const rows = await query<{ storage_name: string; sha256: string; organization_id: string }>(
    'SELECT storage_name, sha256, organization_id FROM kb_documents WHERE knowledge_base_id = $1',
    [id],
  );
  const folder = join(dataDir, 'knowledge-bases', rows[0]?.organization_id ?? '', id);
  const names = new Set(readdirSync(folder));
  return rows.every(
    ({ storage_name, sha256 }) =>
      names.has(storage_name) &&
      createHash('sha256')
        .update(readFileSync(join(folder, storage_name)))
        .digest('hex') === sha256,
  );
}

it(
  `ingestion survives ${KILLS} kills: the same chunks and figures as an undisturbed run, nothing lost, nothing doubled`,
  async () => {
    let current = await start();
    const undisturbed = await create(current, 'Undisturbed');
    for (const files of [FIRST, SECOND]) {
      expect((await upload(current, undisturbed, files)).status).toBe(201);
      await settled(current, undisturbed);
    }
    const expected = await contents(undisturbed);
    expect(expected['documents']).toHaveLength(FIRST.length);

    const poisoned = await create(current, 'Poisoned');
    // Its answer waits for the document, and is cut.
    void upload(current, poisoned, [['poison.pdf', endlessPdf()]]).catch(() => undefined);
    const disturbed = await create(current, 'Disturbed');
    let kills = 0;
    for (const [round, files] of [FIRST, SECOND].entries()) {
      let accepted = false;
      while (kills < (KILLS * (round + 1)) / 2) {
        if (kills < DEATHS) await documentIn(poisoned, ({ starts }) => starts === kills + 1);
        // A client that got no answer sends again; one that got it does not.
        const sending = accepted
          ? Promise.resolve()
          : upload(current, disturbed, files).then(
              ({ status }) => void (accepted ||= status === 201),
              () => undefined,
            );
        await sleep(20 + Math.random() * 900);
        await current.kill();
        await sending;
        kills++;
        current = await start();
      }
      if (!accepted) expect((await upload(current, disturbed, files)).status).toBe(201);
      await settled(current, disturbed);
    }
    // What is left to clear away is cleared away by the job that finished the document, or by its next try.
    for (const deadline = performance.now() + 60_000; performance.now() < deadline; await sleep(100)) {
      const found = (await orphans(disturbed)) as { chunks: number };
      if (found.chunks === 0) break;
    }
    expect(await contents(disturbed)).toEqual(expected);
    expect(await orphans(disturbed)).toEqual({ chunks: 0, claims: 0, miscounted: 0 });
    expect(await storedWell(disturbed)).toBe(true);

    // A document that was being read at two deaths is set aside, and the next process leaves it alone.
    const setAside = { status: 'failed', starts: 0, code: 'document.resource' };
    expect(await documentIn(poisoned, ({ status }) => status === 'failed')).toEqual(setAside);

    // A knowledge base that is deleted with documents under way leaves nothing, whenever the process dies.
    await upload(current, undisturbed, FIRST);
    expect((await current.api('DELETE', `${PATH}/${undisturbed}`)).status).toBe(204);
    await current.kill();
    current = await start();
    const left = async (): Promise<number> =>
      (await query<{ n: number }>('SELECT count(*)::int AS n FROM knowledge_bases WHERE id = $1', [undisturbed]))[0]
        ?.n ?? 0;
    for (const deadline = performance.now() + 90_000; (await left()) > 0; await sleep(100)) {
      if (performance.now() > deadline) throw new Error(`The knowledge base is still there:\n${current.output()}`);
    }
    expect(await contents(undisturbed)).toEqual({ documents: [], chunks: [], terms: [], totals: [] });
    expect(await documentIn(poisoned, () => true)).toEqual(setAside);
    expect(await current.stop()).toBe(0);
    server = null;
    process.stdout.write(`restarts: ${startTimes.map((ms) => Math.round(ms)).join(', ')} ms\n`);
  },
  300_000 + KILLS * 20_000,
);
