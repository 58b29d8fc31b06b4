import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { migrations } from '../../migrations';
import { KnowledgeBaseEntity } from '../../src/knowledge-bases/storage/knowledge-base.entity';
import type { Hit } from '../../src/knowledge-bases/search/chunk.types';
import { VectorGraphs } from '../../src/knowledge-bases/search/vector-graphs';
import { VectorGraphRepository } from '../../src/knowledge-bases/search/vector-graphs.repository';
import { searchStatement } from '../../src/knowledge-bases/search/hybrid-query';
import { PassageRepository } from '../../src/knowledge-bases/search/passage.repository';
import { vectorParameters, vectorQuery, type VectorScope } from '../../src/knowledge-bases/search/vector-query';
import { VectorStore } from '../../src/knowledge-bases/search/vector-store';
import { VectorStoreRepository } from '../../src/knowledge-bases/search/vector-store.repository';
import { createDataSource } from '../../src/infrastructure/postgres/connection/data-source';
import { migrate } from '../../src/infrastructure/database';
import { openTestDatabase, ownedDatabase, resetDatabase } from '../support/database';
import { createScratchDatabase } from '../support/scratch-database';

const hasVectors = process.env.TEST_DATABASE_URL === undefined;
const withVectors = hasVectors ? describe : describe.skip;

let db: DataSource;
let repository: VectorStoreRepository;

const storeOver = (each: VectorStoreRepository, over: DataSource = db): VectorStore =>
  new VectorStore(each, new VectorGraphs(new VectorGraphRepository(over, ownedDatabase(over)), { engine: 'embedded' }));

beforeAll(async () => {
  Logger.overrideLogger(false);
  db = await openTestDatabase();
  repository = new VectorStoreRepository(db, ownedDatabase(db));
});
afterAll(() => db.destroy());

/** The same numbers every time. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Around one of a few centres, as the topics of real texts are. */
function vectorMaker(dimensions: number, seed = 1): () => number[] {
  const random = randomNumbers(seed);
  const centres = Array.from({ length: 20 }, () => Array.from({ length: dimensions }, () => random() - 0.5));
  return () => {
    const centre = centres[Math.floor(random() * centres.length)] ?? [];
    const vector = centre.map((value) => value + 0.7 * (random() - 0.5));
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  };
}

interface Base {
  readonly organizationId: string;
  readonly knowledgeBaseId: string;
  readonly index: number;
  /** Of its chunks, by document. */
  readonly vectors: Map<string, readonly number[]>;
}

async function organization(): Promise<{ organizationId: string; userId: string }> {
  const [organizationId, userId] = [randomUUID(), randomUUID()];
  await db.query(`INSERT INTO organizations (id, slug, name) VALUES ($1, $2, 'o')`, [organizationId, organizationId]);
  await db.query(`INSERT INTO users (id, email) VALUES ($1, $2)`, [userId, `${userId}@example.edu`]);
  return { organizationId, userId };
}

let lastIndex = 1_000;

async function base(
  { organizationId, userId }: { organizationId: string; userId: string },
  documents: number,
  chunks: number,
  make: () => number[],
): Promise<Base> {
  const knowledgeBaseId = randomUUID();
  const index = (lastIndex += 1);
  const dimensions = make().length;
  const embedding = JSON.stringify({ provider: 'test', model: 'test', dimensions });
  await db.query(
    `INSERT INTO knowledge_bases (id, organization_id, owner_id, slug, name, chunk_size, chunk_overlap, chunk_count, embedding,
       vector_embedding, vector_index) VALUES ($1, $2, $3, $4, 'n', 200, 0, $5, $6, $6, $7)`,
    [knowledgeBaseId, organizationId, userId, `s${index}`, documents * chunks, embedding, index],
  );
  await db.query(
    `INSERT INTO kb_documents (id, organization_id, knowledge_base_id, filename, content_type, size, sha256, storage_name,
       status, generation)
     SELECT gen_random_uuid(), $1, $2, 'd' || n, 't', 1, 'x', 'x', 'completed', gen_random_uuid() FROM generate_series(1, $3) n`,
    [organizationId, knowledgeBaseId, documents],
  );
  const ids = await addChunks(knowledgeBaseId, chunks);
  const vectors = new Map(ids.map((id) => [id, make()]));
  for (let first = 0; first < ids.length; first += 500) {
    const batch = ids.slice(first, first + 500).map((chunkId) => ({ chunkId, vector: vectors.get(chunkId) ?? [] }));
    await repository.add({ organizationId, knowledgeBaseId, index }, batch);
  }
  return { organizationId, knowledgeBaseId, index, vectors };
}

