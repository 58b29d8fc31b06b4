import PDFDocument from 'pdfkit';
import { startApp, type TestApp } from '../support/app';
import { ingested } from '../support/ingested';
import { type Person, person } from '../support/people';

const PATH = '/api/v1/knowledge-bases';
let app: TestApp;
let teacher: Person;

beforeAll(async () => {
  app = await startApp();
  teacher = await person(app);
});
afterAll(() => app.stop());

/** A PDF with one text per page; an empty one is a page like a scanner makes it. */
async function pdf(...pages: string[]): Promise<Buffer> {
  const document = new PDFDocument({ autoFirstPage: false });
  const parts: Buffer[] = [];
  document.on('data', (part: Buffer) => parts.push(part));
  const ended = new Promise((resolve) => document.on('end', resolve));
  for (const text of pages) {
    document.addPage();
    if (text === '') document.rect(72, 72, 200, 200).fill('gray');
    else document.fill('black').text(text);
  }
  document.end();
  await ended;
  return Buffer.concat(parts);
}

async function upload(files: Readonly<Record<string, Buffer | string>>): Promise<any[]> {
  const kb = (await teacher.api('POST', PATH, { name: 'Biology', language: 'en' })).json.id as string;
  return ingested(teacher, kb, files);
}

it('tells the owner of a partly scanned PDF which pages are missing', async () => {
  const [scanned] = await upload({ 'a.pdf': await pdf('Osmosis moves water.', '', '', 'Diffusion moves salt.') });
  expect(scanned).toMatchObject({ status: 'completed', error: null, chunk_count: expect.any(Number) });
  expect(scanned.warnings).toEqual([expect.stringMatching(/^No text on page 2.3\. /)]);
});

it('tells the owner of a text in an old encoding how it was read, and nothing to others', async () => {
  const [old, plain] = await upload({ 'a.txt': Buffer.from('Une cellule végétale', 'latin1'), 'b.md': 'Osmosis.' });
  expect(old).toMatchObject({ status: 'completed', warnings: [expect.stringContaining('Windows-1252')] });
  expect(plain).toMatchObject({ status: 'completed', warnings: [] });
});
