import { encodeJson, writeJson } from './large-json';

const LONG = 'a"\\é一😀\n'.repeat(200_000);

describe('large JSON', () => {
  it.each([
    ['one long text', { messages: [{ role: 'user', content: LONG }] }],
    ['a pair of surrogates wherever a piece ends', { a: `${'x'.repeat(65_535)}😀`, b: `x${'😀'.repeat(600_000)}` }],
    ['half a pair', { a: `${'x'.repeat(65_535)}\ud83d`, b: '\ud83d'.repeat(1_100_000) }],
    [
      'many small values',
      { list: Array.from({ length: 90_000 }, (_, n) => ({ n, t: 'x', e: {}, l: [], u: undefined })) },
    ],
    ['a small body', { a: [undefined, null, 1.5, true, 'é'] }],
  ])('is written as JSON.stringify writes it: %s', async (_name, value) => {
    const expected = JSON.stringify(value);
    expect((await encodeJson(value)).toString() === expected).toBe(true);
  });

  it('lets other work run in between', async () => {
    let turns = 0;
    const count = (): void => {
      turns += 1;
      if (turns < 1_000) setImmediate(count);
    };
    setImmediate(count);
    await encodeJson({ text: 'x'.repeat(10_000_000) });
    expect(turns).toBeGreaterThanOrEqual(8);
    turns = 1_000;
  });

  it('sorts members where order is to say nothing', async () => {
    let text = '';
    await writeJson({ b: { d: 1, c: [2] }, a: '' }, 'sorted', (piece) => (text += piece));
    expect(text).toBe('{"a":"","b":{"c":[2],"d":1}}');
  });
});
