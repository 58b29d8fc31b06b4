import { Logger } from '@nestjs/common';
import { finding } from '../infrastructure/findings';
import { type Check, HealthReport } from './health-report.service';

const of = (...checks: readonly Check[]): HealthReport => {
  const collector = { checks } as never;
  const none = { checks: [] } as never;
  return new HealthReport(collector, none, none, 5_000);
};

describe('the health report', () => {
  beforeEach(() => void jest.spyOn(Logger.prototype, 'warn').mockImplementation());
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('lists the worst first', async () => {
    const { state, findings } = await of(
      { name: 'disk', make: () => finding('disk.ok') },
      { name: 'clock', make: () => [finding('clock.off'), finding('clock.wrong')] },
    ).latest();
    expect(state).toBe('error');
    expect(findings.map(({ code }) => code)).toEqual(['clock.wrong', 'clock.off', 'disk.ok']);
  });

  it('is made once for readers at the same time, and again after some seconds', async () => {
    jest.useFakeTimers();
    const make = jest.fn(() => finding('disk.ok'));
    const report = of({ name: 'disk', make });
    const [one, other] = await Promise.all([report.latest(), report.latest()]);
    expect(other).toBe(one);
    expect(await report.latest()).toBe(one);
    jest.advanceTimersByTime(5_000);
    await report.latest();
    expect(make).toHaveBeenCalledTimes(2);
  });

  it('tells of a check that fails, and of one that hangs without beginning it again', async () => {
    jest.useFakeTimers();
    const hanging = jest.fn(() => new Promise<never>(() => undefined));
    const report = of(
      { name: 'disk', make: () => Promise.reject(new Error('gone')) },
      { name: 'database', make: hanging },
      { name: 'clock', make: () => finding('clock.ok') },
    );
    for (const _ of ['first', 'second']) {
      const made = report.latest();
      await jest.advanceTimersByTimeAsync(5_000);
      expect((await made).findings).toMatchObject([
        { code: 'check.failed', values: { check: 'disk' } },
        { code: 'check.failed', values: { check: 'database' } },
        { code: 'clock.ok' },
      ]);
      await jest.advanceTimersByTimeAsync(5_000);
    }
    expect(hanging).toHaveBeenCalledTimes(1);
  });
});
