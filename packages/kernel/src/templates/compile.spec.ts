import fc from 'fast-check';
import { MAX_RENDERED, type SlotGrammar, compileTemplate, renameSlots } from './compile';

const GRAMMAR: SlotGrammar = { types: ['context', 'rubric', 'file', 'tool_result'], names: ['1_glossary'] };
const SLOTS = [
  'user_input',
  'context',
  '1_context',
  '2_rubric',
  '10_file',
  '3_tool_result',
  '1_glossary',
  'removed_2_context',
];
const HOSTILE = [
  '{user_input}',
  '{2_rubric} and {1_context}',
  "$& $1 $$ $` $' $<name>",
  '$$x^2$$ and \\frac{a}{b}',
  '{"k": {"user": {}}}',
  '{',
  '}}{{',
  '\\{1_context\\}',
  '\u0000 😀 \ud800',
];

const content = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...HOSTILE));
const slotName = fc.constantFrom(...SLOTS);
/** Text that can hold braces of every kind but no slot, not even together with its neighbours. */
const literal = fc
  .oneof(fc.string(), fc.constantFrom('{name}', '\\frac{a}{b}', '{"k": {}}', '{{', '}', '{ user_input }', '{0}', '{}'))
  .filter((text) => compileTemplate(text, GRAMMAR).slots.length === 0);
const template = fc
  .array(fc.tuple(literal, slotName), { maxLength: 12 })
  .chain((pairs) => fc.tuple(fc.constant(pairs), literal));

const framed = (text: string): string => (text === '' ? '' : `\n\n${text}\n\n`);

