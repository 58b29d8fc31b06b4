import { MAX_SOURCES } from '../read-output';
import { citedText, sourcesBlock } from './sources-block';

const found = (similarity: number) => ({
  type: 'knowledge_base' as const,
  title: 'A.md',
  url: '/a',
  similarity,
  document: null,
});

describe('the classic block of sources', () => {
  it('is nothing without sources', () => expect(sourcesBlock([])).toBe(''));

  // Python prints the exact binary value and breaks ties to the even digit.
  it.each([
    [0.8712, '0.871'],
    [1, '1.000'],
    [0.0625, '0.062'],
    [0.1875, '0.188'],
    [0.3125, '0.312'],
    [0.4375, '0.438'],
    [0.0005, '0.001'],
    [0.0015, '0.002'],
    [0.9995, '1.000'],
    [-0.0625, '-0.062'],
    [-0.1875, '-0.188'],
  ])('prints %d as %s', (similarity, printed) => {
    expect(sourcesBlock([found(similarity)])).toBe(
      `\n\n## Available Sources\n\n1. [A.md](/a) (similarity: ${printed})\n`,
    );
  });

  it('names rubrics and calls a file unknown, as classic prompts do', () => {
    const sources = [
      { type: 'rubric' as const, rubric_id: 'r', title: 'Essay', format: 'markdown' as const },
      { type: 'file' as const, path: 'a.md', chars: 1, truncated: false },
    ];
    expect(sourcesBlock(sources)).toBe(
      '\n\n## Available Sources\n\n1. [Essay]() (similarity: 0.000)\n2. [Unknown]() (similarity: 0.000)\n',
    );
  });
});

describe('texts with their sources', () => {
  const many = Array.from({ length: MAX_SOURCES + 5 }, (_, index) => found(index / 1000));
  const texts = many.map((_, index) => `text ${index}`);

  it('is the text and the block of classic once the numbers stand in it, as far as an output lists sources', () => {
    const { content, citations } = citedText(texts, many, 'lamb');
    const numbers = citations.toReversed();
    const numbered = numbers.reduce(
      (all, { at, source }) => all.slice(0, at) + String(source + 1) + all.slice(at),
      content,
    );
    expect(numbered).toBe(texts.join('\n\n') + sourcesBlock(many.slice(0, MAX_SOURCES)));
  });

  it.each(['none', 'numbered', 'lamb'] as const)('is nothing without texts (%s)', (style) => {
    expect(citedText([], [], style)).toEqual({ content: '', citations: [], passages: [] });
  });
});