/** Chunks of the generation in force, or of another one. */
async function addChunks(knowledgeBaseId: string, count: number, generation: string | null = null): Promise<string[]> {
  const rows = await db.query<{ id: string }[]>(
    `INSERT INTO kb_chunks (organization_id, knowledge_base_id, document_id, generation, ordinal, start_offset, end_offset,
       section, text, section_start, section_end, length)
     SELECT d.organization_id, d.knowledge_base_id, d.id, coalesce($2, d.generation), n, 0, 1, 's', 't', 0, 1, 1
     FROM kb_documents d CROSS JOIN generate_series(1, $3) n WHERE d.knowledge_base_id = $1 RETURNING id`,
    [knowledgeBaseId, generation, count],
  );
  return rows.map(({ id }) => id);
}

const scopeOf = ({ knowledgeBaseId, index }: Base, vector: readonly number[]): VectorScope => ({
  knowledgeBaseId,
  index,
  vector,
});
const search = (
  organizationId: string,
  scopes: readonly VectorScope[],
  { topK = 10, threshold = 0 } = {},
): Promise<Hit[]> =>
  new PassageRepository(db).search(searchStatement(null, { organizationId, scopes, topK, threshold, graphs: [] }));

/** What a search must give: computed here, over the vectors themselves. */
const nearest = ({ vectors }: Base, question: readonly number[], topK: number): string[] =>
  [...vectors]
    .map(([id, vector]) => [id, vector.reduce((sum, value, at) => sum + value * (question[at] ?? 0), 0)] as const)
    .sort((a, b) => b[1] - a[1])
    .slice(0, topK)
    .map(([id]) => id);

const recall = (found: readonly Hit[], expected: readonly string[]): number =>
  found.filter(({ chunk_id }) => expected.includes(chunk_id)).length / expected.length;

describe('the place for vectors', () => {
  it('is made by whoever starts first, and found by everybody', async () => {
    const stores = [storeOver(repository), storeOver(repository), storeOver(repository)];
    await Promise.all(stores.map((store) => store.prepare()));
    for (const store of stores) {
      expect(store.available).toBe(hasVectors);
      if (!hasVectors) expect(store.unavailable).toContain('has no pgvector');
    }
    const [{ table }] = await db.query(`SELECT to_regclass('kb_vectors') IS NOT NULL AS table`);
    expect(table).toBe(hasVectors);
  });

  it('is not needed where it may not be made', async () => {
    const refused = Object.assign(Object.create(repository) as VectorStoreRepository, {
      extension: async () => ({ installed: null, available: true, visible: false }),
      createExtension: async () => Promise.reject(new Error('permission denied to create extension "vector"')),
    });
    const store = storeOver(refused);
    await store.prepare();
    expect(store.unavailable).toContain('CREATE EXTENSION vector');
    const elsewhere = Object.assign(Object.create(repository) as VectorStoreRepository, {
      extension: async () => ({ installed: '0.8.0', available: true, visible: false }),
    });
    const hidden = storeOver(elsewhere);
    await hidden.prepare();
    expect(hidden.unavailable).toContain('search path');
  });

  it('is no difference between schema and entities', async () => {
    const scratch = await createScratchDatabase();
    const over = await createDataSource({ url: scratch.url, poolSize: 2, migrations }).initialize();
    try {
      expect(over.hasMetadata(KnowledgeBaseEntity)).toBe(true);
      await migrate(over);
      const store = storeOver(new VectorStoreRepository(over, ownedDatabase(over)), over);
      await store.prepare();
      await store.prepare();
      const { upQueries } = await over.driver.createSchemaBuilder().log();
      expect(upQueries.filter(({ query }) => /vector/.test(query))).toEqual([]);
    } finally {
      await over.destroy();
      await scratch.drop();
    }
  });
});

