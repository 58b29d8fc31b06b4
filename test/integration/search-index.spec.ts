import { uuidv7 } from '@bellwether/kernel';
import type { DataSource } from 'typeorm';
import type { Hit } from '../../src/knowledge-bases/search/chunk.types';
import { type KeywordParameters, searchStatement } from '../../src/knowledge-bases/search/hybrid-query';
import { QuestionStems } from '../../src/knowledge-bases/search/question-stems';
import { ResidentIndex } from '../../src/knowledge-bases/search/resident-index';
import { ResidentIndexes } from '../../src/knowledge-bases/search/resident-indexes';
import { ResidentRepository } from '../../src/knowledge-bases/search/resident.repository';
import { searchableText } from '../../src/knowledge-bases/search/searchable-text';
import { type FoundHit, PassageRepository } from '../../src/knowledge-bases/search/passage.repository';
import { SearchIndex } from '../../src/knowledge-bases/search/search-index';
import { Transactions } from '../../src/infrastructure/database/transactions';
import { openTestDatabase, resetDatabase } from '../support/database';
import { indexErrors, NO_ERRORS } from '../support/index-recount';

let dataSource: DataSource;
let transactions: Transactions;
let passages: PassageRepository;
let index: SearchIndex;
const organizationId = uuidv7();
const userId = uuidv7();

beforeAll(async () => {
  dataSource = await openTestDatabase();
  transactions = new Transactions(dataSource);
  passages = new PassageRepository(dataSource);
  index = new SearchIndex(transactions);
});
beforeEach(async () => {
  await resetDatabase(dataSource);
  await dataSource.query(`INSERT INTO organizations (id, slug, name) VALUES ($1, 'o', 'O')`, [organizationId]);
  await dataSource.query(`INSERT INTO users (id, email) VALUES ($1, 'a@example.edu')`, [userId]);
});
afterAll(() => dataSource.destroy());

async function knowledgeBase(): Promise<string> {
  const id = uuidv7();
  await dataSource.query(
    `INSERT INTO knowledge_bases (id, organization_id, owner_id, slug, name, chunk_size, chunk_overlap)
     VALUES ($1, $2, $3, gen_random_uuid()::text, 'K', 2000, 0)`,
    [id, organizationId, userId],
  );
  return id;
}

interface Indexed {
  readonly knowledgeBaseId: string;
  readonly documentId: string;
  readonly generation: string;
}

async function document(knowledgeBaseId: string): Promise<string> {
  const id = uuidv7();
  await dataSource.query(
    `INSERT INTO kb_documents (id, organization_id, knowledge_base_id, filename, content_type, size, sha256, storage_name, status)
     VALUES ($1, $2, $3, gen_random_uuid()::text, 'text/plain', 1, '', '', 'completed')`,
    [id, organizationId, knowledgeBaseId],
  );
  return id;
}

/** Indexes texts as one generation of a document, a chunk each, and puts it in force. */
async function add(target: string | Indexed, texts: readonly string[], configuration = 'simple'): Promise<Indexed> {
  const knowledgeBaseId = typeof target === 'string' ? target : target.knowledgeBaseId;
  const documentId = typeof target === 'string' ? await document(target) : target.documentId;
  const generation = uuidv7();
  for (let first = 0; first < texts.length; first += 10) {
    const chunks = texts.slice(first, first + 10).map((text) => ({
      start: 0,
      end: text.length,
      section: '',
      text,
      tableHeader: null,
      searchText: text,
      page: null,
      pageEnd: null,
      sectionStart: 0,
      sectionEnd: text.length,
    }));
    await transactions.run(async (tx) => {
      await index.lock(organizationId, knowledgeBaseId, tx);
      await index.add({ organizationId, knowledgeBaseId, documentId, generation, configuration, first, chunks }, tx);
    });
  }
  await dataSource.query('UPDATE kb_documents SET generation = $2 WHERE id = $1', [documentId, generation]);
  return { knowledgeBaseId, documentId, generation };
}

const question = (
  knowledgeBaseId: string | readonly string[],
  text: string,
  topK = 10,
  configuration = 'simple',
): KeywordParameters => {
  const ids = [knowledgeBaseId].flat();
  return [ids, ids.map(() => 1), organizationId, [configuration], topK, 0, [text], [configuration]];
};

