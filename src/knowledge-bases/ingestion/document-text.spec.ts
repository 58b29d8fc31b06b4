import { cutText, type DocumentFormat, type PageStart } from '@bellwether/extraction';
import fc from 'fast-check';
import type { IndexedChunk } from '../search/chunk.types';
import { chunkBatches, type ChunkSource, chunksOf } from './document-reader';

interface Options {
  readonly size?: number;
  readonly overlap?: number;
  readonly pages?: readonly PageStart[];
  readonly format?: DocumentFormat;
}
const chunked = (text: string, { size = 200, overlap = 0, pages = [], format = 'markdown' }: Options = {}) => [
  ...chunksOf({ text, pages, cuts: cutText(text, { size, overlap, records: format === 'csv' || format === 'json' }) }),
];
const sentence = 'The membrane lets water through while it holds the salt back. ';

describe('chunksOf', () => {
  it('names the section a chunk stands in and what belongs to it', () => {
    const text = `# Cells\n\n${sentence}\n\n## Membranes\n\n${sentence.repeat(8)}\n\n## Roots\n\n${sentence}`;
    const membranes = chunked(text).filter(({ section }) => section === 'Cells › Membranes');
    expect(membranes.length).toBeGreaterThan(1);
    for (const { sectionStart, sectionEnd } of membranes) {
      expect(text.slice(sectionStart, sectionEnd)).toBe(`## Membranes\n\n${sentence.repeat(8)}`.trim());
    }
  });

  it('never cites a section that a chunk has no text of', () => {
    const names = ['Cells', 'Membranes', 'Walls', 'Roots', 'Leaves'];
    const text = names
      .map((name, n) => `${'#'.repeat(1 + (n % 3))} ${name}\n\nAbout ${name}. `.repeat(1 + n))
      .join('\n\n');
    const chunks = chunked(text, { size: 300, overlap: 60 });
    const wrong = chunks.filter(({ section, text: slice }) =>
      names.some((name) => slice.includes(`About ${name}.`) !== (section.split(' › ').at(-1) === name)),
    );
    expect(wrong).toEqual([]);
  });

  it('tells sections of the same name apart', () => {
    const text = `# Exercise\n\n${sentence.repeat(3)}\n\n# Exercise\n\n${sentence.repeat(3)}`;
    expect(new Set(chunked(text).map(({ sectionStart }) => sectionStart))).toEqual(new Set([0, text.lastIndexOf('#')]));
  });

  it('gives a long section in parts, cut between chunks', () => {
    const chunks = chunked(`# Long\n\n${sentence.repeat(400)}`, { size: 1000, overlap: 100 });
    const parts = new Set(chunks.map(({ sectionStart, sectionEnd }) => `${sectionStart}-${sectionEnd}`));
    expect(parts.size).toBeGreaterThan(2);
    for (const { sectionStart, sectionEnd } of chunks) expect(sectionEnd - sectionStart).toBeLessThanOrEqual(8_000);
  });

  it('takes the page for a section where there are no headings', () => {
    const page = `${sentence.repeat(6)}\n\n`;
    const pages = [1, 2, 3].map((number) => ({ page: number, start: (number - 1) * page.length }));
    const chunks = chunked(page.repeat(3), { pages, format: 'pdf' });
    const second = chunks.filter((chunk) => chunk.page === 2);
    expect(second.length).toBeGreaterThan(1);
    for (const chunk of second) expect(chunk.sectionStart).toBe(second[0]?.start);
    expect(chunks.at(-1)).toMatchObject({ page: 3, pageEnd: 3 });
  });

  it('takes a window for a section where there are neither', () => {
    for (const { sectionStart, sectionEnd } of chunked(sentence.repeat(300))) {
      expect(sectionEnd - sectionStart).toBeLessThanOrEqual(4_000);
    }
  });

  it('tells all pages of a chunk', () => {
    const chunks = chunked('One two.\n\nThree four.', {
      format: 'pdf',
      pages: [
        { page: 1, start: 0 },
        { page: 2, start: 10 },
      ],
    });
    expect(chunks).toEqual([expect.objectContaining({ page: 1, pageEnd: 2 })]);
  });

  it('cuts tables between rows and searches each part with the column names', () => {
    const rows = Array.from({ length: 60 }, (_, index) => `| Student ${index} | ${index % 10} |`);
    const chunks = chunked(`| Name | Grade |\n| --- | --- |\n${rows.join('\n')}\n`);
    expect(chunks.length).toBeGreaterThan(5);
    for (const { text, searchText } of chunks) {
      expect(text).toMatch(/^\|.*\|$/s);
      expect(searchText).toContain('| Name | Grade |');
    }
    expect(chunks[3]?.text).not.toContain('Grade');
    expect(chunks.map(({ tableHeader }) => tableHeader)).toEqual([
      null,
      ...chunks.slice(1).map(() => '| Name | Grade |\n| --- | --- |'),
    ]);
  });

  it('does not take the first row of a table without a rule for its header', () => {
    const rows = Array.from({ length: 60 }, (_, index) => `| Student ${index} | ${index % 10} |`).join('\n');
    expect(chunked(rows).at(-1)?.searchText).not.toContain('Student 0 ');
  });

  it('cuts code and records after lines only', () => {
    const code = Array.from({ length: 80 }, (_, index) => `    x${index} = f(a, b); y = 1. And more`).join('\n');
    for (const { text } of chunked(`\`\`\`\n${code}\n\`\`\``)) expect(text).not.toMatch(/[,;.=]$/);
    const records = Array.from({ length: 80 }, (_, index) => `people[${index}]: id: ${index}. Name: A`).join('\n');
    for (const { text } of chunked(records, { format: 'json' })) expect(text).toMatch(/^people\[.*Name: A$/s);
  });

  it('for any text: every letter in a chunk, exact offsets, a section around each, sections in order', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '# H\n',
        '## I\n',
        '\n\n',
        '```\n',
        '$$\n',
        '| a | b |\n',
        '| --- | --- |\n',
        'word ',
        '😀',
        '\r\n',
        '. ',
      ),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 80 }),
        fc.integer({ min: 5, max: 60 }),
        fc.array(fc.nat(400), { maxLength: 5 }),
        fc.constantFrom<DocumentFormat>('markdown', 'text', 'csv'),
        (parts, size, cuts, format) => {
          const text = parts.join('').toWellFormed();
          const pages = [...new Set([0, ...cuts])]
            .sort((a, b) => a - b)
            .map((start, index) => ({ page: index + 1, start }));
          const chunks = chunked(text, { size, overlap: Math.floor(size / 3), pages, format });
          let covered = 0;
          for (const chunk of chunks) {
            expect(text.slice(chunk.start, chunk.end)).toBe(chunk.text);
            expect(text.slice(covered, Math.max(covered, chunk.start)).trim()).toBe('');
            covered = Math.max(covered, chunk.end);
            expect(chunk.sectionStart).toBeLessThanOrEqual(chunk.start);
            expect(chunk.sectionEnd).toBeGreaterThanOrEqual(chunk.end);
            const first = pages.findLast(({ start }) => start <= chunk.start)?.page ?? NaN;
            // Headings of chapters may stand on the page before the text.
            if (chunk.text.includes('#')) expect(chunk.page).toBeGreaterThanOrEqual(first);
            else expect(chunk.page).toBe(first);
            expect(chunk.page).toBeLessThanOrEqual(chunk.pageEnd ?? NaN);
            expect(chunk.pageEnd).toBe(pages.findLast(({ start }) => start < chunk.end)?.page);
          }
          expect(text.slice(covered).trim()).toBe('');
        },
      ),
    );
  });
});

