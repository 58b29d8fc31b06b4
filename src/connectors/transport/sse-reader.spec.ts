import fc from 'fast-check';
import { SseReader, type SseEvent } from './sse-reader';

const readAll = (bytes: Buffer, cuts: readonly number[] = []): SseEvent[] => {
  const reader = new SseReader();
  const events: SseEvent[] = [];
  let from = 0;
  for (const cut of [...cuts.filter((at) => at < bytes.length).sort((a, b) => a - b), bytes.length]) {
    reader.read(bytes.subarray(from, cut), events);
    from = cut;
  }
  return [...events, ...reader.end()];
};

const datasOf = (text: string): string[] => readAll(Buffer.from(text)).map(({ data }) => data);

describe('SseReader', () => {
  it.each([
    ['LF', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['CR', 'data: a\r\rdata: b\r\r', ['a', 'b']],
    ['no space after the colon', 'data:a\n\n', ['a']],
    ['only one space is taken off', 'data:  a\n\n', [' a']],
    ['several data lines', 'data: a\ndata:\ndata: b\n\n', ['a\n\nb']],
    ['comments and other fields', ': hi\nid: 7\nretry: 1\ndata: a\n\n: bye\n\n', ['a']],
    ['a byte order mark', '\uFEFFdata: a\n\n', ['a']],
    ['an end without a blank line', 'data: a\n\ndata: b', ['a', 'b']],
    ['an empty event', 'data:\n\n', ['']],
    ['blank lines only', '\n\n\n', []],
    ['fields that only begin alike', 'database: x\ndata: a\n\n', ['a']],
  ])('reads %s', (_, text, expected) => expect(datasOf(text)).toEqual(expected));

  it('names events, and forgets the name after each', () => {
    const events = readAll(Buffer.from('event: error\ndata: x\n\ndata: y\n\n'));
    expect(events).toEqual([
      { name: 'error', data: 'x' },
      { name: '', data: 'y' },
    ]);
  });

  it('gives the same events wherever the bytes are split, and whatever ends the lines', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replace(/[\r\n\uFEFF]/g, ''));
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 8 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat(200), { maxLength: 12 }),
        (datas, eol, cuts) => {
          const bytes = Buffer.from(datas.map((data) => `: note${eol}data: ${data}${eol}${eol}`).join(''));
          expect(readAll(bytes, cuts).map(({ data }) => data)).toEqual(
            datas.map((data) => Buffer.from(data).toString()),
          );
        },
      ),
    );
  });

  it('refuses an event that does not end, though its lines do', () => {
    const lines = Buffer.from(`data: ${'x'.repeat(93)}\n`.repeat(1_000));
    const reader = new SseReader(1_000_000);
    const flood = (): void => {
      for (let i = 0; i < 20; i += 1) reader.read(lines);
    };
    expect(flood).toThrow(RangeError);
    const ending = new SseReader(1_000_000);
    for (let i = 0; i < 20; i += 1) expect(ending.read(Buffer.concat([lines, Buffer.from('\n')]))).toHaveLength(1);
  });

  it('refuses a line that does not end', () => {
    const reader = new SseReader();
    const flood = (): void => {
      for (let i = 0; i < 10; i += 1) reader.read(Buffer.alloc(1_000_000, 'x'));
    };
    expect(flood).toThrow(RangeError);
  });
});