/** Asks the database and an index in memory, which must find the same. */
async function search(parameters: KeywordParameters): Promise<FoundHit[]> {
  const found = await passages.search(searchStatement(parameters, null));
  const { indexes, ready } = inMemory();
  await ready(parameters);
  const same = (await indexes.search(parameters)) ?? [];
  expect(same.map(withoutFigures)).toEqual(found.map(({ by: _, ...hit }) => withoutFigures(hit)));
  same.forEach(({ similarity, strength }, at) => {
    expect(similarity).toBeCloseTo(found[at]?.similarity ?? -1, 9);
    expect(strength).toBeCloseTo(found[at]?.strength ?? -1, 9);
  });
  return found;
}

const withoutFigures = ({ similarity: _, strength: __, ...hit }: Hit) => hit;

/** Indexes in memory that are told of every write by `written`. */
function inMemory() {
  const handlers: ((organizationId: string | null) => void)[] = [];
  const indexes = new ResidentIndexes(new ResidentRepository(dataSource), {
    on: (_tables, handler) => handlers.push(handler),
  });
  const ready = async (parameters: KeywordParameters): Promise<void> => {
    for (let asked = 0; asked < 2 * parameters[0].length + 1; asked++) {
      await indexes.search(parameters);
      await indexes.settled();
    }
  };
  const written = (): void => handlers.forEach((handler) => handler(organizationId));
  return { indexes, ready, written };
}

const ask = (...asked: Parameters<typeof question>): Promise<FoundHit[]> => search(question(...asked));

/** Numbers below 1 that are the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Words as languages have them: the n-th is about 1/n as frequent as the first. */
const text = (next: () => number, words: number, vocabulary: number): string =>
  Array.from({ length: words }, () => `w${Math.floor(vocabulary ** next())}`).join(' ');

