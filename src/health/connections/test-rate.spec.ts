import { TestRate } from './connection-tests.service';

describe('tests of connections', () => {
  beforeEach(() => jest.useFakeTimers({ now: 0 }));
  afterEach(() => jest.useRealTimers());
  const tooMany = (retryAfter: number) => expect.objectContaining({ code: 'too_many_requests', retryAfter });

  it('are thirty a minute; others and the next minute are not affected', () => {
    const rate = new TestRate();
    for (let test = 0; test < 30; test += 1) rate.count('one');
    expect(() => rate.count('one')).toThrow(tooMany(60));
    expect(() => rate.count('other')).not.toThrow();
    jest.setSystemTime(59_999);
    expect(() => rate.count('one')).toThrow(tooMany(1));
    jest.setSystemTime(60_000);
    expect(() => rate.count('one')).not.toThrow();
  });
});
