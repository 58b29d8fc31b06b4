import { sourcesBlock } from './sources-block';

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
