import { isPlaceholderFor, numberedPlaceholder, parsePlaceholder } from './placeholder';

const isType = (type: string): boolean => ['context', 'tool_result'].includes(type);

describe('placeholder names', () => {
  it.each([
    ['context', { number: null, type: 'context', removed: false }],
    ['12_context', { number: 12, type: 'context', removed: false }],
    ['3_tool_result', { number: 3, type: 'tool_result', removed: false }],
    ['removed_2_context', { number: 2, type: 'context', removed: true }],
    ['removed_context', null],
    ['x1_context', null],
    ['1_context\n', null],
    ['1_rubric', null],
    ['1_', null],
    ['', null],
  ])('reads %j', (name, parsed) => {
    expect(parsePlaceholder(name, isType)).toEqual(parsed);
  });

  it.each([
    ['context', true],
    ['1_context', true],
    [numberedPlaceholder(4, 'context'), true],
    ['removed_1_context', false],
    ['2_rubric', false],
    ['{1_context}', false],
    ['1_context\n', false],
    ['1-context', false],
  ])('tells whether %j may belong to a tool that fills context', (placeholder, expected) => {
    expect(isPlaceholderFor('context', placeholder)).toBe(expected);
  });

  it('may hold any sign in the type that another plugin fills', () => {
    const type = 'my type\n ü';
    expect(parsePlaceholder(`2_${type}`, (candidate) => candidate === type)).toEqual({
      ...{ number: 2, type, removed: false },
    });
  });

  it('never gives the question away to a tool', () => {
    expect(isPlaceholderFor('user_input', 'user_input')).toBe(false);
  });
});
