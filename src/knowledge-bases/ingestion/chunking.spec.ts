import fc from 'fast-check';
import { type Chunk, type ChunkingOptions, chunkText as chunksIn } from './chunking';

const chunkText = (text: string, options: ChunkingOptions): Chunk[] => [...chunksIn(text, options)];

const options = { size: 200, overlap: 40 };
const sentence = 'The membrane lets water through while it holds the salt back. ';

const STEPS = [1, 2, 3, 4, 5];

/** Least of a few measurements: whatever else runs on the machine only adds. */
function fastest(text: string, options: ChunkingOptions): number {
  return Math.min(
    ...STEPS.map(() => {
      const started = performance.now();
      chunkText(text, options);
      return performance.now() - started;
    }),
  );
}

/** A text eight times as long takes about eight times as long, where quadratic work would take 64 times as long. */
function expectLinear(textOf: (length: number) => string, options: ChunkingOptions): void {
  const short = fastest(textOf(40_000), options);
  expect(fastest(textOf(320_000), options)).toBeLessThan(24 * Math.max(short, 10));
}

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

  it.each<[string, (length: number) => string]>([
    ['blanks inside', (length) => `# x${' '.repeat(length)}x`],
    ['a line separator behind blanks', (length) => `# ${'\t'.repeat(length)}\u2028`],
    ['closing marks that close nothing', (length) => `# ${' #'.repeat(length / 2)}x`],
  ])('reads a heading with %s in linear time', (_, textOf) => expectLinear(textOf, { size: 2000, overlap: 200 }));

  it('reads the second line of a table in linear time', () =>
    expectLinear((length) => `| a |\n|${'-'.repeat(length)}x\n`, { size: 2000, overlap: 200 }));

  it('cuts one endless line of code in linear time', () =>
    expectLinear((length) => `\`\`\`\n${'x'.repeat(length * 4)}\n\`\`\``, { size: 200, overlap: 0 }));

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

  it('stays linear on a hostile text', () =>
    expectLinear((length) => 'a'.repeat(length) + '\n'.repeat(length / 2) + '# '.repeat(length / 3), {
      size: 2000,
      overlap: 200,
    }));
});
