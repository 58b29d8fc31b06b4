import fc from 'fast-check';
import { type Chunk, chunksAt, type ChunkingOptions, cutText } from './chunking';
import { cpuTimeOf } from '../../../test/support/cpu-time';

const chunkText = (text: string, options: ChunkingOptions): Chunk[] => [...chunksAt(text, cutText(text, options))];

const options = { size: 200, overlap: 40 };
const sentence = 'The membrane lets water through while it holds the salt back. ';

const STEPS = [1, 2, 3, 4, 5];

/** Least of a few measurements: whatever else runs on the machine only adds. */
function fastest(text: string, options: ChunkingOptions): number {
  return Math.min(...STEPS.map(() => cpuTimeOf(() => chunkText(text, options))));
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

  it('closes a chunk at every heading, however short it is', () => {
    const text = '# Cells\n\nSmall.\n\n## Membranes\n\nThin.\n\n## Walls\n\nThick.\n\n# Roots\n\nDeep.';
    expect(chunkText(text, options).map(({ headings, text: slice }) => [headings.at(-1), slice])).toEqual([
      ['Cells', '# Cells\n\nSmall.'],
      ['Membranes', '## Membranes\n\nThin.'],
      ['Walls', '## Walls\n\nThick.'],
      ['Roots', '# Roots\n\nDeep.'],
    ]);
  });

  it('names the innermost heading where headings follow one another', () => {
    const text = '# Book\n\n## Empty\n\n## Membranes\n\nThin.\n\n# Last';
    const chunks = chunkText(text, options);
    expect(chunks.map(({ headings, section }) => [headings, section])).toEqual([
      [['Book', 'Membranes'], text.indexOf('## Membranes')],
      [['Last'], text.indexOf('# Last')],
    ]);
    expect(chunks[0]?.text).toBe('# Book\n\n## Empty\n\n## Membranes\n\nThin.');
  });

  it.each([
    ['prose', sentence.repeat(10)],
    ['a listing', `\`\`\`\n${'x = f(a, b)\n'.repeat(30)}\`\`\``],
  ])('leaves no heading alone before long text (%s)', (_, long) => {
    const chunks = chunkText(`# Cells\n\n${long}\n\n## Membranes\n\n${long}`, { size: 200, overlap: 0 });
    expect(chunks.length).toBeGreaterThanOrEqual(4);
    for (const { text } of chunks) {
      expect(text).not.toMatch(/^#+ \S+$/);
      expect(text.length).toBeLessThanOrEqual(200);
    }
  });

  it('repeats nothing of a section of the same name', () => {
    const section = `# Exercise\n\n${sentence}\n\n`;
    const chunks = chunkText(section.repeat(2), { size: 200, overlap: 80 });
    expect(chunks.map(({ start }) => start)).toEqual([0, section.length]);
  });

  it.each([
    ['links', '| [Home](/) | [Docs](/docs "All") |\n|---|---|\n| [Blog](https://a.org/b) | |'],
    ['pictures with links', '| [![Logo](logo.png)](/) · [Shop](/shop) |\n| --- |\n| <https://a.org> |'],
    ['addresses', '| https://a.org | https://b.org |\n|---|---|'],
  ])('leaves out a table that holds %s only', (_, table) => leavesOut(table));

  it('leaves dotted tables of contents out', () =>
    leavesOut('1 Water . . . . . . 3\n1.1 Osmosis............ 12\n\nA Salt ……… xiv'));

  function leavesOut(table: string): void {
    const text = `# Cells\n\n${sentence}\n\n${table}\n\nThe end.`;
    expect(chunkText(text, { size: 200, overlap: 80 }).map(({ text: slice }) => slice)).toEqual([
      `# Cells\n\n${sentence.trim()}`,
      'The end.',
    ]);
  }

  it.each([
    '| Week | Slides |\n|---|---|\n| 1 | [Cells](/1) |',
    '| [Cells](/1) | see page 3 |\n|---|---|',
    '| | |\n|---|---|\n| | |',
    'It is not known .... 1984 was a leap year.\nWait... 3',
  ])('keeps %j', (table) => {
    expect(chunkText(table, options).map(({ text }) => text)).toEqual([table]);
  });

  it('looks for links in a hostile line in linear time', () =>
    expectLinear((length) => `|${'[a]('.repeat(length / 8)}${'[['.repeat(length / 8)}`, { size: 2000, overlap: 200 }));

  it('leaves room for the column names that a part of a table lacks', () => {
    const header = '| Student | First exam | Second exam |';
    const rows = Array.from({ length: 60 }, (_, n) => `| Student ${n} | ${n % 10} | ${n % 7} |`).join('\n');
    const chunks = chunkText(`${header}\n|---|---|---|\n${rows}\n\n${sentence}`, { size: 200, overlap: 0 });
    expect(chunks.length).toBeGreaterThan(10);
    for (const { text, tableHeader } of chunks.slice(1)) {
      expect(`${tableHeader}\n${text}`.length).toBeLessThanOrEqual(200);
      if (text.startsWith('|')) expect(tableHeader).toBe(`${header}\n|---|---|---|`);
    }
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
    expect(headers('name').at(-1)).toBe('| name |\n|---|');
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
        for (const { start, end, text: slice, tableHeader } of chunks) {
          expect(text.slice(start, end)).toBe(slice);
          expect(slice.isWellFormed()).toBe(true);
          expect(slice.length + (tableHeader?.length ?? 0)).toBeLessThanOrEqual(size + Math.floor(size / 3));
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
