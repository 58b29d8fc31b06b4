import { type ExtractedDocument, Extractor } from '@bellwether/extraction';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import { PARSER_FILE } from '../../packages/extraction/src/processes/parser-file';
import { loadConfig } from '../../src/infrastructure/config';
import { archive, pdfBomb, rawPdf, wordBody, wordDocument, wordParagraph } from '../support/hostile-documents';
import * as slides from '../support/presentation';
import { until } from '../support/until';

const FIXTURES = join(__dirname, '..', 'fixtures', 'documents');
const fixture = (name: string): Buffer => readFileSync(join(FIXTURES, name));
const course = (name: string): Buffer => readFileSync(join(FIXTURES, '..', 'course', 'documents', name));

const running: Extractor[] = [];
function extractorWith(env: Record<string, string> = {}): Extractor {
  const extractor = new Extractor(loadConfig({ NODE_ENV: 'test', ...env }, null).extraction);
  running.push(extractor);
  return extractor;
}
const read = (extractor: Extractor, filename: string, bytes: Buffer | string): Promise<ExtractedDocument> =>
  extractor.extract({ filename, bytes: Buffer.from(bytes as string) });

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
  return !/\) Z /.test(stat);
};
/** Most resident memory that a process has had; 0 where the system does not tell. */
function peakMegabytes(pid: number): number {
  const file = `/proc/${pid}/status`;
  return existsSync(file) ? Number(/VmHWM:\s+(\d+)/.exec(readFileSync(file, 'utf8'))?.[1] ?? 0) / 1024 : 0;
}

async function longPdf(pages: number): Promise<Buffer> {
  const document = new PDFDocument({ margin: 56 });
  const parts: Buffer[] = [];
  document.on('data', (part: Buffer) => void parts.push(part));
  const done = new Promise<void>((resolve) => document.once('end', () => resolve()));
  for (let page = 1; page <= pages; page += 1) {
    if (page > 1) document.addPage();
    document.font('Helvetica').fontSize(9).text('Biology for beginners', 56, 30);
    document.fontSize(18).text(`Chapter ${page}`, 56, 70).moveDown().fontSize(10);
    for (let paragraph = 0; paragraph < 6; paragraph += 1) {
      document
        .text(`Osmosis ${page}.${paragraph} moves water through a membrane. `.repeat(9), { width: 480 })
        .moveDown();
    }
  }
  document.end();
  await done;
  return Buffer.concat(parts);
}

let extractor: Extractor;
beforeAll(() => void (extractor = extractorWith()));
afterAll(() => running.forEach((each) => each.close()));

