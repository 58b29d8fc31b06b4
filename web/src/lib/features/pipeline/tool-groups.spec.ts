import { describe, expect, it } from 'vitest';
import { grouped } from './tool-groups';

const named = (name: string, category: string) => ({ name, category });

describe('headings of the menu of tools', () => {
  it('puts searches together, keeps the order of the catalogue below a heading, and leaves empty headings out', () => {
    const found = grouped([
      named('rubric_rag', 'rubric'),
      named('simple_rag', 'rag'),
      named('keyword_search', 'search'),
    ]);
    expect(found.map(({ group, tools }) => [group, tools.map(({ name }) => name)])).toEqual([
      ['material', ['simple_rag', 'keyword_search']],
      ['feedback', ['rubric_rag']],
    ]);
  });

  it('loses no tool of a category that it does not know', () => {
    expect(grouped([named('own_tool', 'astronomy')])).toEqual([
      { group: 'other', tools: [named('own_tool', 'astronomy')] },
    ]);
  });
});
