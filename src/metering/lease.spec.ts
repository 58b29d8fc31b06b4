import type { AppliedRule } from './applied-rules';
import { Lease } from './lease';

const rule: AppliedRule = {
  rule: { id: 'day', for: { kind: 'organization' }, limit: 'tokens', amount: 10_000, per: 'day' },
  subject: 'organization',
  start: new Date('2026-11-29T00:00:00Z'),
  end: new Date('2026-11-30T00:00:00Z'),
  amount: 10_000,
};

/** A lease of 100 tokens, of which a run holds 30. */
function leased(): Lease {
  const lease = new Lease('o', rule);
  const report = lease.report(100);
  lease.answered(report, { id: lease.id, leased: 100, used: 0, reserved: 100 });
  lease.held = 30;
  lease.begin(30);
  return lease;
}

describe('a lease', () => {
  it('gives nothing of what a report returns, also before the report is answered', () => {
    const lease = leased();
    expect(lease.free).toBe(70);
    lease.isBusy = false;
    expect(lease.report(0)).toMatchObject({ held: 30, keep: 30, want: 0, base: 100 });
    expect([lease.free, lease.allows(1)]).toEqual([0, false]);
  });

  it('keeps what it may need while a report of a busy process is under way', () => {
    const lease = leased();
    const { keep, want } = lease.report(0);
    expect([keep, lease.free]).toEqual([100, 70]);
    expect(want).toBeGreaterThan(0);
  });

  it('takes an unanswered report for the least that the counter may have been told', () => {
    const lease = leased();
    lease.isBusy = false;
    lease.report(0);
    lease.isUnsure = true;
    expect(lease.report(0).base).toBe(30);
  });

  it('gives nothing while more was spent than leased', () => {
    const lease = leased();
    lease.used = 200;
    expect([lease.isUrgent, lease.report(0).keep, lease.allows(0)]).toEqual([true, 30, false]);
  });
});
