import type { Principal } from '@bellwether/kernel';
import PDFDocument from 'pdfkit';
import { DataSource } from 'typeorm';
import { type RetrievalQuery, RetrievalService } from '../../src/knowledge-bases';
import { IndexUpgrade } from '../../src/knowledge-bases/ingestion/index-upgrade';
import { INDEX_VERSION } from '../../src/knowledge-bases/search/searchable-text';
import { startApp, type TestApp } from '../support/app';
import { ingested } from '../support/ingested';
import { startKbServer } from '../support/kb-server';
import { type Person, person } from '../support/people';
import { until } from '../support/until';

let app: TestApp;
let teacher: Person;
let owner: Principal;

beforeAll(async () => {
  app = await startApp();
  teacher = await person(app);
  owner = { organizationId: (await teacher.api('GET', '/api/v1/me')).json.organization.id, userId: teacher.userId };
});
afterAll(() => app.stop());

async function knowledgeBase(files: Record<string, string | Buffer>): Promise<string> {
  const body = { name: 'Course', language: 'en', chunk_size: 200, chunk_overlap: 40 };
  const { id } = (await teacher.api('POST', '/api/v1/knowledge-bases', body)).json;
  await ingested(teacher, id, files);
  return id;
}

const retrieve = (collections: string[], text: string, more: Partial<RetrievalQuery> = {}) =>
  app.get(RetrievalService).retrieve(owner, { text, topK: 3, threshold: 0, ...more, collections });

/** Each text on a page of its own; what stands before a line break is a heading. */
function pdf(...pages: string[]): Promise<Buffer> {
  const document = new PDFDocument({ autoFirstPage: false });
  const parts: Buffer[] = [];
  document.on('data', (part: Buffer) => parts.push(part));
  for (const page of pages) {
    const [text = '', heading = ''] = page.split('\n').reverse();
    document.addPage().fontSize(24).text(heading).fontSize(12).text(text);
  }
  document.end();
  return new Promise((done) => document.once('end', () => done(Buffer.concat(parts))));
}

const sentence = (word: string, n: number): string =>
  `Sentence ${n} of this part is about ${word} and about item ${n * 7}.`;
const part = (word: string): string => Array.from({ length: 12 }, (_, n) => sentence(word, n)).join(' ');

describe('a question finds its passage', () => {
  let id: string;
  beforeAll(async () => {
    id = (await teacher.api('POST', '/api/v1/knowledge-bases', { name: 'World', language: 'en' })).json.id;
    await ingested(teacher, id, {
      'zh.md': '# 光合作用\n\n植物利用阳光把二氧化碳和水转化为糖。这个过程发生在叶绿体中。',
      'ja.md': '徳川家康は1603年に江戸幕府を開きました。江戸時代は1868年まで続きました。',
      'ko.md': '광합성은 식물이 빛을 이용하여 당을 만드는 과정이다.',
      'th.md': 'การสังเคราะห์ด้วยแสงเป็นกระบวนการที่พืชใช้แสงสร้างน้ำตาล',
      'el.md': 'Τα μιτοχόνδρια παράγουν ενέργεια για το κύτταρο.',
      'ar.md': '\ufe8d\ufedf\ufea8\ufec4\ufeee\ufec1 \ufe8d\ufedf\ufecc\ufeae\ufe91\ufbfe\ufe94',
      'shy.html': '<p>Photo&shy;syn&shy;thesis happens in the chloro&#8203;plast.</p>',
      'ligatures.md': 'The eﬃcient ﬂow of oﬃce ﬁles needs ＡＴＰ.',
    });
  });

  it.each([
    ['什么是光合作用？', 'zh.md'],
    ['植物怎样利用阳光', 'zh.md'],
    ['江戸時代はいつ始まりましたか', 'ja.md'],
    ['徳川家康', 'ja.md'],
    ['광합성이란 무엇인가요?', 'ko.md'],
    ['การสังเคราะห์ด้วยแสงคืออะไร', 'th.md'],
    ['μιτοχονδρια', 'el.md'],
    ['ΜΙΤΟΧΟΝΔΡΙΑ', 'el.md'],
    ['الخطوط العربية', 'ar.md'],
    ['photosynthesis', 'shy.html'],
    ['chloroplast', 'shy.html'],
    ['chloro\u00adplast', 'shy.html'],
    ['office files', 'ligatures.md'],
    ['ATP', 'ligatures.md'],
    ['“光合作用”', 'zh.md'],
  ])('%s', async (question, document) => {
    const { passages } = await retrieve([id], question, { topK: 1 });
    expect(passages.map(({ source }) => source.document)).toEqual([document]);
  });
});

