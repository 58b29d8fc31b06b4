import { describe, expect, it } from 'vitest';
import type { DefinitionBody } from './body';
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

  it('show structures and long texts as texts, and what one side lacks as empty', () => {
    const mine = { ...BODY, system_prompt: 'a\nb', metadata: { ...BODY.metadata, tools: [], verbose: true } };
    expect(differences(BODY, mine).map(({ path, kind, theirs }) => [path, kind, theirs === ''])).toEqual([
      ['system_prompt', 'text', false],
      ['metadata.tools', 'text', false],
      ['metadata.verbose', 'value', true],
    ]);
  });
});