describe('real documents', () => {
  it('a PDF: headings by size, pages, code, a table, words made whole, running heads dropped', async () => {
    const { text, title, pages, format, warnings } = await read(extractor, 'lesson.pdf', fixture('lesson.pdf'));
    expect({ title, format, warnings }).toEqual({ title: 'Transport in cells', format: 'pdf', warnings: [] });
    expect(text).toMatch(/^# Transport in cells\n\n## Osmosis\n\nOsmosis moves water/);
    expect(text).toContain('A membrane of lipids surrounds');
    expect(text).toContain('$\\Pi = i \\cdot c \\cdot R \\cdot T$');
    expect(text).toContain('```\ndef pressure(c, T):\n    R = 8.314\n    return c * R * T\n```');
    expect(text).toContain('| Cell | Salt | Pressure |\n| --- | --- | --- |\n| Root | 0.10 | 248 kPa |');
    expect(text).not.toMatch(/Faculty|^\d$/m);
    expect(pages.map(({ page }) => page)).toEqual([1, 2, 3]);
    expect(pages.map(({ start }) => text.slice(start).split('\n')[0])).toEqual([
      '# Transport in cells',
      '## Computing it',
      '## Photosynthesis',
    ]);
  });

  it('a Word document: headings, code, a table, formulas as they are written', async () => {
    const { text, title } = await read(extractor, 'lesson.docx', fixture('lesson.docx'));
    expect(title).toBe('Cells and salt');
    expect(text.match(/^#+ .*$/gm)?.filter((line) => !line.includes('kilopascal'))).toEqual([
      '# Cells and salt',
      '# Osmosis',
      '## Computing it',
      '# Photosynthesis',
    ]);
    expect(text).toContain('$\\Pi_1 = i \\cdot c_{salt} \\cdot R \\cdot T$');
    expect(text).toContain('\n\n$\\frac{a}{b}$\n\n');
    expect(text).toContain('```\ndef pressure(c, T):\n    # kilopascal\n    return c * 8.314 * T\n```');
    expect(text).toContain('| Cell | Salt | Pressure |\n| --- | --- | --- |\n| Root | 0.10 | 248 kPa |');
  });

  it('a presentation: slides in their order as sections, with notes, tables, formulas and diagrams', async () => {
    const { body, diagram, diagramPart, equation, footer, picture, presentation, table, textBox } = slides;
    const half =
      '<m:f><m:num><m:r><a:rPr lang="en-GB"/><m:t>a</m:t></m:r></m:num><m:den><m:r><a:rPr><a:latin/></a:rPr><m:t>b</m:t></m:r></m:den></m:f>';
    const bytes = presentation(
      [
        { shapes: slides.title('Osmosis & diffusion') + textBox('# Week 3') + footer('Faculty of Biology') },
        {
          shapes: slides.title('Membranes') + body('Two layers', '  Heads outside', 'Proteins') + equation(half),
          notes: 'Ask who has seen a cell.',
        },
        { shapes: slides.title('Answers'), hidden: true },
        { shapes: '' },
        {
          shapes:
            table([
              ['Cell', 'Salt'],
              ['Root', '0.10 | low'],
            ]) +
            picture('A root under the microscope') +
            diagram('rIdD'),
          relations: { rIdD: ['../diagrams/data1.xml', 'diagramData'] },
        },
      ],
      { more: { 'ppt/diagrams/data1.xml': diagramPart('Take in', 'Give off') } },
    );
    const { text, title, format, pages, warnings } = await read(extractor, 'week 3.pptx', bytes);
    expect({ title, format, warnings }).toEqual({
      title: 'Osmosis & diffusion',
      format: 'pptx',
      warnings: ['Slide 3: hidden, left out'],
    });
    expect(text).toBe(
      [
        '## Osmosis & diffusion\n\n\\# Week 3',
        '## Membranes\n\n- Two layers\n  - Heads outside\n- Proteins\n\n$\\frac{a}{b}$\n\nNotes: Ask who has seen a cell.',
        '## Slide 5\n\n| Cell | Salt |\n| --- | --- |\n| Root | 0.10 \\| low |\n\nA root under the microscope\n\n- Take in\n- Give off',
      ].join('\n\n'),
    );
    expect(pages.map(({ page, start }) => [page, text.slice(start).split('\n')[0]])).toEqual([
      [1, '## Osmosis & diffusion'],
      [2, '## Membranes'],
      [5, '## Slide 5'],
    ]);
  });

  it('an HTML page: its content without menus and scripts', async () => {
    const { text, title } = await read(extractor, 'lesson.html', fixture('lesson.html'));
    expect(title).toBe('Transport in cells');
    expect(text).toContain('$\\Pi_1 = c_{salt} R T$ holds. Water is H2O.');
    expect(text).toContain('```python\ndef pressure(c, T):\n    # kilopascal\n    return c * 8.314 * T\n```');
    expect(text).toContain('| Cell | Salt |\n| --- | --- |\n| Root | 0.10 |\n| Leaf | $|x|$ |');
    expect(text).not.toMatch(/Home|Imprint|Faculty|tracking|color|tracker/);
  });

  it.each(['lesson.md', 'lesson.txt'])('%s: byte for byte', async (name) => {
    expect((await read(extractor, name, fixture(name))).text).toBe(fixture(name).toString('utf8'));
  });

  it('a Windows-1252 CSV with semicolons, saying that the encoding is a guess', async () => {
    const { text, warnings } = await read(extractor, 'grades.csv', fixture('grades.csv'));
    expect(text).toContain(
      '| Nombre | Calificación | Observación |\n| --- | --- | --- |\n| García, Ana | 9,5 | Muy bien |',
    );
    expect(warnings).toEqual([expect.stringContaining('Windows-1252')]);
  });

  it('a JSON file: each value with its path, long numbers exact', async () => {
    const { text, title } = await read(extractor, 'course.json', fixture('course.json'));
    expect(title).toBe('Biology I');
    expect(text).toContain('students[0]: id: 9007199254740993123; name: Ana');
    expect(text).toContain('students[1].notes:\n# Week 1\n\n$x_1 \\ne y$');
  });

  it('UTF-16 with a byte order mark', async () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Água 😀', 'utf16le')]);
    expect((await read(extractor, 'a.txt', bytes)).text).toBe('Água 😀');
  });
});

