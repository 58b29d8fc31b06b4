import { withoutPythonJson } from './plan/plan-content';

describe('metadata that only Python reads', () => {
  it.each([
    ['{"a": NaN, "b": [-Infinity, Infinity]}', '{"a": null, "b": [null, null]}', 3],
    [
      String.raw`{"a": "x \ud83d y", "b": "\ud83d\ude00", "c": "\\ud83d"}`,
      String.raw`{"a": "x \ufffd y", "b": "\ud83d\ude00", "c": "\\ud83d"}`,
      1,
    ],
    ['{"n": 123456789012345678901234567890}', '{"n": 123456789012345678901234567890}', 1],
    ['{"n": 9007199254740991, "m": 1234567890123456.5}', '{"n": 9007199254740991, "m": 1234567890123456.5}', 0],
    ['{"a": "NaN and \\"Infinity\\" 12345678901234567890"}', '{"a": "NaN and \\"Infinity\\" 12345678901234567890"}', 0],
    ['{"a": "not closed NaN', '{"a": "not closed NaN', 0],
  ])('%s', (given, text, changes) => {
    const found = withoutPythonJson(given);
    expect([found.text, found.changes.length]).toEqual([text, changes]);
  });
});
