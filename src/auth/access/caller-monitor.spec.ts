import { AppError, type Caller } from '@bellwether/kernel';
import { Logger } from '@nestjs/common';
import type { OrganizationChanges } from '../../organizations';
import { CHECK_EVERY_MS, type CallerRenewal, CallerMonitor, type WorkToMonitor } from './caller-monitor.service';

const caller = (credentialId: string, organizationId = 'org'): Caller => ({
  kind: 'api_key',
  credentialId,
  organizationId,
  organizationSlug: 'org',
  userId: 'person',
  role: 'teacher',
  systemAdmin: false,
  scopes: ['chat'],
  assistantIds: null,
});

function setting(renewed: (who: Caller) => Promise<Caller> = async (who) => who) {
  let announce: (organizationId: string) => void = () => undefined;
  const renew = jest.fn(renewed);
  const changes = { on: (listener: typeof announce) => void (announce = listener) };
  const monitor = new CallerMonitor({ renew } as unknown as CallerRenewal, changes as unknown as OrganizationChanges);
  jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  const ended: string[] = [];
  const work = (name: string, more: Partial<WorkToMonitor> = {}): WorkToMonitor => ({
    caller: caller('key'),
    organizationIds: ['org'],
    subject: 'assistant/7',
    check: async () => undefined,
    end: ({ code }) => void ended.push(`${name}: ${code}`),
    ...more,
  });
  return { announce: (id: string) => announce(id), ended, renew, watch: monitor, work };
}

/** Changes are gathered for a second. */
const settled = (): Promise<void> => jest.advanceTimersByTimeAsync(1_000);
const revoked = (): Promise<never> => Promise.reject(new AppError('unauthenticated', 'revoked'));

describe('work that goes on for a caller', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('ends within 5 s after the credential is revoked, without any hint', async () => {
    const { ended, watch, work } = setting(revoked);
    watch.watch(work('stream'));
    expect(CHECK_EVERY_MS).toBeLessThan(5_000);
    await jest.advanceTimersByTimeAsync(CHECK_EVERY_MS);
    expect(ended).toEqual(['stream: unauthenticated']);
    await jest.advanceTimersByTimeAsync(3 * CHECK_EVERY_MS);
    expect(ended).toHaveLength(1);
  });

  it('ends soon where this process hears of the change', async () => {
    const { announce, ended, watch, work } = setting(revoked);
    watch.watch(work('stream'));
    watch.watch(work('elsewhere', { caller: caller('other', 'far'), organizationIds: ['far'] }));
    announce('org');
    await settled();
    expect(ended).toEqual(['stream: unauthenticated']);
  });

  it('ends when its organization is another than that of the caller', async () => {
    const { announce, ended, watch, work } = setting();
    const check = (): Promise<never> => Promise.reject(new AppError('not_found', 'suspended'));
    watch.watch(work('stream', { organizationIds: ['org', 'far'], check }));
    announce('far');
    await settled();
    expect(ended).toEqual(['stream: not_found']);
  });

  it('goes on while the database is away', async () => {
    const { announce, ended, watch, work } = setting(() => Promise.reject(new AppError('unavailable', 'no database')));
    watch.watch(work('stream'));
    announce('org');
    await settled();
    expect(ended).toEqual([]);
  });

  it('is asked for once per caller and subject, however many there are', async () => {
    const { announce, ended, renew, watch, work } = setting(revoked);
    for (let n = 0; n < 100; n += 1) watch.watch(work(`${n}`));
    announce('org');
    await settled();
    expect([renew.mock.calls.length, ended.length]).toEqual([1, 100]);
  });

  it('is not asked for again while a slow database has not answered', async () => {
    const waiting: (() => void)[] = [];
    const { renew, watch, work } = setting((who) => new Promise((resolve) => waiting.push(() => resolve(who))));
    watch.watch(work('stream'));
    await jest.advanceTimersByTimeAsync(5 * CHECK_EVERY_MS);
    expect(renew).toHaveBeenCalledTimes(1);
    waiting.forEach((answer) => answer());
    await jest.advanceTimersByTimeAsync(CHECK_EVERY_MS);
    expect(renew).toHaveBeenCalledTimes(2);
  });

  it('is not asked for after it has left', async () => {
    const { announce, renew, watch, work } = setting(revoked);
    watch.watch(work('stream')).leave();
    announce('org');
    await jest.advanceTimersByTimeAsync(2 * CHECK_EVERY_MS);
    expect([renew.mock.calls.length, jest.getTimerCount()]).toEqual([0, 0]);
  });

  it('can be asked for between two steps', async () => {
    const { watch, work } = setting(revoked);
    await expect(watch.watch(work('rounds')).assert()).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
