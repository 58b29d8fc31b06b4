import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { type FunctionCallDelta, MAX_CALLS } from '../connectors';
import { ARGUMENTS_LIMIT } from '../tools';
import { CallAssembler } from './call-assembler';

const FIXTURES = join(__dirname, '../../test/fixtures/streams');

const delta = (overrides: Partial<FunctionCallDelta>): FunctionCallDelta => ({
  index: null,
  id: null,
  name: null,
  arguments: '',
  ...overrides,
});

/** Reads OpenAI's chunks as connectors do. */
function deltasOf(chunk: any): FunctionCallDelta[] {
  const [choice] = chunk.choices;
  const calls = choice?.delta?.tool_calls ?? choice?.message?.tool_calls ?? [];
  return calls.map((call: any) => {
    const given = call.function?.arguments ?? '';
    return delta({
      index: call.index ?? null,
      id: call.id ?? null,
      name: call.function?.name || null,
      arguments: typeof given === 'string' ? given : JSON.stringify(given),
    });
  });
}

function assembled(deltas: readonly FunctionCallDelta[]) {
  const assembler = new CallAssembler();
  for (const each of deltas) assembler.add(each);
  return assembler.finish();
}

const told = (deltas: readonly FunctionCallDelta[]) =>
  assembled(deltas).map(({ id, function: called }) => ({ id, ...called }));

describe('calls put together from fragments', () => {
  it.each(readdirSync(FIXTURES).filter((name) => name.endsWith('.json')))('reads %s', (name) => {
    const { chunks, expected } = JSON.parse(readFileSync(join(FIXTURES, name), 'utf8'));
    expect(told(chunks.flatMap(deltasOf))).toEqual(expected.calls);
  });

  it('tells calls apart that share an index and have no ids', () => {
    const calls = told([
      delta({ index: 0, name: 'get_weather', arguments: '{"city":"Elx"}' }),
      delta({ index: 0, name: 'get_time', arguments: '{"zone":"CET"}' }),
    ]);
    expect(calls.map(({ name, arguments: text }) => [name, text])).toEqual([
      ['get_weather', '{"city":"Elx"}'],
      ['get_time', '{"zone":"CET"}'],
    ]);
    expect(calls[0]?.id).not.toBe(calls[1]?.id);
  });

  it('joins fragments whose index wanders while their id stays', () => {
    expect(
      told([
        delta({ index: 0, id: 'a', name: 'f', arguments: '{"x":' }),
        delta({ index: 1, id: 'a', arguments: '1}' }),
      ]),
    ).toEqual([{ id: 'a', name: 'f', arguments: '{"x":1}' }]);
  });

  it('reads a whole call that is repeated at the end once', () => {
    const whole = delta({ index: 0, id: 'a', name: 'f', arguments: '{"x":1}' });
    expect(told([delta({ ...whole, arguments: '{"x":' }), delta({ index: 0, arguments: '1}' }), whole])).toEqual([
      { id: 'a', name: 'f', arguments: '{"x":1}' },
    ]);
  });

  it.each([' ', '\n', ''])('takes %j with the id and name of a whole call for a part of it', (text) => {
    const whole = delta({ index: 0, id: 'a', name: 'f', arguments: '{"x":1}' });
    const [only, ...others] = told([whole, { ...whole, arguments: text }]);
    expect(others).toEqual([]);
    expect(JSON.parse(only?.arguments ?? '')).toEqual({ x: 1 });
  });

  it.each(['a', null])('puts the arguments that follow an empty object in its place (id %j)', (id) => {
    const begun = delta({ index: 0, id: 'a', name: 'f', arguments: '{}' });
    const name = id === null ? null : 'f';
    const rest = ['{"x":', '1}'].map((text) => delta({ index: 0, id, name, arguments: text }));
    expect(told([begun, ...rest])).toEqual([{ id: 'a', name: 'f', arguments: '{"x":1}' }]);
    expect(told([begun, delta({ index: 0, id, name, arguments: '{}' })])).toEqual([
      { id: 'a', name: 'f', arguments: '{}' },
    ]);
  });

  it('gives two calls of one id an id each', () => {
    const calls = told([
      delta({ index: 0, id: '0', name: 'f', arguments: '{"x":1}' }),
      delta({ index: 1, id: '0', name: 'g', arguments: '{"y":2}' }),
    ]);
    expect(calls.map(({ name }) => name)).toEqual(['f', 'g']);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  });

  it('keeps one character more than the limit of arguments, and no more calls than any model means', () => {
    const long = delta({ index: 0, id: 'a', name: 'f', arguments: 'x'.repeat(ARGUMENTS_LIMIT) });
    expect(told([long, long, long])[0]?.arguments).toHaveLength(ARGUMENTS_LIMIT + 1);
    const many = Array.from({ length: 1_000 }, (_, n) => delta({ index: n, id: `c${n}`, name: 'f' }));
    expect(told(many)).toHaveLength(MAX_CALLS);
  });

  it('finds nothing in fragments without a name', () => {
    expect(told([delta({ index: 0, id: 'a', arguments: '{}' })])).toEqual([]);
  });

  const call = fc.record({
    name: fc.constantFrom('get_weather', 'get_time', '__proto__', 'a'),
    arguments: fc
      .dictionary(
        fc.string({ maxLength: 5 }),
        fc.oneof(fc.string(), fc.integer(), fc.constant({ nested: ['}{', '"\\'] })),
      )
      .map((value) => JSON.stringify(value)),
  });
  const cut = (text: string, at: number): string[] =>
    text === '' ? [''] : [text.slice(0, at % text.length), text.slice(at % text.length)];

  it('puts any calls together however their arguments are cut and interleaved, by id and by index', () => {
    fc.assert(
      fc.property(
        fc.array(call, { minLength: 1, maxLength: 6 }),
        fc.nat(),
        fc.boolean(),
        fc.boolean(),
        (calls, at, interleaved, idsThroughout) => {
          const pieces = calls.map((each, index) => [
            delta({ index, id: `id${index}`, name: each.name }),
            ...cut(each.arguments, at).map((text) =>
              delta({ index, id: idsThroughout ? `id${index}` : null, arguments: text }),
            ),
          ]);
          const longest = Math.max(...pieces.map(({ length }) => length));
          const deltas = interleaved
            ? Array.from({ length: longest }, (_, n) => pieces.flatMap((each) => each[n] ?? [])).flat()
            : pieces.flat();
          expect(told(deltas)).toEqual(calls.map((each, index) => ({ id: `id${index}`, ...each })));
        },
      ),
    );
  });

  it('never throws and never repeats an id, whatever comes', () => {
    const any = fc.record({
      index: fc.option(fc.nat({ max: 3 })),
      id: fc.option(fc.constantFrom('', 'a', 'b')),
      name: fc.option(fc.constantFrom('', 'f', 'g')),
      arguments: fc.constantFrom('', '{', '}', '{}', '"', '\\', '{"a":1}'),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 30 }), (deltas) => {
        const ids = assembled(deltas).map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.every((id) => id !== '')).toBe(true);
      }),
    );
  });
});
