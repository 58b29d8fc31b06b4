import { describe, expect, it } from 'vitest';
import { LooseTemplate, slotsOf } from './loose-template.svelte';

const names = (template: string, state: string) =>
  slotsOf(template, 'multi_tool')
    .filter((slot) => slot.state === state)
    .map(({ name }) => name);

describe('the slots of a prompt template', () => {
  it('offer one of each kind, and no number twice', () => {
    expect(names('{user_input}', 'unused')).toEqual(['1_context', '2_rubric', '3_file']);
    expect(names('{2_rubric} {user_input}', 'unused')).toEqual(['1_context', '3_rubric', '4_file']);
    expect(names('{1_context} {2_rubric} {a}', 'used')).toEqual(['1_context', '2_rubric']);
  });

  it('need the question, and nothing else', () => {
    const open = slotsOf('{1_context}', 'multi_tool').filter(({ state, optional }) => state === 'unused' && !optional);
    expect(open.map(({ name }) => name)).toEqual(['user_input']);
  });

  it('are one for classic assistants', () => {
    expect(slotsOf('{1_context}', 'classic').map(({ name }) => name)).toEqual(['user_input', 'context']);
  });
});

it('a template undoes what was typed, and what another version brought', () => {
  const holder = { type: 'multi_tool' as const, template: 'a' };
  const document = new LooseTemplate(holder);
  document.edit('ab', 'typed');
  holder.template = 'theirs';
  document.edit('theirs, mine', 'typed');
  document.undo();
  expect(holder.template).toBe('theirs');
  document.undo();
  document.undo();
  expect([holder.template, document.canUndo]).toEqual(['a', false]);
});
