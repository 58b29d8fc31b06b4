import { randomUUID } from 'node:crypto';
import type { Caller } from '@bellwether/kernel';
import type { DataSource } from 'typeorm';
import { LimitReached, type RunMeter } from '../../src/metering';
import { LeaseRepository } from '../../src/metering/lease.repository';
import type { LimitRule } from '../../src/organizations';
import { openTestDatabase, resetDatabase } from '../support/database';
import { MODEL, meteringProcess } from '../support/metering';

type Process = ReturnType<typeof meteringProcess>;

let database: DataSource;
let organizationId: string;
let processes: Process[];
beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  await resetDatabase(database);
  organizationId = randomUUID();
  processes = [];
  await makeOrganization();
});
afterEach(async () => {
  jest.useRealTimers();
  for (const { stop } of processes) await stop();
});
afterAll(() => database.destroy());

const makeOrganization = (): Promise<unknown> =>
  database.query(
    `INSERT INTO organizations (id, slug, name, is_system, suspended, settings) VALUES ($1, 'o', 'O', false, false, '{}')`,
    [organizationId],
  );
const started = (): Process => {
  const process = meteringProcess(database);
  processes.push(process);
  return process;
};
const userId = randomUUID();
const caller = { kind: 'session', credentialId: null, userId } as Caller;
/** Each run expects 30 tokens. */
const open = async ({ metering }: Process, ...rules: readonly LimitRule[]): Promise<RunMeter> =>
  metering.open({
    caller: { ...caller, organizationId },
    assistant: { id: 1, name: 'A' },
    payer: { id: organizationId, slug: 'o', isSystem: false, limits: { rules }, prices: {} },
    stream: true,
    nested: false,
    mayEdit: false,
    estimate: () => Promise.resolve({ ...MODEL, promptTokens: 10, completionTokens: 20 }),
  });
const isOpened = (opening: Promise<RunMeter>): Promise<boolean> =>
  opening.then(
    () => true,
    (error: unknown) => {
      if (error instanceof LimitReached) return false;
      throw error;
    },
  );
/** A run of 9 tokens. */
const answered = async (process: Process, ...rules: readonly LimitRule[]): Promise<RunMeter> => {
  const meter = await open(process, ...rules);
  const request = { model: MODEL.model, messages: [{ role: 'user' as const, content: 'x' }] };
  const call = await meter.begin(MODEL.provider, { ...request, params: { max_tokens: 20 } });
  call.receive({ text: '', usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 } });
  meter.end(call);
  meter.settle({ failed: false });
  return meter;
};
const counters = (): Promise<object[]> =>
  database.query(
    'SELECT rule_id, used::int, reserved::int FROM limit_counters WHERE used + reserved > 0 ORDER BY window_start, rule_id',
  );
const requests = (amount: number): LimitRule => ({
  id: 'requests',
  for: { kind: 'organization' },
  limit: 'requests',
  amount,
  per: 'day',
});
const tokens = (amount: number): LimitRule => ({ ...requests(amount), id: 'tokens', limit: 'tokens' });
const places = (amount: number): LimitRule => ({
  id: 'places',
  for: { kind: 'person' },
  limit: 'runs',
  amount,
});

