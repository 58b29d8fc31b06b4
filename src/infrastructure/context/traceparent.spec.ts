import { readTraceparent, writeTraceparent } from './span';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('traceparent', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, true],
    [`00-${TRACE}-${SPAN}-00`, false],
    [`01-${TRACE}-${SPAN}-03-what-comes-later`, true],
  ])('reads %s', (header, sampled) => {
    expect(readTraceparent(header)).toEqual({ traceId: TRACE, spanId: SPAN, sampled });
  });

  it.each([
    undefined,
    ['00-a', '00-b'],
    '',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01x`,
  ])('takes %j for no trace', (header) => {
    expect(readTraceparent(header)).toBeNull();
  });

  it('writes what it reads', () => {
    const header = `00-${TRACE}-${SPAN}-01`;
    expect(writeTraceparent(readTraceparent(header)!)).toBe(header);
  });
});