it('fills top_k from below however often the best text is repeated', async () => {
  const copies = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`copy-${n}.md`, 'Osmosis moves water; osmosis needs a membrane.']),
  );
  const id = await knowledgeBase({
    ...copies,
    'other.md': 'Without a word on water there is still osmosis in this one.',
  });
  const { passages } = await retrieve([id], 'osmosis', { topK: 2 });
  expect(passages.map(({ source }) => source.document)).toEqual([expect.stringMatching(/^copy-/), 'other.md']);
});

it('leaves one of equal passages of several knowledge bases', async () => {
  const [a, b] = [
    await knowledgeBase({ 'a.md': 'Osmosis moves water through membranes.' }),
    await knowledgeBase({ 'b.md': 'OSMOSIS moves water through membranes!', 'c.md': 'Osmosis in short.' }),
  ];
  expect((await retrieve([a, b], 'osmosis water')).passages).toHaveLength(2);
  expect((await retrieve([a, b], 'osmosis water', { grouped: true })).passages).toHaveLength(3);
});

it('a section is the text of the document between two headings, to the character', async () => {
  const text = `# One\n\n${part('osmosis')}\n\n# Two\n\n${part('light')}\n`;
  const id = await knowledgeBase({ 'book.md': text });
  const [chunk] = (await retrieve([id], 'osmosis item 35', { topK: 1 })).passages;
  const { passages } = await retrieve([id], 'osmosis item 35', { parent: true });
  expect(passages).toHaveLength(1);
  const [section] = passages;
  expect(section?.text.replace(/\s+/g, ' ')).toBe(`# One ${part('osmosis')}`);
  expect(section?.text).toContain(chunk?.text.slice(0, 50));
  expect(section).toMatchObject({
    similarity: chunk?.similarity,
    source: { section: 'One', document: 'book.md' },
    metadata: { matches: expect.any(Number), start: 0 },
  });
});

it('passages of a PDF name their page, sections of it all of their pages', async () => {
  const file = await pdf(part('osmosis'), part('light'), `The last page says photon once. ${part('roots')}`);
  const id = await knowledgeBase({ 'slides.pdf': file });
  const [passage] = (await retrieve([id], 'photon')).passages;
  expect(passage?.source).toMatchObject({ document: 'slides.pdf', page: 3 });
  expect(passage?.metadata).toMatchObject({ page: 3 });
  const [section] = (await retrieve([id], 'photon', { parent: true })).passages;
  expect(section?.text).toContain('photon');
  expect(section?.text).toContain('about roots and about item 77.');
  expect(section?.source).toMatchObject({ page: 3 });
  expect(section?.source).not.toHaveProperty('page_end');

  const chapters = await pdf(
    `Water\n${part('osmosis')}`,
    `A photon is here. ${part('light')}`,
    `Soil\n${part('roots')}`,
  );
  const book = await knowledgeBase({ 'book.pdf': chapters });
  const [chapter] = (await retrieve([book], 'photon', { parent: true })).passages;
  expect(chapter?.source).toMatchObject({ section: 'Water', page: 1, page_end: 2 });
  expect(chapter?.metadata).toMatchObject({ page: 1, page_end: 2 });
  expect(chapter?.text).not.toContain('roots');
});

it('a query keeps to its budget of tokens, where it has one', async () => {
  const id = await knowledgeBase({ 'long.md': Array.from({ length: 8 }, (_, n) => part(`osmosis ${n}`)).join('\n\n') });
  const ask = (more: object) =>
    teacher.api('POST', `/api/v1/knowledge-bases/${id}/query`, { query: 'osmosis', top_k: 10, ...more });
  const whole = (await ask({})).json;
  const within = (await ask({ max_tokens: 150 })).json;
  expect(whole.warnings).toEqual([]);
  // Four chunks, joined where the budget has space for it.
  const [{ data, metadata }] = whole.results;
  expect([within.count, whole.count, metadata.matches]).toEqual([2, 1, 4]);
  for (const { data: part } of within.results) expect(data).toContain(part);
  expect(within.warnings).toEqual([expect.stringContaining('budget of 150 tokens')]);
  expect((await ask({ max_tokens: 5 })).status).toBe(400);
});

