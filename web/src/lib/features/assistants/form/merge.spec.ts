import { describe, expect, it } from 'vitest';
import type { DefinitionBody } from './body';
import { merged, theirFields } from './merge';

const BASE: DefinitionBody = {
  name: 'Tutor',
  description: '',
  system_prompt: 'Be kind.',
  prompt_template: '{user_input}',
  metadata: { llm: 'small', verbose: true },
};

describe('two people who changed an assistant', () => {
  const theirs = { ...BASE, name: 'Coach', system_prompt: 'Be strict.', metadata: { llm: 'large' } };
  const mine = { ...BASE, system_prompt: 'Be brief.', prompt_template: 'Q: {user_input}' };

  it('keep both: fields that only they changed come from them', () => {
    expect([...theirFields(BASE, theirs, mine)]).toEqual(['name', 'metadata.llm', 'metadata.verbose']);
  });

  it('choose per field, fields of the document included', () => {
    expect(merged(mine, theirs, theirFields(BASE, theirs, mine))).toEqual({
      ...mine,
      name: 'Coach',
      metadata: { llm: 'large' },
    });
    expect(merged(mine, theirs, new Set(['system_prompt']))).toEqual({ ...mine, system_prompt: 'Be strict.' });
    expect(merged(mine, theirs, new Set())).toEqual(mine);
  });
});