describe('a compiled template', () => {
  it('refuses to multiply one content into a text that no memory holds', () => {
    const compiled = compileTemplate('{1_context}'.repeat(36_000), GRAMMAR);
    const long = 'x'.repeat(1_000_000);
    const refused = expect.objectContaining({ code: 'payload_too_large' });
    expect(() => compiled.render(() => long)).toThrow(refused);
    expect(() => compiled.renderPartial(new Map([['1_context', long]]))).toThrow(refused);
    const whole = compileTemplate('{1_context}', GRAMMAR);
    expect(whole.render(() => 'x'.repeat(MAX_RENDERED - 4))).toHaveLength(MAX_RENDERED);
  });

  it('of exactly the limit is filled, and not of one more', () => {
    const { render } = compileTemplate('{1_context}', GRAMMAR);
    expect(() => render(() => 'x'.repeat(MAX_RENDERED - 3))).toThrow(
      expect.objectContaining({ detail: 'The filled template is longer than 4000000 characters' }),
    );
  });

  it('refuses a short question that a template repeats until it fills the memory', () => {
    const compiled = compileTemplate('{user_input}'.repeat(33_000), GRAMMAR);
    const refused = expect.objectContaining({ code: 'payload_too_large' });
    expect(() => compiled.render(() => '一'.repeat(900))).toThrow(refused);
    expect(MAX_RENDERED).toBeLessThanOrEqual(4_000_000);
  });

  it('puts each content byte for byte between newlines where its slot was, and changes nothing else', () => {
    fc.assert(
      fc.property(template, fc.dictionary(slotName, content), ([pairs, tail], contents) => {
        const source = pairs.map(([text, name]) => `${text}{${name}}`).join('') + tail;
        const expected = pairs.map(([text, name]) => text + framed(contents[name] ?? '')).join('') + tail;
        expect(compileTemplate(source, GRAMMAR).render((name) => contents[name] ?? '')).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('is the identity on a template without slots', () => {
    fc.assert(
      fc.property(literal, content, (text, other) => {
        expect(compileTemplate(text, GRAMMAR).render(() => other)).toBe(text);
      }),
    );
  });

  it('cuts any text into segments that add up to it again, with ranges in UTF-16 units', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}_12acdefilnoprstuxy😀', 'user_input') }), (source) => {
        const compiled = compileTemplate(source, GRAMMAR);
        const again = compiled.segments.map((part) => (part.kind === 'literal' ? part.text : `{${part.slot.name}}`));
        expect(again.join('')).toBe(source);
        for (const { name, start, end } of compiled.slots) expect(source.slice(start, end)).toBe(`{${name}}`);
      }),
    );
  });

  it('fills some slots and leaves the others as written, and filling in steps equals filling at once', () => {
    const compiled = compileTemplate('A{1_context}B{2_rubric}C{user_input}D{x}', GRAMMAR);
    expect(compiled.renderPartial(new Map([['1_context', '{2_rubric}']]))).toBe(
      'A\n\n{2_rubric}\n\nB{2_rubric}C{user_input}D{x}',
    );
    expect(compiled.renderPartial(new Map([['2_rubric', '']]))).toBe('A{1_context}BC{user_input}D{x}');
    expect(compiled.renderPartial(new Map())).toBe(compiled.source);
  });

  it.each(HOSTILE)('never reads the content %j', (hostile) => {
    const compiled = compileTemplate('C:{1_context} R:{2_rubric} Q:{user_input}', GRAMMAR);
    const rendered = compiled.render((name) => (name === '2_rubric' ? 'R' : hostile));
    expect(rendered).toBe(`C:\n\n${hostile}\n\n R:\n\nR\n\n Q:\n\n${hostile}\n\n`);
  });

  it.each([
    '\\frac{a}{b}',
    '{"k": {}}',
    '{name}',
    '{ user_input }',
    '{User_Input}',
    '{1_unknown}',
    '{_context}',
    '{1context}',
    '{-1_context}',
    '{removed_context}',
    '{removed_1_unknown}',
    '{constructor}',
    '{__proto__}',
    '{2_glossary}',
    '{}',
    '{user_input',
    'user_input}',
  ])('takes %j for text', (text) => {
    expect(compileTemplate(text, GRAMMAR).slots).toEqual([]);
  });

  it('finds slots inside other braces', () => {
    expect(compileTemplate('{{user_input}} {a {context}', GRAMMAR).slots).toEqual([
      { name: 'user_input', start: 1, end: 13 },
      { name: 'context', start: 18, end: 27 },
    ]);
  });

  it('is cut into literals and slots, with no empty literal between', () => {
    const slot = (name: string, start: number) => ({
      kind: 'slot',
      slot: { name, start, end: start + name.length + 2 },
    });
    expect(compileTemplate('{context}{user_input}: {x}', GRAMMAR).segments).toEqual([
      slot('context', 0),
      slot('user_input', 9),
      { kind: 'literal', text: ': {x}' },
    ]);
    expect(compileTemplate('', GRAMMAR).segments).toEqual([]);
  });

  it('has exactly the named slots when no types are given, as classic templates need', () => {
    const compiled = compileTemplate('{context} {1_context} {rubric} {user_input}', { types: [], names: ['context'] });
    expect(compiled.slots.map(({ name }) => name)).toEqual(['context', 'user_input']);
  });

  it('asks for each of 1,000 slots once and renders them in order', () => {
    const numbers = Array.from({ length: 1000 }, (_, index) => index + 1);
    const compiled = compileTemplate(numbers.map((n) => `[{${n}_context}]`).join(''), GRAMMAR);
    const asked: string[] = [];
    const rendered = compiled.render((name) => {
      asked.push(name);
      return name;
    });
    expect(asked).toEqual(numbers.map((n) => `${n}_context`));
    expect(rendered).toBe(numbers.map((n) => `[\n\n${n}_context\n\n]`).join(''));
  });

  it('survives megabytes of lone braces', () => {
    for (const text of ['{'.repeat(2e6), '}'.repeat(2e6), '{a'.repeat(1e6), `{${'a'.repeat(2e6)}`]) {
      expect(compileTemplate(text, GRAMMAR).render(() => 'x')).toBe(text);
    }
  });
});

describe('renaming slots', () => {
  it('swaps two names at once', () => {
    const renames = new Map([
      ['2_context', '3_context'],
      ['3_context', '2_context'],
    ]);
    expect(renameSlots('{2_context} {3_context} {1_context} {x}', renames)).toBe(
      '{3_context} {2_context} {1_context} {x}',
    );
  });

  it('deletes a slot that is mapped to null and keeps what looks like a pattern', () => {
    expect(
      renameSlots(
        'a{1_file}b{2_file}$&',
        new Map([
          ['1_file', null],
          ['2_file', '$&'],
        ]),
      ),
    ).toBe('ab{$&}$&');
  });

  it('puts several names side by side where one stood', () => {
    expect(renameSlots('a{context}b', new Map([['context', ['1_context', '3_context']]]))).toBe(
      'a{1_context}{3_context}b',
    );
  });

  it('is undone by the inverse renaming', () => {
    const cycle = ['1_context', '2_rubric', '10_file', '3_tool_result'];
    const forward = new Map(cycle.map((name, i) => [name, cycle[(i + 1) % cycle.length] ?? name]));
    const back = new Map([...forward].map(([from, to]) => [to, from]));
    fc.assert(
      fc.property(template, ([pairs, tail]) => {
        const source = pairs.map(([text, name]) => `${text}{${name}}`).join('') + tail;
        expect(renameSlots(renameSlots(source, forward), back)).toBe(source);
      }),
    );
  });
});