it('a question without text finds nothing and warns of nothing', async () => {
  const id = await knowledgeBase({ 'a.md': 'Osmosis.' });
  expect(await retrieve([id], ' \n')).toMatchObject({ passages: [], warnings: [] });
});

describe('the external server', () => {
  const useServer = (url: string | null) =>
    app.api('PATCH', '/api/v1/organizations/default', {
      knowledge_base: url === null ? null : { server_url: url, api_token: 'token' },
    });
  afterEach(() => useServer(null));

  it('is asked for parents in its own way, and each parent comes once', async () => {
    const server = await startKbServer({
      metadata: { parent_text: 'The whole section.', section_title: 'Water', page: 4 },
    });
    await useServer(server.url);
    const { passages } = await retrieve(['3'], 'osmosis', { parent: true });
    await server.stop();
    expect(server.asked.map(({ path }) => path)).toEqual(['/collections/3/query?plugin_name=parent_child_query']);
    expect(passages).toMatchObject([
      {
        text: 'The whole section.',
        source: { section: 'Water', page: 4, knowledge_base: { id: '3', name: '3' } },
      },
    ]);
  });

  it('is asked as LAMB asks it where collections are grouped', async () => {
    const server = await startKbServer();
    await useServer(server.url);
    const { warnings } = await retrieve(['3'], 'osmosis', { grouped: true, mode: 'vector' });
    await server.stop();
    expect(server.asked).toEqual([
      {
        path: '/collections/3/query',
        body: { query_text: 'osmosis', top_k: 3, threshold: 0, plugin_params: {} },
      },
    ]);
    expect(warnings).toEqual(['Collection 3: its server searches in a way of its own, not in vector mode']);
  });
});

