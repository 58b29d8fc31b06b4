import { MemoryBudget, type MemoryClaim } from './memory-budget';

const MEBIBYTE = 1024 * 1024;
const refused = expect.objectContaining({ code: 'unavailable', retryAfter: expect.any(Number) });

describe('a memory budget', () => {
  let budget: MemoryBudget;
  beforeEach(() => {
    budget = new MemoryBudget(256 * MEBIBYTE, 'Too much at once');
  });
  const of = (organization: string): MemoryClaim => budget.claim(organization);

  it('leaves half of it to others, however much one organization sends', () => {
    of('a').take(100 * MEBIBYTE);
    const late = of('a');
    expect(() => late.take(100 * MEBIBYTE)).toThrow(refused);
    late.release();
    of('a').take(28 * MEBIBYTE);
    of('b').take(128 * MEBIBYTE);
    expect(() => of('c').take(MEBIBYTE)).toThrow(refused);
  });

  it('lets small requests in while a few large ones hold all of it', () => {
    of('a').take(128 * MEBIBYTE);
    const small = of('a');
    for (let piece = 0; piece < 4; piece += 1) small.take(16 * 1024);
    expect(() => small.take(1)).toThrow(refused);
    small.release();
    expect(budget.size).toBe(128 * MEBIBYTE);
  });

  it('is free again once released, and only once', () => {
    const upload = of('a');
    upload.take(128 * MEBIBYTE);
    upload.release();
    upload.release();
    const next = of('a');
    next.take(128 * MEBIBYTE);
    expect(() => of('a').take(MEBIBYTE)).toThrow(refused);
  });

  it('counts nothing that arrives after the release', () => {
    const upload = of('a');
    upload.release();
    upload.take(200 * MEBIBYTE);
    of('a').take(128 * MEBIBYTE);
  });
});
