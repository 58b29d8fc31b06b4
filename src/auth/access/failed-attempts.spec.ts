import { FailedAttempts, type FailedMinute } from './failed-credentials.service';

function counted() {
  const clock = { now: 0 };
  const reports: FailedMinute[] = [];
  const attempts = new FailedAttempts({ report: (minute) => reports.push(minute), now: () => clock.now });
  const fail = (times: number, kind: 'sign_in' | 'key' = 'sign_in', address = '192.0.2.1') => {
    for (let time = 0; time < times; time += 1) attempts.count(address, kind, `key ${time}`);
  };
  return { clock, reports, attempts, fail };
}

function thrownBy(act: () => void): unknown {
  try {
    return void act();
  } catch (error) {
    return error;
  }
}

describe.each(['sign_in', 'key'] as const)('failures of one address (%s)', (kind) => {
  it('are refused from the 21st in a minute on, until the minute is over', () => {
    const { clock, fail } = counted();
    fail(20, kind);
    clock.now = 40_000;
    expect(thrownBy(() => fail(21, kind))).toMatchObject({ code: 'too_many_requests', retryAfter: 20 });
    clock.now = 60_000;
    expect(() => fail(20, kind)).not.toThrow();
  });

  it('say nothing of other addresses', () => {
    const { fail } = counted();
    fail(20, kind);
    expect(() => fail(20, kind, '192.0.2.2')).not.toThrow();
  });
});

describe('failures of one address', () => {
  it('count one wrong key once: a program that has not heard of its revocation', () => {
    const { attempts } = counted();
    for (let time = 0; time < 1_000; time += 1) attempts.count('192.0.2.1', 'key', 'one old key');
  });

  it('are reported once a minute, with their number', () => {
    const { clock, reports, attempts, fail } = counted();
    fail(3);
    fail(2, 'key');
    attempts.sweep();
    expect(reports).toEqual([]);
    clock.now = 60_000;
    attempts.sweep();
    attempts.sweep();
    expect(reports).toEqual([{ address: '192.0.2.1', signIns: 3, keys: 2 }]);
    fail(1);
    attempts.clear();
    expect(reports.slice(1)).toEqual([{ address: '192.0.2.1', signIns: 1, keys: 0 }]);
  });
});
