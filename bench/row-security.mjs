// npm run bench:row-security [-- --chunks=5000 --rounds=2000]: the same statements with and without row-level security,
// in turns in one process, on the embedded database or on BENCH_DATABASE_URL (give it a database of its own).
import { randomUUID } from 'node:crypto';
import { describeMachine } from './lib/machine.mjs';
import { plainTable } from './lib/report.mjs';
import { quantile } from './lib/stats.mjs';
import { startService } from './retrieval/service.mjs';
import { built } from './lib/built.mjs';

const option = (name, otherwise) =>
  Number(process.argv.find((word) => word.startsWith(`--${name}=`))?.split('=')[1] ?? otherwise);
const chunks = option('chunks', 5_000);
const rounds = option('rounds', 2_000);

const machine = describeMachine();
console.log(`${machine.cpu}, Node ${machine.node}, commit ${machine.commit}, load ${machine.loadAtStart}\n`);

const service = await startService();
try {
  const base = await service.create({ name: 'Bench', language: 'en' });
  await service.ingest(base.id, [...books()]);
  await measure(base.id);
} finally {
  await service.stop();
}

/** Rare words are rare: the rank of a word is drawn from a power law. */
function words(count) {
  return Array.from({ length: count }, () => `word${Math.floor(4_000 * Math.random() ** 3)}`).join(' ');
}

/** Documents of a hundred sections, each about a chunk long. */
function* books() {
  for (let first = 0; first < chunks; first += 100) {
    const parts = Array.from({ length: 100 }, (_, at) => `## Part ${at + 1}\n\n${words(90)}\n`);
    yield [`book-${first}.md`, parts.join('\n')];
  }
}

async function measure(knowledgeBaseId) {
  const { openDatabase } = built('src/infrastructure/postgres/connection/open-database');
  const { withinOrganization } = built('src/infrastructure/postgres/connection/scoped-client');
  const { queryPrepared } = built('src/infrastructure/database/prepared');
  const { searchStatement } = built('src/knowledge-bases/search/hybrid-query');
  const config = { url: process.env.BENCH_DATABASE_URL ?? null, dataDir: service.dataDir, poolSize: 2 };
  const options = { migrations: [], schema: 'skip', share: true };
  const databases = [
    await openDatabase(config, { ...options, bound: true }),
    await openDatabase(config, { ...options, bound: false }),
  ];
  const [{ organization }] = await databases[1].dataSource.query(
    'SELECT organization_id AS organization FROM knowledge_bases WHERE id = $1',
    [knowledgeBaseId],
  );
  const works = {
    'one row by its key': ({ dataSource }) =>
      dataSource.query('SELECT * FROM knowledge_bases WHERE organization_id = $1 AND id = $2', [
        organization,
        knowledgeBaseId,
      ]),
    'a transaction of two statements': ({ dataSource }) =>
      dataSource.transaction(async (tx) => {
        await tx.query('SELECT id FROM knowledge_bases WHERE id = $1 FOR UPDATE', [knowledgeBaseId]);
        await tx.query('UPDATE knowledge_bases SET description = $2 WHERE id = $1', [knowledgeBaseId, randomUUID()]);
      }),
    'a search by words': ({ dataSource }, n) => {
      const keyword = [[knowledgeBaseId], ['english'], organization, texts[n % texts.length], 10, 0];
      const { sql, parameters } = searchStatement(keyword, null);
      return queryPrepared(dataSource, sql, parameters);
    },
  };
  const texts = Array.from({ length: rounds }, () => words(6));
  const rows = [];
  for (const [name, work] of Object.entries(works)) {
    const taken = [[], []];
    await withinOrganization(organization, async () => {
      for (let n = 0; n < rounds + 50; n++) {
        for (const side of n % 2 === 0 ? [0, 1] : [1, 0]) {
          const from = performance.now();
          await work(databases[side], n);
          if (n >= 50) taken[side].push((performance.now() - from) * 1_000);
        }
      }
    });
    const figures = taken.map((side) => [0.5, 0.95].map((share) => Math.round(quantile(side, share))));
    rows.push([name, ...figures[1], ...figures[0], `${figures[0][0] - figures[1][0]}`].map(String));
  }
  const head = ['statement', 'off p50 µs', 'p95', 'on p50 µs', 'p95', 'added p50 µs'];
  console.log(plainTable(head, rows));
  for (const database of databases) await database.close();
}
