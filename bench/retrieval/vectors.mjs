// Exact vector search within one knowledge base, and how much of it an HNSW graph finds (built for this only).
import pg from 'pg';
import { figure, plainTable } from '../lib/report.mjs';
import { quantile } from '../lib/stats.mjs';
import { built } from '../lib/built.mjs';
import { mean, sample } from './collections.mjs';
import { DIMENSIONS, embed, startEmbedder } from './embedder.mjs';
import { startService } from './service.mjs';
import { documents, oneLanguage, time } from './speed.mjs';

/** Settings of the service's graphs and searches (the last `ef`). */
const GRAPH = 'm = 16, ef_construction = 200';
const EF_SEARCH = [120, 400, 800, 1_000];

/** Runs on a service and a database of its own: the graph is made behind its back. */
export async function run({ collections, questions, load, vectorSize }) {
  const same = oneLanguage(collections);
  const asked = sample(
    same.flatMap(({ queries }) => queries),
    questions,
  );
  const embedder = await startEmbedder();
  const service = await startService({
    OPENAI_BASE_URL: embedder.url,
    OPENAI_API_KEY: 'sk-bench',
    OUTBOUND_ALLOW: '127.0.0.1',
  });
  try {
    const embedding = { provider: 'openai', model: 'bench-words' };
    const base = await service.create({ name: 'Vectors', language: same[0].language, embedding });
    const seconds = await service.ingest(base.id, [...documents(same, vectorSize)]);
    const taken = await time(service, base.id, asked, { mode: 'vector' });
    const busy = load();
    await service.stop({ keep: true });
    const graph = await graphRecall(service.dataDir, sample(asked, 100));
    const exact = plainTable(
      ['vectors', 'dimensions', 'taken in per s', 'exact p50 ms', 'p95 ms', 'load'],
      [
        [
          figure(vectorSize),
          DIMENSIONS,
          figure(vectorSize / seconds),
          figure(quantile(taken, 0.5)),
          figure(quantile(taken, 0.95)),
          busy,
        ],
      ],
    );
    const found = graph.map(({ ef, recall, p50 }) => [ef, recall.toFixed(4), figure(p50)]);
    return `${exact}\n\n${plainTable(['HNSW, ef', 'recall@10 of exact', 'p50 ms'], found)}`;
  } finally {
    await service.stop();
    embedder.stop();
  }
}

async function graphRecall(dataDir, asked) {
  const { startEmbedded } = built('packages/embedded-postgres/src/embedded-database');
  const engine = process.env.BENCH_DATABASE_URL ? null : await startEmbedded({ dataDir });
  const client = new pg.Client(engine?.url ?? process.env.BENCH_DATABASE_URL);
  await client.connect();
  const near = async (text) => {
    const vector = JSON.stringify(embed(text));
    const sql = `SELECT chunk_id FROM kb_vectors ORDER BY embedding::vector(${DIMENSIONS}) <#> $1::vector(${DIMENSIONS}) LIMIT 10`;
    const from = performance.now();
    const { rows } = await client.query(sql, [vector]);
    return { ids: rows.map(({ chunk_id: id }) => id), ms: performance.now() - from };
  };
  try {
    const exact = [];
    for (const { text } of asked) exact.push((await near(text)).ids);
    await client.query(
      `CREATE INDEX bench_graph_idx ON kb_vectors USING hnsw ((embedding::vector(${DIMENSIONS})) vector_ip_ops) WITH (${GRAPH})`,
    );
    await client.query('SET enable_seqscan = off');
    const results = [];
    for (const ef of EF_SEARCH) {
      await client.query(`SET hnsw.ef_search = ${ef}`);
      const [taken, shares] = [[], []];
      for (const [at, { text }] of asked.entries()) {
        const { ids, ms } = await near(text);
        taken.push(ms);
        shares.push(ids.filter((id) => exact[at].includes(id)).length / exact[at].length);
      }
      results.push({ ef, recall: mean(shares), p50: quantile(taken, 0.5) });
    }
    return results;
  } finally {
    await client.query('DROP INDEX IF EXISTS bench_graph_idx');
    await client.end();
    await engine?.close();
  }
}