describe('chunkBatches', () => {
  const sourceOf = (text: string) => ({ text, pages: [], cuts: cutText(text, { size: 1000, overlap: 100 }) });
  const collect = async (document: ChunkSource, size: number): Promise<(readonly IndexedChunk[])[]> => {
    const batches: (readonly IndexedChunk[])[] = [];
    for await (const batch of chunkBatches(document, size)) batches.push(batch);
    return batches;
  };

  it('gives the same chunks in batches', async () => {
    const text = `# A\n\n${sentence.repeat(300)}`;
    const batches = await collect(sourceOf(text), 7);
    expect(batches.slice(0, -1).every((batch) => batch.length === 7)).toBe(true);
    expect(batches.flat()).toEqual(chunked(text, { size: 1000, overlap: 100 }));
  });

  it.each([
    ['prose', sentence.repeat(60_000)],
    ['one line', 'a'.repeat(4_000_000)],
    ['blank lines', `a${'\n'.repeat(4_000_000)}b`],
    ['headings', '# a\n'.repeat(300_000)],
    ['an open fence', `\`\`\`\n${'x = 1\n'.repeat(500_000)}`],
  ])('lets others have their turn in a huge text of %s', async (_, text) => {
    const document = sourceOf(text);
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    // Processor time: on a busy machine, time passes in which neither side runs.
    const started = process.cpuUsage();
    await collect(document, 100);
    clearInterval(timer);
    expect(turns).toBeGreaterThanOrEqual(Math.floor(process.cpuUsage(started).user / 500_000));
  });
});
