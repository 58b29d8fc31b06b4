import fc from 'fast-check';
import { type Chunk, type ChunkingOptions, chunkText as chunksIn } from './chunking';

const chunkText = (text: string, options: ChunkingOptions): Chunk[] => [...chunksIn(text, options)];

const options = { size: 200, overlap: 40 };
const sentence = 'The membrane lets water through while it holds the salt back. ';

describe('chunkText', () => {
  it('keeps a short document whole, heading and all', () => {
    const text = '# Photosynthesis\n\nChlorophyll absorbs light.\n';
    expect(chunkText(text, options)).toEqual([
      {
        start: 0,
        end: text.length - 1,
        text: text.trimEnd(),
        headings: ['Photosynthesis'],
        section: 0,
        tableHeader: null,
      },
    ]);
  });

  it('starts a chunk at a heading and names the headings above it', () => {
    const text = `# Cells\n\n${sentence}\n\n## Membranes\n\n${sentence}\n\n# Roots\n\n${sentence}`;
    expect(chunkText(text, { size: 100, overlap: 0 }).map(({ headings }) => headings)).toEqual([
      ['Cells'],
      ['Cells', 'Membranes'],
      ['Roots'],
    ]);
  });

  it('cuts long prose after sentences and repeats the last ones', () => {
    const chunks = chunkText(sentence.repeat(12), { size: 200, overlap: 80 });
    expect(chunks.length).toBeGreaterThan(3);
    for (const chunk of chunks) expect(chunk.text).toMatch(/^The membrane.*back\.$/s);
    chunks.slice(1).forEach((chunk, index) => expect(chunk.start).toBeLessThan(chunks[index]?.end ?? 0));
  });

  it.each([
    ['# Cells #', 'Cells'],
    ['#\tCells ##  ', 'Cells'],
    ['# C#', 'C#'],
    ['# Cells # and more', 'Cells # and more'],
  ])('reads the heading %j', (line, title) => {
    expect(chunkText(`${line}\n\n${sentence}`, options)[0]?.headings).toEqual([title]);
  });

  it.each([
    ['blanks inside', `# x${' '.repeat(300_000)}x`],
    ['a line separator behind blanks', `# ${'\t'.repeat(300_000)}\u2028`],
    ['closing marks that close nothing', `# ${' #'.repeat(150_000)}x`],
  ])('reads a heading with %s in linear time', (_, text) => {
    const started = performance.now();
    chunkText(text, { size: 2000, overlap: 200 });
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it('reads the second line of a table in linear time', () => {
    const started = performance.now();
    chunkText(`| a |\n|${'-'.repeat(300_000)}x\n`, { size: 2000, overlap: 200 });
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it('cuts one endless line of code in linear time', () => {
    const started = performance.now();
    chunkText(`\`\`\`\n${'x'.repeat(3_000_000)}\n\`\`\``, { size: 200, overlap: 0 });
    expect(performance.now() - started).toBeLessThan(4_000);
  });

  it('does not repeat column names that are longer than passages', () => {
    const table = (name: string): string => `| ${name} |\n|---|\n${`| ${'cell '.repeat(30)}|\n`.repeat(20)}`;
    const headers = (name: string) => chunkText(table(name), options).map(({ tableHeader }) => tableHeader);
    expect(headers('name').at(-1)).toBe('| name |\n|---|\n');
    expect(headers('name '.repeat(1_000)).every((header) => header === null)).toBe(true);
  });

  it('does not take a # in code for a heading, nor end code at a blank line', () => {
    const text = '# Python\n\n```python\n# not a heading\n\nx = {"k": {}}\n```\n';
    expect(chunkText(text, options)).toHaveLength(1);
    expect(chunkText(text, options)[0]?.headings).toEqual(['Python']);
  });

  it('keeps a table and a formula together where they fit', () => {
    const table = '| a | b |\n| --- | --- |\n| 1 | 2 |\n';
    const formula = '$$\n\\frac{a}{b}\n\n= c\n$$\n';
    const chunks = chunkText(`${sentence}\n\n${table}\n${formula}`, { size: 64, overlap: 0 });
    expect(chunks.map(({ text }) => text)).toEqual([sentence.trim(), `${table}\n${formula}`.trim()]);
  });

  it('gives nothing for white space', () => expect(chunkText(' \n\t\n', options)).toEqual([]));

  it('for any text: exact slices, in order, no character lost or halved, none too long', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('# H\n', '\n\n', '```\n', '$$\n', '| a |\n', 'word ', '😀', '\r\n', '. '),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), fc.integer({ min: 5, max: 60 }), (parts, size) => {
        const text = parts.join('').toWellFormed();
        const chunks = chunkText(text, { size, overlap: Math.floor(size / 3) });
        let covered = 0;
        for (const { start, end, text: slice } of chunks) {
          expect(text.slice(start, end)).toBe(slice);
          expect(slice.isWellFormed()).toBe(true);
          expect(slice.length).toBeLessThanOrEqual(size + Math.floor(size / 3));
          expect(text.slice(covered, Math.max(covered, start)).trim()).toBe('');
          covered = Math.max(covered, end);
        }
        expect(text.slice(covered).trim()).toBe('');
      }),
    );
  });

  it('stays linear on a hostile megabyte', () => {
    const started = performance.now();
    chunkText('a'.repeat(500_000) + '\n'.repeat(200_000) + '# '.repeat(150_000), { size: 2000, overlap: 200 });
    expect(performance.now() - started).toBeLessThan(3000);
  });
});
