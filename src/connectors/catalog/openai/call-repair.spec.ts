import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { MAX_CALLS } from '../../vendor';
import { CallRepair, type VendorCallPiece } from './call-repair';

const FIXTURES = join(__dirname, '../../../../test/fixtures/streams');

const delta = (overrides: Partial<VendorCallPiece>): VendorCallPiece => ({
  index: null,
  id: null,
  name: null,
  arguments: '',
  ...overrides,
});

/** Reads OpenAI's chunks as connectors do. */
function deltasOf(chunk: any): VendorCallPiece[] {
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

/** The calls as a strict client reads them: the first piece of an index has all but the rest of the arguments. */
function assembled(deltas: readonly VendorCallPiece[], declared: readonly string[] = []) {
  const repair = new CallRepair(declared);
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const piece of [...deltas.flatMap((each) => repair.add([each])), ...repair.finish()]) {
    const known = calls[piece.index];
    if (known === undefined) {
      expect(piece).toMatchObject({ index: calls.length, id: expect.any(String), name: expect.any(String) });
      calls.push({ id: piece.id ?? '', name: piece.name ?? '', arguments: piece.arguments });
    } else {
      expect(piece).toMatchObject({ id: null, name: null });
      known.arguments += piece.arguments;
    }
  }
  return calls;
}

const told = (deltas: readonly VendorCallPiece[]) => assembled(deltas, ['get_weather']);

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

  it('tells no more calls than any model means', () => {
    const many = Array.from({ length: 1_000 }, (_, n) => delta({ index: n, id: `c${n}`, name: 'f' }));
    expect(told(many)).toHaveLength(MAX_CALLS);
  });

  it('tells a declared name at once, another one with its first arguments or at the end', () => {
    const begun = (name: string) => new CallRepair(['get_weather']).add([delta({ index: 0, id: 'a', name })]);
    expect(begun('get_weather')).toEqual([{ index: 0, id: 'a', name: 'get_weather', arguments: '' }]);
    expect(begun('get_')).toEqual([]);
  });

  it('waits with a declared name that begins a longer one', () => {
    const pieces = [
      delta({ index: 0, id: 'a', name: 'get' }),
      delta({ index: 0, id: 'a', name: 'get_weather', arguments: '{}' }),
    ];
    const calls = assembled(pieces, ['get', 'get_weather']);
    expect(calls).toEqual([{ id: 'a', name: 'get_weather', arguments: '{}' }]);
  });

  it('reads the arguments that it has told no more, however many pieces follow', () => {
    const repair = new CallRepair();
    repair.add([delta({ index: 0, id: 'a', name: 'f', arguments: '{"x":"' })]);
    const reads = [jest.spyOn(RegExp.prototype, 'test'), jest.spyOn(String.prototype, 'slice')];
    try {
      const told = Array.from({ length: 500 }, (_, n) => repair.add([delta({ index: 0, arguments: `${n},` })]));
      expect(told.flat().map((piece) => piece.arguments)).toEqual(Array.from({ length: 500 }, (_, n) => `${n},`));
      expect(reads.map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
    } finally {
      for (const spy of reads) spy.mockRestore();
    }
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