describe('leases of limits', () => {
  it('need at most one statement for five runs, whatever the rules', async () => {
    const process = started();
    const person: LimitRule = { ...tokens(5e9), id: 'person', for: { kind: 'person' } };
    for (let n = 0; n < 500; n += 1) await answered(process, tokens(1e11), person, requests(1e6));
    expect(process.statements()).toBeLessThanOrEqual(100);
    await process.leases.giveBack();
    expect(await counters()).toEqual([
      { rule_id: 'person', used: 4_500, reserved: 0 },
      { rule_id: 'requests', used: 500, reserved: 0 },
      { rule_id: 'tokens', used: 4_500, reserved: 0 },
    ]);
  });

  it('are exact in one process: all that a rule has is given, and nothing more', async () => {
    const process = started();
    const openings = Array.from({ length: 150 }, () => isOpened(open(process, requests(101))));
    expect((await Promise.all(openings)).filter(Boolean)).toHaveLength(101);
    expect(await isOpened(open(process, requests(101)))).toBe(false);
  });

  it('are never more than the rule in two processes, which get all of it once others are returned', async () => {
    const both = [started(), started()];
    let given = 0;
    for (let round = 0; round < 4; round += 1) {
      const openings = both.flatMap((process) =>
        Array.from({ length: 60 }, () => isOpened(answered(process, requests(200)))),
      );
      given += (await Promise.all(openings)).filter(Boolean).length;
      expect(given).toBeLessThanOrEqual(200);
      for (const { leases } of both) await leases.report();
    }
    expect(given).toBe(200);
  });

  it('tell how much is left from memory', async () => {
    const process = started();
    expect((await answered(process, tokens(1_000_000))).rateLimit?.remaining).toBe(1_000_000 - 30);
    expect((await answered(process, tokens(1_000_000))).rateLimit?.remaining).toBe(1_000_000 - 9 - 30);
    const before = process.statements();
    expect((await answered(process, tokens(1_000_000))).rateLimit?.remaining).toBe(1_000_000 - 2 * 9 - 30);
    expect(process.statements()).toBe(before);
  });

  it('obey a changed amount at once', async () => {
    const process = started();
    for (let n = 0; n < 10; n += 1) await answered(process, requests(1_000));
    expect(await isOpened(open(process, requests(10)))).toBe(false);
    expect(await isOpened(open(process, requests(11)))).toBe(true);
    expect(await isOpened(open(process, requests(11)))).toBe(false);
    expect(await isOpened(open(process, requests(1_000)))).toBe(true);
  });

  it('belong to their window: the next one begins at zero', async () => {
    const others = ['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'setInterval', 'setTimeout'];
    jest.useFakeTimers({
      now: new Date('2026-11-29T23:59:59Z'),
      doNotFake: [...others, 'clearImmediate', 'clearInterval', 'clearTimeout'] as never,
    });
    const process = started();
    const late = await open(process, requests(2));
    await answered(process, requests(2));
    expect(await isOpened(open(process, requests(2)))).toBe(false);
    jest.setSystemTime(new Date('2026-11-30T00:00:00Z'));
    await answered(process, requests(2));
    late.settle({ failed: false });
    await process.leases.giveBack();
    expect(await counters()).toEqual([
      { rule_id: 'requests', used: 2, reserved: 0 },
      { rule_id: 'requests', used: 1, reserved: 0 },
    ]);
  });

  it('of a killed process count whole as used once they have expired, and its places are free', async () => {
    const [dead, living] = [started(), started()];
    for (let n = 0; n < 3; n += 1) await answered(dead, tokens(10_000));
    await open(dead, tokens(10_000), places(1));
    await dead.kill();
    const rules = [tokens(10_000), places(1)];
    expect(await isOpened(open(living, ...rules))).toBe(false);
    await living.leases.giveBack();
    await database.query('UPDATE limit_reservations SET expires_at = now()');
    await living.leases.sweep({ alone: false, first: false });
    const [{ used, reserved } = { used: 0, reserved: 1 }] = (await counters()) as { used: number; reserved: number }[];
    expect(used).toBeGreaterThanOrEqual(3 * 9 + 30);
    expect([used <= 10_000 / 10, reserved]).toEqual([true, 0]);
    expect(await isOpened(open(living, ...rules))).toBe(true);
  });

  it('are returned by a process that stops', async () => {
    const process = started();
    for (let n = 0; n < 3; n += 1) await answered(process, tokens(10_000), places(1));
    await process.stop();
    expect(await counters()).toEqual([{ rule_id: 'tokens', used: 27, reserved: 0 }]);
    expect(await database.query('SELECT * FROM limit_reservations')).toEqual([]);
  });

  it('keep what was spent when the database goes away while refused reports are told one by one', async () => {
    const process = started();
    await answered(process, tokens(10_000), requests(100));
    const failure = (code: string): Error => Object.assign(new Error(code), { code });
    const report = jest.spyOn(LeaseRepository.prototype, 'report');
    report.mockRejectedValueOnce(failure('22003'));
    report.mockRejectedValue(failure('57P01'));
    await expect(process.leases.report()).rejects.toMatchObject({ code: '57P01' });
    report.mockRestore();
    await process.leases.giveBack();
    expect(await counters()).toEqual([
      { rule_id: 'requests', used: 1, reserved: 0 },
      { rule_id: 'tokens', used: 9, reserved: 0 },
    ]);
  });

  it('of one organization go on when another is deleted', async () => {
    const process = started();
    await answered(process, tokens(1_000));
    await resetDatabase(database);
    await process.leases.giveBack();
    await expect(open(process, tokens(1_000))).rejects.toMatchObject({ code: 'unavailable' });
    await makeOrganization();
    await answered(process, tokens(1_000));
    await process.leases.giveBack();
    expect(await counters()).toEqual([{ rule_id: 'tokens', used: 9, reserved: 0 }]);
  });

  it('leave the reservations of an older build alone, and charge those of its dead processes', async () => {
    const process = started();
    await answered(process, tokens(100));
    await process.leases.giveBack();
    const id = randomUUID();
    const [{ window_start: start }] = await database
      .query<[{ window_start: Date }]>('UPDATE limit_counters SET reserved = reserved + 60 RETURNING window_start')
      .then(([rows]: any) => rows);
    const part = {
      rule_id: 'tokens',
      subject: 'organization',
      window_start: start,
      reserved: 60,
      charged: 60,
      warns: true,
    };
    await database.query(
      `INSERT INTO limit_reservations VALUES ($1, $2, gen_random_uuid(), now() + interval '1 minute', $3, '{}')`,
      [id, organizationId, JSON.stringify([part])],
    );
    await process.leases.sweep({ alone: false, first: false });
    expect(await isOpened(open(process, tokens(99)))).toBe(true);
    expect(await isOpened(open(process, tokens(99)))).toBe(false);
    await database.query('UPDATE limit_reservations SET expires_at = now() WHERE id = $1', [id]);
    await process.leases.sweep({ alone: false, first: false });
    expect(await counters()).toEqual([{ rule_id: 'tokens', used: 69, reserved: 30 }]);
    expect(await database.query('SELECT id FROM applied_writes WHERE id = $1', [id])).toHaveLength(1);
  });
});
