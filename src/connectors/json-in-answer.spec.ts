import fc from 'fast-check';
import { jsonInAnswer } from './structured-answers.service';
import { cpuTimeOf } from '../../test/support/cpu-time';

describe('the object in a model’s answer', () => {
  it.each([
    ['alone', '{"a": 1}'],
    ['in a fence', 'Here it is:\n```json\n{"a": 1}\n```\nAnything else?'],
    ['after thoughts with drafts', '<think>maybe {"a": 2}</think>\n{"a": 1}'],
    ['after braces that are none', 'The set {x, y} is {"a": 1} in JSON {really}'],
    ['after a brace that is never closed', 'A "{" and then {"a": 1}'],
  ])('is found %s', (_, answer) => expect(jsonInAnswer(answer)).toEqual({ a: 1 }));

  it.each(['', 'no', '[1, 2]', '{"a": ', '{'.repeat(1_000)])('is none in %j', (answer) =>
    expect(jsonInAnswer(answer)).toBeUndefined(),
  );

  it('whatever its strings hold and whatever stands around it', () => {
    const around = fc.string().filter((text) => !/[{}"]/.test(text));
    fc.assert(
      fc.property(around, fc.dictionary(fc.string(), fc.jsonValue()), around, (before, value, after) => {
        const text = JSON.stringify(value);
        expect(jsonInAnswer(`${before}${text}${after}`)).toEqual(JSON.parse(text));
      }),
      { numRuns: 200 },
    );
  });

  it('is looked for in bounded time', () => {
    const took = cpuTimeOf(() => expect(jsonInAnswer('{"a'.repeat(300_000))).toBeUndefined());
    expect(took).toBeLessThan(2_000);
  });
});
