import { describe, expect, it } from 'vitest';
import type { DefinitionBody } from './body';
import { fieldText } from '$lib/features/changes/change-texts';
import { differences } from './field-diff';

const BODY: DefinitionBody = {
  name: 'Essay feedback',
  description: '',
  system_prompt: 'Be kind.',
  prompt_template: '{1_context}{user_input}',
  metadata: { assistant_type: 'multi_tool', llm: 'gpt-4o-mini', tools: [{ plugin: 'simple_rag', enabled: true }] },
};

describe('differences of two definitions', () => {
  it('are none between a definition and itself, whatever the order of keys', () => {
    const { tools, ...rest } = BODY.metadata;
    expect(differences(BODY, { ...BODY, metadata: { tools, ...rest } })).toEqual([]);
  });

  it('name each field and show short values as they are', () => {
    const mine = { ...BODY, name: 'Essays', metadata: { ...BODY.metadata, llm: 'gpt-4o' } };
    expect(differences(BODY, mine)).toEqual([
      { path: 'name', kind: 'value', theirs: 'Essay feedback', mine: 'Essays' },
      { path: 'metadata.llm', kind: 'value', theirs: 'gpt-4o-mini', mine: 'gpt-4o' },
    ]);
  });

  it('show tools by their names and settings, not as JSON', () => {
    const names = { of: (kind: string, id: unknown) => (kind === 'rubric' && id === 'r1' ? 'Essays' : null) };
    const tools = (top: number) => [
      { plugin: 'rubric_rag', placeholder: '1_context', config: { rubric_id: 'r1' } },
      { plugin: 'simple_rag', enabled: false, config: { top_k: top, collections: ['c1'] } },
    ];
    const of = (top: number) => ({ ...BODY, metadata: { ...BODY.metadata, tools: tools(top) } });
    const [found, ...others] = differences(of(3), of(5), (path, value) => fieldText(path, value, names as never));
    expect(others).toEqual([]);
    expect(found).toMatchObject({ path: 'metadata.tools', kind: 'text' });
    expect(found?.theirs).toContain('Essays');
    expect(found?.theirs.split('\n').filter((line) => !found.mine.split('\n').includes(line))).toEqual([
      expect.stringMatching(/^ {2}.+: 3$/),
    ]);
    expect(found?.theirs).not.toMatch(/[[\]"]/);
  });

  it('show structures and long texts as texts, and what one side lacks as empty', () => {
    const mine = { ...BODY, system_prompt: 'a\nb', metadata: { ...BODY.metadata, tools: [], verbose: true } };
    expect(differences(BODY, mine).map(({ path, kind, theirs }) => [path, kind, theirs === ''])).toEqual([
      ['system_prompt', 'text', false],
      ['metadata.tools', 'text', false],
      ['metadata.verbose', 'value', true],
    ]);
  });
});
