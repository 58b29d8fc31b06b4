import { isUuid, undatedUuid, uuidTime, uuidv7 } from './ids';

describe('uuidv7', () => {
  afterEach(() => jest.restoreAllMocks());

  it('starts with the time in milliseconds and carries version and variant', () => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 1);
    const id = uuidv7();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(uuidTime(id)).toBe(Date.now());
  });

  it('sorts in the order of the calls, also within a millisecond', () => {
    const ids = Array.from({ length: 10_000 }, () => uuidv7());
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
  });

  it('sorts in the order of the calls when the clock is set back by a minute, and follows it further back', () => {
    const now = Date.now() + 1_000;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now);
    const first = uuidv7();
    clock.mockReturnValue(now - 60_000);
    const second = uuidv7();
    expect(second > first).toBe(true);
    expect(uuidTime(second)).toBe(now);
    clock.mockReturnValue(now - 60_001);
    expect(uuidTime(uuidv7())).toBe(now - 60_001);
  });
});

it('undatedUuid tells no time: ids made together lie years apart, and none is the same', () => {
  const ids = Array.from({ length: 1_000 }, () => undatedUuid());
  expect(new Set(ids).size).toBe(1_000);
  expect(ids.every((id) => isUuid(id) && id[14] === '7')).toBe(true);
  const times = ids.map(uuidTime);
  const year = 365 * 86_400_000;
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(year);
  expect(Math.max(...times)).toBeLessThanOrEqual(Date.now());
});

describe('isUuid', () => {
  it.each(['', 'x', '1', '../etc', `${uuidv7()}x`])('refuses %j', (text) => expect(isUuid(text)).toBe(false));
  it('accepts its own ids', () => expect(isUuid(uuidv7())).toBe(true));
});