describe('places', () => {
  it.each<[string, readonly string[], readonly (readonly [page: number, line: string])[]]>([
    [
      'notes.pdf',
      ['i', 'ii', '1', '2', '3', '4', '5', '6'],
      [
        [1, '# Databases I: lecture notes'],
        [3, '## 1 The relational model'],
        [4, '### 1.3 Referential integrity'],
        [5, '## 2 Relational algebra'],
        [6, '### 2.3 Equivalences'],
        [7, '## 3 Normal forms'],
        [8, '### 3.3 Third normal form and BCNF'],
      ],
    ],
    [
      'term.xlsx',
      ['Schedule', 'Lab results', 'Solutions', 'Rooms'],
      [
        [1, '## Schedule'],
        [2, '## Lab results'],
        [4, '## Rooms'],
      ],
    ],
    [
      'indexes.pptx',
      [],
      [
        [1, '## Indexes'],
        [2, '## B+ trees'],
        [3, '## Hash indexes'],
        [4, '## Indexes on several columns'],
        [5, '## Covering indexes'],
        [6, '## What an index costs'],
        [7, '## When the planner ignores yours'],
      ],
    ],
  ])('of %s', async (name, labels, places) => {
    const { text, pages, pageLabels } = await read(extractor, name, course(name));
    expect(pageLabels).toEqual(labels);
    expect(pages.map(({ page, start }) => [page, text.slice(start).split('\n')[0]])).toEqual(places);
  });

  it('of a notebook: its cells', async () => {
    const { text, pages, pageCount } = await read(extractor, 'sql-tutorial.ipynb', course('sql-tutorial.ipynb'));
    expect(pages.map(({ page }) => page)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    expect(pageCount).toBe(12);
    expect(text.slice(pages[10]?.start)).toMatch(/^## Recursive queries/);
    expect(text).not.toContain('iVBOR');
  });

  it.each([
    [
      'history.epub',
      [
        '# Before relations',
        '## The network model',
        '# A paper in 1970',
        '# Two prototypes',
        '## System R',
        '## Ingres',
        '# Without tables',
      ],
    ],
    [
      'transactions.docx',
      ['# Transactions', '# ACID', '# Locks', '# Deadlocks', '# Multiversion concurrency', '# Optimistic control'],
    ],
    ['lecture-planner.vtt', ['## 0:02', '## 1:05', '## 2:06', '## 3:08']],
  ])('of %s: its headings', async (name, headings) => {
    const { text, pages } = await read(extractor, name, course(name));
    expect(text.match(/^#+ .*$/gm)).toEqual(headings);
    expect(pages).toEqual([]);
  });
});

it('reads 200 pages in half a gibibyte', async () => {
  const bytes = await longPdf(200);
  const one = extractorWith({ EXTRACTION_PROCESSES: '1' });
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, ...one.pids.map(peakMegabytes))), 50);
  const { text, pages } = await read(one, 'long.pdf', bytes).finally(() => clearInterval(watch));
  expect(peak).toBeLessThan(512);
  expect(pages).toHaveLength(200);
  expect(text.match(/^# Chapter \d+$/gm)).toHaveLength(200);
  expect(text.slice(pages[149]?.start)).toMatch(/^# Chapter 150\n\nOsmosis/);
  expect(text).not.toContain('Biology for beginners');
}, 90_000);

const OLD_WORD = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(512)]);
const PNG = Buffer.from('89504e470d0a1a0a0000000d494844520000000100000001', 'hex');
const XXE = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>';

describe('bad documents', () => {
  it.each<[string, string, Buffer | string, string, RegExp]>([
    ['nothing', 'a.pdf', '', 'document.empty', /empty/],
    ['white space', 'a.md', ' \n\t\n', 'document.empty', /white space/],
    ['an extension that is not read', 'a.doc', OLD_WORD, 'document.unsupported', /\.doc are not read; save it as/],
    ['HTML as .pdf', 'a.pdf', '<!DOCTYPE html><html>x</html>', 'document.type_mismatch', /an HTML page.*\.pdf/],
    ['HTML as .txt', 'a.txt', '<html><body>x</body></html>', 'document.type_mismatch', /an HTML page/],
    ['a PDF as .txt', 'a.txt', fixture('lesson.pdf'), 'document.type_mismatch', /a PDF.*\.txt/],
    ['text as .html', 'a.html', 'just words', 'document.type_mismatch', /plain text/],
    ['an old Word file as .docx', 'a.docx', OLD_WORD, 'document.type_mismatch', /old Office document/],
    ['a ZIP archive as .docx', 'a.docx', archive({ 'a.txt': 'x' }), 'document.type_mismatch', /ZIP archive/],
    ['an Excel file as .docx', 'a.docx', archive({ 'xl/a.xml': 'x' }), 'document.type_mismatch', /Excel/],
    ['a picture as .pdf', 'a.pdf', PNG, 'document.type_mismatch', /image\/png/],
    ['a picture as .txt', 'a.txt', PNG, 'document.type_mismatch', /image\/png/],
    ['an unknown encoding', 'a.txt', Buffer.from('cff0e8e2e5f220ece8f0', 'hex'), 'document.encoding', /UTF-8/],
    ['a password', 'password.pdf', fixture('password.pdf'), 'document.encrypted', /password/],
    ['pictures of text', 'scanned.pdf', fixture('scanned.pdf'), 'document.no_text', /looks scanned/],
    ['a broken PDF', 'a.pdf', '%PDF-1.4 and nothing else', 'document.malformed', /damaged/],
    ['half a PDF', 'a.pdf', fixture('password.pdf').subarray(0, 300), 'document.malformed', /damaged/],
    ['half a Word file', 'a.docx', fixture('lesson.docx').subarray(0, 900), 'document.malformed', /damaged/],
    ['broken JSON', 'a.json', '{"a": 1', 'document.malformed', /JSON/],
    ['an open quote', 'a.csv', 'a,b\n"x,y\n', 'document.malformed', /quote/],
    ['very deep JSON', 'a.json', '['.repeat(50_000) + ']'.repeat(50_000), 'document.malformed', /nested/],
    ['a page without text', 'a.html', '<html><script>app()</script></html>', 'document.no_text', /no text/],
    ['a Word bomb', 'a.docx', wordDocument(wordBody(' '.repeat(30_000_000))), 'document.expansion', /bomb/],
    ['outside entities', 'a.docx', wordDocument(wordBody(wordParagraph('&x;'), XXE)), 'document.malformed', /damaged/],
    ['slides of nothing', 'a.pptx', slides.presentation([{ shapes: '' }]), 'document.no_text', /no text/],
    ['a Word file as .pptx', 'a.pptx', wordDocument(wordBody('')), 'document.type_mismatch', /a Word document.*\.pptx/],
    ['half a presentation', 'a.pptx', slides.presentation([]).subarray(0, 200), 'document.malformed', /damaged/],
    [
      'a presentation without its list',
      'a.pptx',
      archive({ '[Content_Types].xml': '<a/>', 'ppt/a.xml': '<a/>' }),
      'document.malformed',
      /damaged/,
    ],
    [
      'slides with a document type',
      'a.pptx',
      slides.presentation([{ shapes: slides.title('x') }], { prolog: XXE }),
      'document.malformed',
      /damaged/,
    ],
    [
      'slides within slides',
      'a.pptx',
      slides.presentation([{ shapes: '<p:grpSp>'.repeat(50_000) + '</p:grpSp>'.repeat(50_000) }]),
      'document.malformed',
      /damaged/,
    ],
    [
      'a bomb of slides',
      'a.pptx',
      slides.presentation([{ shapes: slides.title('x'.repeat(30_000_000)) }]),
      'document.expansion',
      /bomb/,
    ],
    ['a Word file as .xlsx', 'a.xlsx', wordDocument(wordBody('')), 'document.type_mismatch', /a Word document.*\.xlsx/],
    ['half a workbook', 'a.xlsx', course('term.xlsx').subarray(0, 300), 'document.malformed', /workbook is damaged/],
    ['a ZIP archive as .epub', 'a.epub', archive({ 'a.txt': 'x' }), 'document.type_mismatch', /ZIP archive/],
    ['JSON as .ipynb', 'a.ipynb', '{"a": 1}', 'document.malformed', /no cells/],
    ['names that climb', 'a.docx', wordDocument(wordBody(''), { '../../e.xml': 'x' }), 'document.malformed', /damaged/],
  ])('%s', async (_, filename, bytes, code, message) => {
    await expect(read(extractor, filename, bytes)).rejects.toMatchObject({
      name: 'ExtractionError',
      code,
      message: expect.stringMatching(message),
    });
  });

  it('more bytes, pages or characters than the limits', async () => {
    const strict = extractorWith({
      EXTRACTION_MAX_BYTES: '5000',
      EXTRACTION_MAX_PAGES: '2',
      EXTRACTION_MAX_CHARACTERS: '99',
    });
    await expect(read(strict, 'a.md', 'x'.repeat(5001))).rejects.toMatchObject({ code: 'document.too_large' });
    await expect(read(strict, 'a.md', 'x'.repeat(100))).rejects.toMatchObject({ code: 'document.too_large' });
    await expect(read(strict, 'a.pdf', fixture('lesson.pdf'))).rejects.toMatchObject({
      code: 'document.too_many_pages',
    });
  });

  it('leave the next document unharmed, in the same process', async () => {
    const one = extractorWith({ EXTRACTION_PROCESSES: '1' });
    expect((await read(one, 'a.md', 'x')).text).toBe('x');
    const [pid] = one.pids;
    await expect(read(one, 'a.pdf', '%PDF-1.4 nothing')).rejects.toThrow();
    expect((await read(one, 'a.md', 'y')).text).toBe('y');
    expect(one.pids).toEqual([pid]);
  });
});

describe('hostile documents', () => {
  const bomb = pdfBomb(150);

  it('end at the memory limit, while others are read and the event loop turns', async () => {
    const two = extractorWith({ EXTRACTION_MEMORY: '256', EXTRACTION_PROCESSES: '2', EXTRACTION_TIMEOUT: '25000' });
    await read(two, 'warm.md', 'x');
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    let ended = false;
    const hostile = read(two, 'bomb.pdf', bomb).finally(() => (ended = true));
    const outcome = expect(hostile).rejects.toMatchObject({
      code: expect.stringMatching(/^document\.(resource|timeout|expansion)$/),
    });
    let others = 0;
    while (!ended && others < 20) {
      expect((await read(two, 'other.md', '# Other')).title).toBe('Other');
      others += 1;
    }
    expect(others).toBeGreaterThan(0);
    await outcome;
    delay.disable();
    expect(delay.percentile(50) / 1e6).toBeLessThan(500);
    expect((await read(two, 'after.md', 'fine')).text).toBe('fine');
  });

  it('end at the time limit', async () => {
    const quick = extractorWith({ EXTRACTION_TIMEOUT: '700' });
    await expect(read(quick, 'bomb.pdf', bomb)).rejects.toMatchObject({ code: 'document.timeout' });
    await until(() => quick.pids.length === 0);
  });

  it('end with an abort, whether they run or wait', async () => {
    const one = extractorWith({ EXTRACTION_PROCESSES: '1' });
    const controller = new AbortController();
    const { signal } = controller;
    const both = [1, 2].map((n) => one.extract({ filename: `${n}.pdf`, bytes: bomb }, { signal }));
    const outcome = Promise.allSettled(both);
    await until(() => one.pids.length === 1);
    const [pid = 0] = one.pids;
    controller.abort();
    expect((await outcome).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(both[1]).rejects.toMatchObject({ name: 'AbortError' });
    await until(() => !isAlive(pid));
    expect((await read(one, 'a.md', 'next')).text).toBe('next');
  });

  it('with a promise of a thousand million pages are read for what they have', async () => {
    const content = Buffer.from('BT /F1 12 Tf 10 400 Td (Only one page) Tj ET');
    const outcome = await read(extractor, 'a.pdf', rawPdf(content, { pages: 1e9 })).then(
      ({ text }) => text,
      ({ code }) => code,
    );
    expect(['Only one page', 'document.too_many_pages', 'document.malformed']).toContain(outcome);
  });
});

describe('parser processes', () => {
  it('have no environment', async () => {
    if (!existsSync('/proc/self/environ')) return;
    await read(extractor, 'a.md', 'x');
    const environment = extractor.pids.map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8'));
    for (const text of environment)
      expect(text.split('\0').filter((line) => !/^(NODE_CHANNEL_\w+=.*)?$/.test(line))).toEqual([]);
  });

  it('end with the service, and refuse what waits', async () => {
    const one = extractorWith({ EXTRACTION_PROCESSES: '1' });
    const both = Promise.allSettled([read(one, 'a.pdf', pdfBomb(60)), read(one, 'b.md', 'x')]);
    await until(() => one.pids.length === 1);
    const { pids } = one;
    one.close();
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await until(() => pids.every((pid) => !isAlive(pid)));
    await expect(read(one, 'c.md', 'x')).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('do not outlive a service that is killed while a hostile file keeps them busy', async () => {
    const script = `
      const child = require('node:child_process').fork(process.argv[1], ['512', String(process.pid)], { serialization: 'advanced', env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
      const limits = { maxBytes: 1e9, maxPages: 9, maxCharacters: 1e9, maxExpansion: 9, timeoutMs: 1e6, memoryMb: 512 };
      child.send({ id: 0, filename: 'a.html', bytes: Buffer.from('<html>' + '<div>'.repeat(100000) + 'x'), limits });
      console.log(child.pid);
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['-e', script, PARSER_FILE], { stdio: ['ignore', 'pipe', 'ignore'] });
    const pid = Number(String(await new Promise((resolve) => parent.stdout.once('data', resolve))));
    await sleep(500);
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await until(() => !isAlive(pid));
  });

  it('do not keep a finished service running', () => {
    const script = `
      const { ParserPool } = require(process.argv[1].replace('parser-main', 'parser-pool'));
      const limits = { maxBytes: 1e9, maxPages: 9, maxCharacters: 1e9, maxExpansion: 9, timeoutMs: 1e6, memoryMb: 256 };
      const pool = new ParserPool({ file: process.argv[1], processes: 1, idleMs: 60000, limits });
      pool.parse({ filename: 'a.md', bytes: Buffer.from('read') }).then(({ text }) => console.log(text));`;
    const output = execFileSync(process.execPath, ['-e', script, PARSER_FILE], { timeout: 20_000, encoding: 'utf8' });
    expect(output).toBe('read\n');
  });

  it('hand over a long text without holding the event loop', async () => {
    const bytes = Buffer.from(`${'Osmosis moves water. '.repeat(40)}\n\n`.repeat(10_000));
    await read(extractor, 'warm.md', 'x');
    const delay = monitorEventLoopDelay({ resolution: 2 });
    delay.enable();
    const { text } = await read(extractor, 'long.txt', bytes);
    delay.disable();
    expect(text.length).toBe(bytes.length);
    expect(delay.max / 1e6).toBeLessThan(3_000);
  });
});
