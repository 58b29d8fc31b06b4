import type { Token } from 'marked';
import { describe, expect, it } from 'vitest';
import { GrowingBlocks, type Links } from './growing-blocks';
import { blocksOf, elementsOf, lexMarkdown } from './markdown';

const textOf = (text: string): string =>
  blocksOf(text)
    .map((block) => elementsOf(block).textContent)
    .join('\n');

/** How many characters the reader of Markdown was given. */
function counted() {
  let chars = 0;
  const lex = (text: string, links: Links): readonly Token[] => {
    chars += text.length;
    return lexMarkdown(text, links);
  };
  return { growing: new GrowingBlocks(lex), chars: () => chars };
}

describe('an answer of a model that loops', () => {
  it.each([
    ['2,000 nested lists', '- '.repeat(2_000)],
    ['3,000 nested quotations', '> '.repeat(3_000)],
    ['3,000 nested numbers', '1. '.repeat(3_000)],
    ['quotations and lists in turn', '> - '.repeat(1_500)],
    ['50,000 <', '<'.repeat(50_000)],
    ['20,000 $', '$'.repeat(20_000)],
    ['20,000 _a', '_a'.repeat(20_000)],
    ['20,000 _a in lines', '_a\n'.repeat(20_000)],
    ['20,000 [a]: b', '[a]: b\n'.repeat(20_000)],
    ['50,000 [', '['.repeat(50_000)],
    ['20,000 *a **b', '*a **b '.repeat(20_000)],
  ])('shows %s as plain text, which no reader of Markdown is given', (_, text) => {
    const { growing, chars } = counted();
    expect(growing.of(`Before.\n\n${text}\n\nAfter.`).map(({ type }) => type)).toContain('plain');
    expect(chars()).toBeLessThan(100);
    expect(textOf(`Before.\n\n${text}\n\nAfter.`)).toContain(text.trim());
  });

  it('shows lists that are nested by indentation deeper than the stack allows', () => {
    const deep = Array.from({ length: 1_500 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n');
    expect(() => textOf(deep)).not.toThrow();
  });

  it('keeps long code, long tables and pictures that hold their own bytes', () => {
    const types = (text: string) => blocksOf(text).map(({ token }) => token.type);
    expect(types(`\`\`\`js\n${'a[0] < $b_;\n'.repeat(5_000)}\`\`\``)).toEqual(['code']);
    expect(types(`| a | b |\n| - | - |\n${'| 12 | some words |\n'.repeat(300)}`)).toEqual(['table']);
    expect(types(`![p](data:image/png;base64,${'A'.repeat(200_000)})`)).toEqual(['paragraph']);
  });
});

describe('an answer that grows', () => {
  const paragraph = (n: number): string => `Paragraph ${n} with **bold** and $x_${n}$.\n\n`;
  const samples: readonly (readonly [name: string, text: string])[] = [
    ['paragraphs', Array.from({ length: 300 }, (_, n) => paragraph(n)).join('')],
    ['lists that go on after blank lines', '1. one\n\n2. two\n\n   more\n\n10. ten\n\nend\n\n'.repeat(150)],
    ['formulas with blank lines', `${paragraph(1)}$$\na\n\n= b\n$$\n\n`.repeat(100)],
    ['code with blank lines', `${paragraph(1)}\`\`\`\na\n\nb\n\`\`\`\n\n# Title\n\n`.repeat(100)],
    ['links by label', `${Array.from({ length: 200 }, (_, n) => paragraph(n)).join('')}[a][1]\n\n[1]: https://x.edu\n`],
    ['line ends of Windows', paragraph(1).replaceAll('\n', '\r\n').repeat(200)],
  ];

  it.each(samples)('has the blocks that the whole text has: %s', (_, text) => {
    const growing = new GrowingBlocks(lexMarkdown);
    for (let end = 0; end < text.length; end += 97) growing.of(text.slice(0, end));
    const told = growing.of(text).map(({ type, raw }) => [type, raw]);
    expect(told).toEqual(lexMarkdown(text.replaceAll('\r\n', '\n'), {}).map(({ type, raw }) => [type, raw]));
  });

  it('is read at its end only', () => {
    const text = Array.from({ length: 2_000 }, (_, n) => paragraph(n)).join('');
    const { growing, chars } = counted();
    let updates = 0;
    for (let end = 0; end <= text.length; end += 500) {
      growing.of(text.slice(0, end));
      updates += 1;
    }
    expect(chars() / updates).toBeLessThan(6_000);
  });

  it('begins anew when another text takes its place', () => {
    const growing = new GrowingBlocks(lexMarkdown);
    growing.of(paragraph(1).repeat(200));
    expect(growing.of('other').map(({ raw }) => raw)).toEqual(['other']);
  });
});