describe('a question', () => {
  const bases = '/api/v1/knowledge-bases';
  const ask = async (id: string, query: string) => (await teacher.api('POST', `${bases}/${id}/query`, { query })).json;
  const found = async (id: string, query: string): Promise<string[]> =>
    (await ask(id, query)).results.map(({ metadata }: any) => metadata.filename);
  let course: string;

  beforeAll(async () => {
    course = await knowledgeBase({
      'levels.md': 'The isolation level of a transaction says which anomalies it may see.',
      'architecture.md': 'A client/server architecture sends requests; numpy.array and parseXmlFile run on the server.',
      'mail.md': 'Hand in the essay by e-mail before Friday.',
      'phrases.md': 'A level of isolation is not the same. Transactions and anomalies are explained later.',
      'other.md': 'Leaves are green because chlorophyll absorbs red and blue light.',
    });
  });

  it('with typing errors is searched for without them, which the answer tells', async () => {
    const answer = await ask(course, 'What is the isolaton levle of a transaction?');
    expect(answer.searched_for).toBe('What is the isolation level of a transaction?');
    expect(answer.results.map(({ metadata }: any) => metadata.filename)).toContain('levels.md');
    expect(answer.match).toEqual({ strength: expect.any(Number), weak: false });
    expect((await ask(course, 'isolation level')).searched_for).toBeNull();
  });

  it('finds a part of a compound, and the compound by another spelling', async () => {
    expect(await found(course, 'server')).toEqual(['architecture.md']);
    expect(await found(course, 'numpy')).toEqual(['architecture.md']);
    expect(await found(course, 'parseXmlFile')).toEqual(['architecture.md']);
    expect(await found(course, 'xml')).toEqual(['architecture.md']);
    expect(await found(course, 'email')).toEqual(['mail.md']);
  });

  it('with a quoted phrase gets the passages that have it, or all when none has', async () => {
    expect(await found(course, 'anomalies "isolation level"')).toEqual(['levels.md']);
    expect(await found(course, 'anomalies "level of isolation"')).toEqual(['phrases.md']);
    expect((await found(course, 'anomalies "isolation of levels"')).sort()).toEqual(['levels.md', 'phrases.md']);
  });

  it('that nothing fits is told as a weak match', async () => {
    const { match } = await ask(course, 'Who won the football championship after the transaction of the year?');
    expect(match).toEqual({ strength: expect.any(Number), weak: true });
    expect((await ask(course, 'quantum chromodynamics')).match).toEqual({ strength: 0, weak: true });
  });

  it('of ten thousand words is cut, with a warning', async () => {
    const { warnings } = await retrieve([course], 'isolation '.repeat(10_000));
    expect(warnings).toEqual(['the question is longer than 8000 characters: only its beginning was searched for']);
  });

  it('is corrected as fast after an attack on the vocabulary', async () => {
    let state = 7;
    const letter = (): string =>
      String.fromCharCode(97 + ((state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % 26));
    const word = (): string => `isol${Array.from({ length: 5 }, letter).join('')}`;
    const hostile = Array.from({ length: 40 }, () => Array.from({ length: 200 }, word).join(' ')).join('\n\n');
    await ingested(teacher, course, { 'hostile.txt': hostile });
    const answer = await ask(course, 'isolaton levle of transactions');
    expect(answer.searched_for).toBe('isolation level of transactions');
    expect(answer.timing.total_ms).toBeLessThan(2_000);
  });
});

describe('documents of several languages', () => {
  const bases = '/api/v1/knowledge-bases';

  it('are each indexed in their own, and a question is searched for in each', async () => {
    const { id, language, languages } = (await teacher.api('POST', bases, { name: 'Mixed' })).json;
    expect({ language, languages }).toEqual({ language: null, languages: [] });
    await ingested(teacher, id, { 'one.md': 'Osmosis moves water through membranes until both sides are alike.' });
    await ingested(teacher, id, {
      'dos.md': 'La fotosíntesis de las plantas convierte la luz del sol en azúcares y oxígeno.',
      'bi.md': 'Mintz zelularrak ura iragazten du, eta horregatik zelulak bizirik irauten du egun guztietan.',
    });
    const kb = (await teacher.api('GET', `${bases}/${id}`)).json;
    expect(kb).toMatchObject({ language: 'en', language_chosen: false });
    expect([...kb.languages].sort()).toEqual(['en', 'es', 'eu']);
    const first = async (query: string): Promise<string> =>
      (await teacher.api('POST', `${bases}/${id}/query`, { query })).json.results[0]?.metadata.filename;
    expect(await first('How does a membrane move water?')).toBe('one.md');
    expect(await first('¿Qué convierten las plantas en azúcar?')).toBe('dos.md');
    expect(await first('Zer egiten du zelularen mintzak urarekin?')).toBe('bi.md');
    await teacher.api('DELETE', `${bases}/${id}/documents/${(await documentNamed(id, 'dos.md')).id}`);
    await until(async () => !(await teacher.api('GET', `${bases}/${id}`)).json.languages.includes('es'));
  });

  it('have the one language that the owner says, and each its own again when the owner takes it back', async () => {
    const { id } = (await teacher.api('POST', bases, { name: 'Said', language: 'eu' })).json;
    await ingested(teacher, id, { 'one.md': 'Osmosis moves water through membranes until both sides are alike.' });
    expect((await teacher.api('GET', `${bases}/${id}`)).json).toMatchObject({
      languages: ['eu'],
      language_chosen: true,
    });
    await teacher.api('PATCH', `${bases}/${id}`, { language: null });
    await until(async () => (await teacher.api('GET', `${bases}/${id}`)).json.languages.join() === 'en');
  });

  it('whose index has an older form are indexed again, while the old one answers', async () => {
    const { id } = (await teacher.api('POST', bases, { name: 'Old', language: 'en' })).json;
    await ingested(teacher, id, { 'one.md': 'A client/server architecture.' });
    const before = await documentNamed(id, 'one.md');
    await app.get(DataSource).query('UPDATE knowledge_bases SET index_version = 1 WHERE id = $1', [id]);
    await app.get(IndexUpgrade).sweep();
    await until(async () => (await documentNamed(id, 'one.md')).updated_at > before.updated_at);
    const [row] = await app.get(DataSource).query('SELECT index_version FROM knowledge_bases WHERE id = $1', [id]);
    expect(row.index_version).toBe(INDEX_VERSION);
  });

  async function documentNamed(id: string, filename: string): Promise<any> {
    const { items } = (await teacher.api('GET', `${bases}/${id}/documents`)).json;
    return items.find((each: any) => each.filename === filename);
  }
});