withVectors('an exact search', () => {
  const make = vectorMaker(24);
  let first: Base;
  let second: Base;
  let foreign: Base;

  beforeAll(async () => {
    await resetDatabase(db);
    await storeOver(repository).prepare();
    const home = await organization();
    first = await base(home, 3, 40, make);
    second = await base(home, 2, 30, make);
    foreign = await base(await organization(), 2, 30, make);
  });

  it('gives the nearest chunks of each knowledge base, best first over all, by max(0, cosine)', async () => {
    const question = make();
    const found = await search(first.organizationId, [scopeOf(first, question), scopeOf(second, question)], {
      topK: 7,
    });
    expect(found.map(({ similarity }) => similarity)).toEqual(
      found.map(({ similarity }) => similarity).sort((a, b) => b - a),
    );
    for (const each of [first, second]) {
      const own = found.filter(({ knowledge_base_id }) => knowledge_base_id === each.knowledgeBaseId);
      expect(own.map(({ chunk_id }) => chunk_id)).toEqual(nearest(each, question, 7));
    }
    const [best] = found;
    const vector = (first.vectors.get(best?.chunk_id ?? '') ?? second.vectors.get(best?.chunk_id ?? '')) as number[];
    const cosine = vector.reduce((sum, value, at) => sum + value * (question[at] ?? 0), 0);
    expect(best?.similarity).toBeCloseTo(cosine, 5);
    const away = await search(
      first.organizationId,
      [
        scopeOf(
          first,
          question.map((value) => -value),
        ),
      ],
      { topK: 200 },
    );
    expect(Math.min(...away.map(({ similarity }) => similarity))).toBe(0);
  });

  it('asks each knowledge base with a vector of its own model in one statement', async () => {
    const other = await base(await sameOrganization(first), 1, 20, vectorMaker(8, 5));
    const [question, short] = [make(), vectorMaker(8, 9)()];
    const found = await search(first.organizationId, [scopeOf(first, question), scopeOf(other, short)], { topK: 3 });
    const ids = (of: Base) => found.filter(({ knowledge_base_id }) => knowledge_base_id === of.knowledgeBaseId);
    expect(ids(first).map(({ chunk_id }) => chunk_id)).toEqual(nearest(first, question, 3));
    expect(ids(other).map(({ chunk_id }) => chunk_id)).toEqual(nearest(other, short, 3));
  });

  it('leaves out what is below the threshold', async () => {
    const question = make();
    const all = await search(first.organizationId, [scopeOf(first, question)], { topK: 20 });
    const least = all[4]?.similarity ?? 0;
    expect(await search(first.organizationId, [scopeOf(first, question)], { topK: 20, threshold: least })).toHaveLength(
      5,
    );
  });

  it('gives nothing of another organization, whatever index and knowledge base are named', async () => {
    const question = make();
    for (const scope of [
      scopeOf(foreign, question),
      { ...scopeOf(first, question), index: foreign.index },
      { ...scopeOf(foreign, question), index: first.index },
      { ...scopeOf(second, question), index: first.index },
    ]) {
      expect(await search(first.organizationId, [scope])).toEqual([]);
    }
  });

  it('gives only chunks of the generation in force, however near the others are', async () => {
    const question = make();
    const ids = await addChunks(first.knowledgeBaseId, 300, randomUUID());
    await repository.add(
      { ...first },
      ids.map((chunkId) => ({ chunkId, vector: question })),
    );
    const found = await search(first.organizationId, [scopeOf(first, question)]);
    expect(found.map(({ chunk_id }) => chunk_id)).toEqual(nearest(first, question, 10));
    await db.query(`DELETE FROM kb_chunks WHERE id = ANY ($1)`, [ids]);
    expect(await repository.size(first.index)).toBe(first.vectors.size);
  });

  it('knows no vectors for an index that its knowledge base no longer names', async () => {
    const [chunkId = ''] = first.vectors.keys();
    await repository.add({ ...first, index: 999_999 }, [{ chunkId, vector: make() }]);
    await repository.add({ ...second }, [{ chunkId, vector: make() }]);
    expect(await repository.size(999_999)).toBe(0);
    expect(await repository.size(second.index)).toBe(second.vectors.size);
    await db.query(`UPDATE knowledge_bases SET vector_index = NULL WHERE id = $1`, [second.knowledgeBaseId]);
    expect(await repository.unused()).toEqual([second.index]);
    while (await repository.removeSome(second.index));
    expect(await repository.size(second.index)).toBe(0);
  });
});