/** BM25 over all texts, the plain way. */
function bm25(texts: readonly string[], question: string): { text: string; score: number }[] {
  const bags = texts.map((each) => each.split(' '));
  const mean = bags.reduce((sum, bag) => sum + bag.length, 0) / bags.length;
  const scores = bags.map(() => 0);
  for (const word of question.split(' ')) {
    const df = bags.filter((bag) => bag.includes(word)).length;
    const idf = Math.log(1 + (bags.length - df + 0.5) / (df + 0.5));
    bags.forEach((bag, at) => {
      const tf = bag.filter((each) => each === word).length;
      scores[at] = (scores[at] ?? 0) + (idf * tf) / (tf + 0.25 + (0.75 * bag.length) / mean);
    });
  }
  return texts
    .map((each, at) => ({ text: each, score: scores[at] ?? 0 }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
}

it('ranks as BM25 does, through terms that fill blocks', async () => {
  const next = random(1);
  const texts = Array.from({ length: 400 }, () => text(next, 20 + Math.floor(60 * next()), 500));
  const kb = await knowledgeBase();
  await add(kb, texts);
  const [blocks] = await dataSource.query<{ n: number }[]>('SELECT count(*)::int AS n FROM kb_posting_blocks');
  expect(blocks?.n).toBeGreaterThan(5);
  for (let question = 0; question < 20; question++) {
    const words = text(next, 5, 500);
    const hits = await ask(kb, words, 10);
    const expected = bm25(texts, words).slice(0, 10);
    const share = (hits[0]?.similarity ?? 0) / (expected[0]?.score ?? 1);
    hits.forEach((hit, at) => expect(hit.similarity).toBeCloseTo((expected[at]?.score ?? 0) * share, 9));
    expect(hits).toHaveLength(expected.length);
  }
});

it('counts a word as often as the question repeats it', async () => {
  const kb = await knowledgeBase();
  const texts = ['salt and light', 'water and light', 'roots', 'leaves'];
  await add(kb, texts);
  const repeated = 'water salt water';
  const hits = await ask(kb, repeated);
  expect(hits.map((hit) => hit.text)).toEqual(['water and light', 'salt and light']);
  const expected = bm25(texts, repeated);
  const [first, second] = hits.map(({ similarity }) => similarity);
  expect((first ?? 0) / (second ?? 1)).toBeCloseTo((expected[0]?.score ?? 0) / (expected[1]?.score ?? 1), 9);
  expect((first ?? 0) / (second ?? 1)).toBeCloseTo(2, 9);
});

it('keeps the similarity between 0 and 1 however often a word is repeated', async () => {
  const kb = await knowledgeBase();
  await add(kb, ['osmosis '.repeat(300), 'water']);
  const [hit] = await ask(kb, 'osmosis '.repeat(900));
  expect(hit?.similarity).toBeGreaterThan(0.9);
  expect(hit?.similarity).toBeLessThan(1);
});

it('keeps its figures exact when uploads, replacements and deletions come at random and at once', async () => {
  const bases = [await knowledgeBase(), await knowledgeBase()];
  const worker = async (seed: number): Promise<void> => {
    const next = random(seed);
    const own: Indexed[] = [];
    for (let step = 0; step < 12; step++) {
      const texts = Array.from({ length: 1 + Math.floor(40 * next()) }, () => text(next, 30, 300));
      const old = own[Math.floor(next() * own.length)];
      const roll = next();
      if (old === undefined || roll < 0.5) {
        own.push(await add(bases[Math.floor(2 * next())] ?? '', texts));
      } else if (roll < 0.75) {
        const { generation } = await add(old, texts);
        await index.removeChunks({ organizationId, ...old }, old.generation);
        own[own.indexOf(old)] = { ...old, generation };
      } else {
        await index.removeChunks({ organizationId, ...old }, next() < 0.5 ? null : old.generation);
        own.splice(own.indexOf(old), 1);
      }
    }
    for (const each of own.slice(2)) await index.removeChunks({ organizationId, ...each }, null);
  };
  await Promise.all([1, 2, 3, 4].map(worker));
  expect(await indexErrors(dataSource)).toEqual(NO_ERRORS);
  const [used] = await dataSource.query<{ n: number }[]>('SELECT count(*)::int AS n FROM kb_chunks');
  expect(used?.n).toBeGreaterThan(0);
});

it('leaves nothing behind when the last chunk goes', async () => {
  const next = random(7);
  const kb = await knowledgeBase();
  const documents: Indexed[] = [];
  for (let n = 0; n < 12; n++)
    documents.push(
      await add(
        kb,
        Array.from({ length: 30 }, () => text(next, 30, 200)),
      ),
    );
  for (const each of documents) await index.removeChunks({ organizationId, ...each }, null);
  for (const table of ['kb_chunks', 'kb_chunk_terms', 'kb_terms', 'kb_posting_blocks']) {
    expect(await dataSource.query(`SELECT * FROM ${table}`)).toEqual([]);
  }
  expect(await dataSource.query('SELECT chunk_count, token_count::int FROM knowledge_bases')).toEqual([
    { chunk_count: 0, token_count: 0 },
  ]);
});

it('answers from the generation in force only, whatever stands beside it', async () => {
  const kb = await knowledgeBase();
  const old = await add(kb, ['osmosis of water', 'osmosis of salt']);
  await add(old, ['osmosis today']);
  expect((await ask(kb, 'osmosis')).map((hit) => hit.text)).toEqual(['osmosis today']);
});

it('gives each knowledge base its best, weighed together', async () => {
  const [a, b] = [await knowledgeBase(), await knowledgeBase()];
  await add(a, ['osmosis water', 'water', 'osmosis osmosis']);
  await add(b, ['water water salt', 'salt']);
  const hits = await ask([a, b], 'osmosis water', 2);
  expect(hits.map((hit) => [hit.knowledge_base_id === a, hit.text])).toEqual([
    [true, 'osmosis water'],
    [true, 'osmosis osmosis'],
    [false, 'water water salt'],
  ]);
});

it.each(['', '   ', '!?', 'nowhere to be found'])('finds nothing for %j', async (question) => {
  const kb = await knowledgeBase();
  await add(kb, ['osmosis']);
  expect(await ask(kb, question)).toEqual([]);
});

it('finds the words it knows among any number that it does not', async () => {
  const kb = await knowledgeBase();
  await add(kb, ['osmosis of water', 'light']);
  const unknown = Array.from({ length: 100 }, (_, n) => `nowhere${n}`).join(' ');
  expect((await ask(kb, `${unknown} osmosis`)).map((hit) => hit.text)).toEqual(['osmosis of water']);
});

it('takes a chunk without a single word', async () => {
  const kb = await knowledgeBase();
  await add(kb, ['—', 'osmosis']);
  expect(await indexErrors(dataSource)).toEqual(NO_ERRORS);
  expect(await ask(kb, 'osmosis')).toHaveLength(1);
});

it('finds chunks whose ids need more than 32 bits', async () => {
  await dataSource.query('ALTER TABLE kb_chunks ALTER COLUMN id RESTART WITH 2147483646');
  const kb = await knowledgeBase();
  const texts = ['osmosis of water', 'diffusion of salt', 'osmosis of salt', 'osmosis'];
  await add(kb, texts);
  const [{ last }] = await dataSource.query<[{ last: string }]>('SELECT max(id) AS last FROM kb_chunks');
  expect(Number(last)).toBeGreaterThan(2 ** 31);
  expect((await ask(kb, 'osmosis')).map(({ text }) => text).sort()).toEqual([texts[3], texts[2], texts[0]].sort());
  expect((await ask(kb, 'diffusion')).map(({ text }) => text)).toEqual([texts[1]]);
});

it('asks each knowledge base in its wordings and takes the best of them', async () => {
  const [a, b] = [await knowledgeBase(), await knowledgeBase()];
  await add(a, ['the cells of a leaf', 'water and light'], 'english');
  await add(b, ['las celulas de la hoja', 'the cell of a leaf', 'agua'], 'spanish');
  const wordings = ['which cells has a leaf', 'que celulas tiene la hoja'];
  const configurations = ['english', 'spanish'];
  const hits = await search([[a, b, b], [1, 1, 2], organizationId, configurations, 5, 0, wordings, configurations]);
  expect(hits.map(({ text }) => text).sort()).toEqual([
    'las celulas de la hoja',
    'the cell of a leaf',
    'the cells of a leaf',
  ]);
});

describe('an index in memory', () => {
  it('is read after the second question, and again when something was written and asked for twice', async () => {
    const kb = await knowledgeBase();
    const first = await add(kb, ['osmosis of water']);
    const { indexes, written } = inMemory();
    const asked = question(kb, 'osmosis');
    const found = async () => {
      const hits = await indexes.search(asked);
      await indexes.settled();
      return hits?.map(({ text }) => text) ?? null;
    };
    expect(await found()).toBeNull();
    expect(await found()).toBeNull();
    expect(await found()).toEqual(['osmosis of water']);
    await add(first, ['osmosis today']);
    written();
    expect(await found()).toBeNull();
    expect(await found()).toBeNull();
    expect(await found()).toEqual(['osmosis today']);
  });

  it('is read once when there is no room for it', async () => {
    const state = { id: 'large', chunkCount: 1, tokenCount: 1, version: '1' };
    const text = 'x'.repeat(60_000_000);
    let read = 0;
    const repository = {
      states: () => Promise.resolve([state]),
      read: () => {
        read += 1;
        return Promise.resolve(new ResidentIndex(state, [], [{ chunk_id: '1', text, terms: '', length: 1 } as never]));
      },
    };
    const indexes = new ResidentIndexes(repository as unknown as ResidentRepository, { on: () => undefined });
    for (let asked = 0; asked < 5; asked++) {
      expect(await indexes.search(question('large', 'x'))).toBeNull();
      await indexes.settled();
    }
    expect(read).toBe(1);
  });

  it('is none for another organization, for a deleted knowledge base and for a large one', async () => {
    const kb = await knowledgeBase();
    await add(kb, ['osmosis']);
    const { indexes, ready, written } = inMemory();
    const asked = question(kb, 'osmosis');
    await ready(asked);
    expect(await indexes.search(asked)).toHaveLength(1);
    const [ids, numbers, , ...rest] = asked;
    expect(await indexes.search([ids, numbers, uuidv7(), ...rest])).toBeNull();
    await dataSource.query('UPDATE knowledge_bases SET chunk_count = 1000000');
    written();
    await ready(asked);
    expect(await indexes.search(asked)).toBeNull();
    await dataSource.query('UPDATE knowledge_bases SET chunk_count = 1, deleted_at = now()');
    written();
    await ready(asked);
    expect(await indexes.search(asked)).toBeNull();
  });
});

describe('stems that are remembered', () => {
  const CONFIGURATIONS = ['english', 'spanish', 'catalan', 'simple'];
  const WORDINGS = [
    'Why do the cells, and "the cell" (of a leaf), divide? cells',
    "don't re-use client/server, numpy.array or a.b@example.edu; see https://example.edu/a?b=c.",
    '12 apples, 3.14 pies, 007, -5 and 1e5 and v1.2.3: 12',
    'la celebracion, las celebraciones; ¿que es la biologia? ñandú',
    '<b>cells and <a href="x y">leaves</a> &amp; roots',
    "e.g. L'Hospitalet, l·l, Œuvre_1 C++ C# .NET node.js",
    `${'word '.repeat(300)}`,
    `${'x'.repeat(300)} cell`,
    '光合作用 光合 и клетки',
    '',
  ];

  it.each(CONFIGURATIONS)('are those of the whole text, in %s', async (configuration) => {
    const repository = new ResidentRepository(dataSource);
    const stems = new QuestionStems((...asked) => repository.words(...asked));
    const same = WORDINGS.map(() => configuration);
    const whole = await repository.words(same, WORDINGS, same);
    expect(await stems.words(same, WORDINGS, same)).toEqual(whole);
    expect(await stems.words(same, WORDINGS, same)).toEqual(whole);
  });

  it('leave a wording of another language whole', async () => {
    const repository = new ResidentRepository(dataSource);
    const stems = new QuestionStems((...asked) => repository.words(...asked));
    const asked = [
      ['english', 'spanish', 'english'],
      ['install the instant cells', 'las celulas instantaneas de instalar', 'the cells'],
      ['english', 'english', 'english'],
    ] as const;
    const whole = await repository.words(...asked);
    expect(whole.map(({ number }) => number)).toEqual(expect.arrayContaining([1, 2, 3]));
    expect(await stems.words(...asked)).toEqual(whole);
  });

  it('ask for unknown words only, all in one statement', async () => {
    const repository = new ResidentRepository(dataSource);
    const told: (readonly string[])[] = [];
    const stems = new QuestionStems((...asked) => {
      told.push(asked[1]);
      return repository.words(...asked);
    });
    const words = (text: string) => stems.words(['english'], [text], ['english']);
    await words('Why do cells divide?');
    await words('Do cells divide 3 times, and why do "cells" divide?');
    await words('cells divide');
    expect(told).toEqual([
      ['Why', 'do', 'cells', 'divide'],
      ['Do', 'times', 'and', 'why'],
    ]);
    await stems.learn('english', ['Plants grow; cells divide.', 'Why do <b>roots</b> grow?']);
    await words('plants grow');
    expect(told.slice(2)).toEqual([['Plants', 'plants', 'grow']]);
  });

  it('are those of the material after the first question', async () => {
    const kb = await knowledgeBase();
    await add(kb, ['osmosis of water', 'membranes and salts']);
    const repository = new ResidentRepository(dataSource);
    const asked = jest.spyOn(repository, 'words');
    const indexes = new ResidentIndexes(repository, { on: () => undefined });
    for (let n = 0; n < 3; n++) {
      await indexes.search(question(kb, 'osmosis'));
      await indexes.settled();
    }
    asked.mockClear();
    expect(await indexes.search(question(kb, 'membranes and water'))).toHaveLength(2);
    expect(asked).not.toHaveBeenCalled();
  });
});

describe('languages', () => {
  it.each([
    ['spanish', 'celebraciones', 'la celebracion del año'],
    ['spanish', 'celebracion', 'las celebraciones del año'],
    ['spanish', 'biologico', 'manual de biologia'],
    ['catalan', 'celebracions', 'una celebracio a la ciutat'],
    ['catalan', 'decisio', 'les DECISIONS del jutge'],
    ['portuguese', 'celebracoes', 'a celebracao do ano'],
    ['english', 'cells', 'a cell divides'],
    ['basque', 'landareak', 'landare baten zelulak'],
    ['simple', 'cell', 'a cell divides'],
  ])('%s: %s finds %s', async (configuration, question, passage) => {
    const kb = await knowledgeBase();
    await add(kb, [passage], configuration);
    expect(await ask(kb, searchableText(question), 1, configuration)).toHaveLength(1);
  });

  // Each question asks for the last passage; the first one only has the question's small words.
  it.each([
    [
      'catalan',
      'Què és el que hi ha als cloroplasts de les plantes i per què són com són?',
      'És el que és i el que hi ha, que també és com és per a tots els que hi són amb les seves.',
      'La clorofil·la dels cloroplasts dona el color verd.',
    ],
    [
      'basque',
      'Zer da eta zergatik egiten dute hori guztiek kloroplastoetan?',
      'Hori da, eta zergatik da hori? Zer da hau eta zer da hori, eta zein dira horiek, hori dute eta.',
      'Kloroplastoak argia jasotzen du.',
    ],
    [
      'spanish',
      '¿Cuál es el porqué de que también esté así, según cuáles, el cloroplasto?',
      'También es así, según cuáles, y más aún así: según cuál, así también está; cuál más, cuáles también.',
      'Un cloroplasto capta luz.',
    ],
    [
      'romanian',
      'Ce este și care sunt cele ce se află în cloroplaste și de ce?',
      'Este ce este și care sunt cele ce sunt, și de ce nu este și cea care este în care se.',
      'Cloroplaste verzi captează lumina.',
    ],
  ])('%s: small words do not decide', async (configuration, question, small, matter) => {
    const kb = await knowledgeBase();
    const filler = Array.from({ length: 6 }, (_, n) => `alfa beta gamma ${n}`);
    await add(kb, [small, ...filler, matter].map(searchableText), configuration);
    const hits = await ask(kb, searchableText(question), 3, configuration);
    expect(hits[0]?.text).toBe(searchableText(matter));
    expect(hits.map((hit) => hit.text)).not.toContain(searchableText(small));
  });
});
