import fc from 'fast-check';
import { KnownDelta } from './chat-stream-reader';

const chunk = (content: string, spaces = '') =>
  `{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":${spaces}${JSON.stringify(content)}},"finish_reason":null}]}`;

const learn = (content = 'Hello') => {
  const known = KnownDelta.learn(chunk(content), chunk(content), content);
  if (known === null) throw new Error('not learned');
  return known;
};

describe('KnownDelta', () => {
  it('reads the text of every further delta and forwards its bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (content) => {
        const data = chunk(content);
        expect(learn().match(data)).toEqual({ data, text: content });
      }),
    );
  });

  it.each([
    ['a finish reason', chunk('x').replace('"finish_reason":null', '"finish_reason":"stop"')],
    ['another id', chunk('x').replace('"id":"1"', '"id":"2"')],
    ['more members', chunk('x').replace('"content"', '"role":"assistant","content"')],
    ['a null', chunk('x').replace('"x"', 'null')],
    ['members smuggled in behind the text', chunk('x').replace('"x"', '"x","refusal":"y"')],
    ['an open escape', chunk('x').replace('"x"', '"x\\"')],
    ['a broken escape', chunk('x').replace('"x"', '"\\q"')],
    ['a raw control character', chunk('x').replace('"x"', '"\u0001"')],
    ['a cut event', chunk('x').slice(0, -3)],
    ['head and tail that overlap', chunk('').slice(0, 60)],
    ['nothing', ''],
  ])('leaves %s to the parser', (_, data) => expect(learn().match(data)).toBeNull());

  it('puts our head and tail around the text when the vendor’s are not strict', () => {
    const vendor = '{"choices":[{"delta":{"content": "Hel\\"lo"}}]}';
    const known = KnownDelta.learn(vendor, chunk('Hel"lo'), 'Hel"lo');
    expect(known?.match(vendor.replace('Hel', 'Wor'))).toEqual({ data: chunk('Wor"lo'), text: 'Wor"lo' });
  });

  it('does not learn from a chunk with two contents', () => {
    const twice = chunk('x').replace('"id":"1"', '"id":"1","note":{"content":"x"}');
    expect(KnownDelta.learn(twice, twice, 'x')).toBeNull();
  });
});