async function sameOrganization({ knowledgeBaseId }: Base): Promise<{ organizationId: string; userId: string }> {
  const [row] = await db.query<[{ organizationId: string; userId: string }]>(
    `SELECT organization_id AS "organizationId", owner_id AS "userId" FROM knowledge_bases WHERE id = $1`,
    [knowledgeBaseId],
  );
  return row;
}

withVectors.each([
  ['vectors of 32 bits', 48, 1_500],
  ['vectors of 16 bits, of more than 2,000 dimensions', 2_048, 120],
])('a graph over %s', (_, dimensions, count) => {
  const make = vectorMaker(dimensions, 3);
  const question = vectorMaker(dimensions, 3);
  let large: Base;
  let small: Base;
  const graphs = () => new VectorGraphs(new VectorGraphRepository(db, ownedDatabase(db)), { engine: 'embedded' });

  beforeAll(async () => {
    await resetDatabase(db);
    await storeOver(repository).prepare();
    const home = await organization();
    large = await base(home, 10, count / 10, make);
    small = await base(home, 1, 10, make);
    await graphs().maintain(new AbortController().signal, 100);
  }, 60_000);

  afterAll(async () => {
    await resetDatabase(db);
    await graphs().maintain(new AbortController().signal, 100);
    expect(await new VectorGraphRepository(db, ownedDatabase(db)).existing()).toEqual([]);
  });

  it('is built for large indexes only, and found by others', async () => {
    const known = graphs();
    expect(known.of([large.index])).toEqual([]);
    await known.refresh();
    expect(known.of([large.index, small.index])).toMatchObject([{ index: large.index, dimensions }]);
    expect(await known.needMaintenance(100)).toBe(false);
  });

  /** By the graph, which a planner would not use for so few: sorting them is cheaper. */
  const byGraph = (organizationId: string, scopes: readonly VectorScope[], explain = ''): Promise<any[]> =>
    db.transaction(async (tx) => {
      await tx.query('SET LOCAL enable_sort = off');
      const graph = [{ index: large.index, dimensions }];
      return tx.query(explain + vectorQuery(graph), [
        ...vectorParameters({ organizationId, scopes, topK: 10, threshold: 0 }),
      ]);
    });

  it('is used, and finds what an exact search finds', async () => {
    let found = 0;
    for (let round = 0; round < 20; round += 1) {
      const vector = question();
      found += recall(await byGraph(large.organizationId, [scopeOf(large, vector)]), nearest(large, vector, 10));
    }
    expect(found / 20).toBeGreaterThanOrEqual(0.98);
    const plan = await byGraph(large.organizationId, [scopeOf(large, question())], 'EXPLAIN ');
    expect(JSON.stringify(plan)).toContain(`Index Scan using kb_vectors_graph_${large.index}_${dimensions}`);
  });

  it('goes on until enough are in force, and mixes with knowledge bases that are scanned', async () => {
    const vector = question();
    const [gone = ''] = nearest(large, vector, 1);
    const ids = await addChunks(large.knowledgeBaseId, dimensions < 100 ? 20 : 3, randomUUID());
    await repository.add(
      { ...large },
      ids.map((chunkId) => ({ chunkId, vector })),
    );
    const scopes = [scopeOf(large, vector), scopeOf(small, vector)];
    const found = await byGraph(large.organizationId, scopes);
    const own = found.filter(({ knowledge_base_id }) => knowledge_base_id === large.knowledgeBaseId);
    expect(own).toHaveLength(10);
    expect(own[0]?.chunk_id).toBe(gone);
    expect(found.filter(({ knowledge_base_id }) => knowledge_base_id === small.knowledgeBaseId)).toHaveLength(10);
    const exact = await db.query(vectorQuery(), [
      [large.knowledgeBaseId],
      [large.index],
      [`[${vector.join(',')}]`],
      large.organizationId,
      1,
      0,
    ]);
    expect(exact).toMatchObject([{ chunk_id: gone }]);
    const foreign = await organization();
    expect(await byGraph(foreign.organizationId, scopes)).toEqual([]);
    await db.query(`DELETE FROM kb_chunks WHERE id = ANY ($1)`, [ids]);
  });
});
