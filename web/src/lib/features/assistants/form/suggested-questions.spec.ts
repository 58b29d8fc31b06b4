import { expect, it } from 'vitest';
import { questionsOf, suggestedMember, suggestedText } from './suggested-questions';

it('reads one question a line, without empty ones', () => {
  expect(questionsOf(' What is osmosis?\n\n Why? \n')).toEqual(['What is osmosis?', 'Why?']);
});

it('leaves documents without suggestions as they are, and can empty those that have some', () => {
  expect(suggestedMember(' \n', {})).toEqual({});
  expect(suggestedMember('', { suggested_questions: ['a'] })).toEqual({ suggested_questions: [] });
  expect(suggestedMember('b', {})).toEqual({ suggested_questions: ['b'] });
});

it('shows what is stored, whatever it is', () => {
  expect(suggestedText({ suggested_questions: ['a', 'b'] })).toBe('a\nb');
  expect(suggestedText({ suggested_questions: ['a', 7] as never })).toBe('a');
  expect(suggestedText({})).toBe('');
});
