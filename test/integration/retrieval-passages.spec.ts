import PDFDocument from 'pdfkit';
import { type RetrievalQuery, RetrievalService } from '../../src/knowledge-bases';
import type { Principal } from '../../src/kernel';
import { startApp, type TestApp } from '../support/app';
import { ingested } from '../support/ingested';
import { startKbServer } from '../support/kb-server';
import { type Person, person } from '../support/people';

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
  // Links are signed for each answer, and by the second.
  const textsOf = ({ results }: any) => results.map(({ similarity, data }: any) => [similarity, data]);
  expect(textsOf(within)).toEqual(textsOf(whole).slice(0, within.count));
  expect([within.count, whole.count]).toEqual([2, 4]);
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
