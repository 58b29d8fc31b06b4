import { AppError, type Caller } from '@bellwether/kernel';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/infrastructure/postgres/connection/data-source';
import { LimitReached, type ModelCall, type RunMeter } from '../../src/metering';
import type { LimitRule } from '../../src/organizations';
import { openTestDatabase, resetDatabase, testDatabaseUrl } from '../support/database';
import { MODEL, meteringProcess } from '../support/metering';
import { DatabaseProxy } from '../support/proxy';

const RUNS = 200;

const FATES = ['answered', 'longer', 'untold', 'aborted', 'refused', 'killed'] as const;
interface PlannedRun {
  readonly fate: (typeof FATES)[number];
  readonly person: number;
  readonly process: number;
  /** Tokens that the client allows, and the share of them that the vendor makes. */
  readonly allowed: number;
  readonly share: number;
  readonly pauseMs: number;
}

interface Counter {
  readonly rule_id: string;
  readonly subject: string;
  readonly amount: number;
  readonly used: number;
  readonly reserved: number;
}

let database: DataSource;
let organizationId: string;
beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  await resetDatabase(database);
  organizationId = randomUUID();
  await database.query(
    `INSERT INTO organizations (id, slug, name, is_system, suspended, settings) VALUES ($1, 'o', 'O', false, false, '{}')`,
    [organizationId],
  );
});
afterAll(() => database.destroy());

const counters = (): Promise<Counter[]> =>
  database.query(
    'SELECT rule_id, subject, amount::float8, used::float8, reserved::float8 FROM limit_counters ORDER BY 1, 2',
  );

const people = Array.from({ length: 5 }, () => randomUUID());

describe(`${RUNS} runs at once in three processes, some aborted and some killed`, () => {
  const plans = fc.array(
    fc.record<PlannedRun>({
      fate: fc.constantFrom(...FATES),
      person: fc.nat(4),
      process: fc.nat(2),
      allowed: fc.integer({ min: 1, max: 900 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      pauseMs: fc.nat(30),
    }),
    { minLength: RUNS, maxLength: RUNS },
  );
  const rulesOf = fc.record({
    person: fc.integer({ min: 500, max: 20_000 }),
    cost: fc.integer({ min: 1, max: 300 }),
    runs: fc.integer({ min: 1, max: 60 }),
    group: fc.integer({ min: 1_000, max: 60_000 }),
  });

  it('never count below zero, and never more than the limit by more than answers outgrew their reservation', async () => {
    await fc.assert(
      fc.asyncProperty(plans, rulesOf, async (runs, amounts) => {
        await database.query('DELETE FROM limit_reservations');
        await database.query('DELETE FROM limit_counters');
        const rules: LimitRule[] = [
          { id: 'person', for: { kind: 'person' }, limit: 'tokens', amount: amounts.person, per: 'day' },
          { id: 'cost', for: { kind: 'organization' }, limit: 'cost', amount: amounts.cost / 1_000, per: 'month' },
          { id: 'places', for: { kind: 'organization' }, limit: 'runs', amount: amounts.runs },
          { id: 'group', for: { kind: 'group', id: 'g' }, limit: 'tokens', amount: amounts.group, per: 'month' },
        ];
        const world = new World(rules);
        const watching = world.watch();
        await Promise.all(runs.map((run) => world.run(run))).finally(() => (world.done = true));
        await watching;
        // Nothing is leased beyond what the killed runs hold, so the sweep charges just that.
        for (const { leases } of world.processes) await leases.giveBack();
        world.check(await counters(), 'when the processes are gone');
        for (const { kill } of world.processes) await kill();
        await database.query('UPDATE limit_reservations SET expires_at = now()');
        const survivor = meteringProcess(database);
        await survivor.leases.sweep({ alone: false, first: false });
        const end = await counters();
        world.check(end, 'after the sweep');
        for (const { reserved } of end) expect(reserved).toBe(0);
        for (const { rule_id: rule, subject, used } of end)
          expect([rule, subject, used]).toEqual([rule, subject, world.owed(rule, subject)]);
        await survivor.leases.beforeApplicationShutdown();
      }),
      { numRuns: 5, endOnFailure: true },
    );
  }, 300_000);
});

describe('a run whose statement is carried out without an answer', () => {
  const rules: readonly LimitRule[] = [
    { id: 'tokens', for: { kind: 'organization' }, limit: 'tokens', amount: 1_000_000, per: 'month' },
  ];
  const AMOUNTS = `SELECT coalesce(sum(used), 0)::int AS used, coalesce(sum(reserved), 0)::int AS reserved,
    (SELECT count(*)::int FROM limit_reservations) AS open,
    (SELECT coalesce(sum(prompt_tokens + completion_tokens), 0)::int FROM usage_days) AS told FROM limit_counters`;
  const amounts = async (): Promise<unknown> => (await database.query<unknown[]>(AMOUNTS))[0];
  let proxy: DatabaseProxy;
  let source: DataSource;

  beforeAll(async () => {
    proxy = new DatabaseProxy(testDatabaseUrl());
    await proxy.listen();
    source = createDataSource({ url: proxy.url, poolSize: 2, migrations: [] });
    await source.initialize();
  });
  afterAll(async () => {
    await source.destroy();
    await proxy.die();
  });

  const open = async ({ metering }: ReturnType<typeof meteringProcess>): Promise<RunMeter> =>
    metering.open({
      caller: { userId: randomUUID(), organizationId, kind: 'session', credentialId: null } as Caller,
      assistant: { id: 1, name: 'A' },
      payer: { id: organizationId, slug: 'o', isSystem: false, limits: { rules }, prices: {} },
      stream: true,
      nested: false,
      mayEdit: false,
      estimate: () => Promise.resolve({ ...MODEL, promptTokens: 10, completionTokens: 20 }),
    });
  const ask = (meter: RunMeter, content: string) => {
    const messages = [{ role: 'user' as const, content }];
    return meter.begin(MODEL.provider, { model: MODEL.model, messages, params: { max_tokens: 20 } });
  };
  const answer = async (meter: RunMeter): Promise<void> => {
    const call = await ask(meter, 'x');
    call.receive({ text: '', usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 } });
    meter.end(call);
    meter.settle({ failed: false });
  };
  const REPORT = /INSERT INTO limit_reservations/;

  it('is settled once', async () => {
    const { usage, leases, ...services } = meteringProcess(source);
    const meter = await open({ usage, leases, ...services });
    proxy.swallow(REPORT);
    await answer(meter);
    await expect(leases.report()).rejects.toThrow();
    await usage.flush();
    await leases.giveBack();
    expect(await amounts()).toEqual({ used: 9, told: 9, open: 0, reserved: 0 });
    await leases.beforeApplicationShutdown();
  });

  it('is told in the usage of the day once', async () => {
    const { usage, leases, ...services } = meteringProcess(source);
    proxy.swallow(/INSERT INTO usage_days/);
    await answer(await open({ usage, leases, ...services }));
    await expect(usage.flush()).rejects.toThrow();
    await usage.flush();
    await leases.beforeApplicationShutdown();
    expect(await amounts()).toEqual({ used: 9, told: 9, open: 0, reserved: 0 });
  });

  it('holds nothing when its lease was not answered, and is not charged', async () => {
    const services = meteringProcess(source);
    await answer(await open(services));
    await services.leases.giveBack();
    proxy.swallow(REPORT);
    await expect(open(services)).rejects.toThrow();
    await services.leases.beforeApplicationShutdown();
    expect(await amounts()).toMatchObject({ used: 9, open: 0, reserved: 0 });
  });

  it('holds nothing after its end when its reservation grew', async () => {
    const { usage, leases, ...services } = meteringProcess(source);
    const meter = await open({ usage, leases, ...services });
    proxy.swallow(REPORT);
    await expect(ask(meter, 'x'.repeat(900))).rejects.toThrow();
    await answer(meter);
    await usage.flush();
    await leases.beforeApplicationShutdown();
    expect(await amounts()).toEqual({ used: 9, told: 9, open: 0, reserved: 0 });
  });

  it('is charged once when a sweep took its process for dead, and counts what it spent at its end', async () => {
    const [living, other] = [meteringProcess(source), meteringProcess(source)];
    const meter = await open(living);
    await database.query('UPDATE limit_reservations SET expires_at = now()');
    proxy.swallow(/applied_writes/);
    await expect(other.leases.sweep({ alone: false, first: false })).rejects.toThrow();
    await other.leases.sweep({ alone: false, first: false });
    expect(await amounts()).toMatchObject({ used: 30, reserved: 0 });
    await answer(meter);
    proxy.swallow(REPORT);
    await expect(living.leases.report()).rejects.toThrow();
    await living.leases.beforeApplicationShutdown();
    expect(await amounts()).toMatchObject({ used: 9, open: 0, reserved: 0 });
    await other.leases.beforeApplicationShutdown();
  });
});

function end(
  call: ModelCall,
  fate: PlannedRun['fate'],
  made: number,
  owe: (tokens: number, cost: number) => void,
): void {
  if (fate === 'refused') return call.fail(new AppError('upstream_rejected', 'no'));
  if (fate === 'aborted' || fate === 'untold') {
    call.receive({ text: 'x'.repeat(3 * made), usage: null });
    if (fate === 'aborted') call.fail(new AppError('cancelled', 'gone'));
    return owe(34 + made, 34 * 3 + made * 7);
  }
  call.receive({ text: '', usage: { prompt_tokens: 30, completion_tokens: made, total_tokens: 30 + made } });
  owe(30 + made, 30 * 3 + made * 7);
}

/** Three processes, and the books of a second accountant. */
class World {
  readonly processes = [meteringProcess(database), meteringProcess(database), meteringProcess(database)];
  done = false;
  /** Tokens and micros that answers took beyond their reservation. */
  private readonly beyond = { tokens: 0, cost: 0 };
  /** Spent by ended runs and reserved by others, by rule and subject. */
  private readonly owedOf = new Map<string, number>();
  private places = 0;

  constructor(private readonly rules: readonly LimitRule[]) {}

  owed(rule: string, subject: string): number {
    return this.owedOf.get(`${rule} ${subject}`) ?? 0;
  }

  async watch(): Promise<void> {
    while (!this.done) {
      this.check(await counters(), 'meanwhile');
      await sleep(5);
    }
  }

  check(rows: readonly Counter[], when: string): void {
    for (const { rule_id: rule, subject, amount, used, reserved } of rows) {
      const owed = this.owed(rule, subject);
      const facts = JSON.stringify({ rule, subject, amount, used, reserved, owed });
      const most = amount + this.beyondOf(rule);
      if (used < 0 || reserved < 0 || used + reserved > most || owed > most) throw new Error(`${when}: ${facts}`);
    }
  }

  async run({ fate, person, process, allowed, share, pauseMs }: PlannedRun): Promise<void> {
    const { metering } = this.processes[process] as (typeof this.processes)[number];
    const userId = people[person] as string;
    const estimate = { ...MODEL, promptTokens: 10, completionTokens: allowed };
    let meter: RunMeter;
    try {
      meter = await metering.open({
        caller: { userId, organizationId, kind: 'session', credentialId: null } as Caller,
        assistant: { id: 1, name: 'A' },
        payer: { id: organizationId, slug: 'o', isSystem: false, limits: { rules: this.rules }, prices: {} },
        stream: true,
        nested: false,
        mayEdit: false,
        estimate: () => Promise.resolve(estimate),
      });
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error;
      return;
    }
    const owe = (tokens: number, cost: number): void => this.owe(userId, tokens, cost);
    this.places += 1;
    expect(this.places).toBeLessThanOrEqual(this.rules.find(({ id }) => id === 'places')?.amount ?? 0);
    // The prompt has grown since the estimate.
    const request = { model: MODEL.model, messages: [{ role: 'user' as const, content: 'x'.repeat(90) }] };
    let call;
    try {
      call = await meter.begin(MODEL.provider, { ...request, params: { max_tokens: allowed } });
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error;
      meter.settle({ failed: true });
      this.places -= 1;
      return;
    }
    owe(34 + allowed, 34 * 3 + allowed * 7);
    await sleep(pauseMs);
    if (fate === 'killed') return;
    owe(-34 - allowed, -34 * 3 - allowed * 7);
    const made = fate === 'longer' ? allowed * 2 : Math.floor(allowed * share);
    if (fate === 'longer') {
      this.beyond.tokens += made;
      this.beyond.cost += made * 7;
    }
    end(call, fate, made, owe);
    meter.end(call);
    meter.settle({ failed: fate === 'aborted' });
    this.places -= 1;
  }

  private beyondOf(rule: string): number {
    if (rule === 'places') return 0;
    return rule === 'cost' ? this.beyond.cost : this.beyond.tokens;
  }

  private owe(userId: string, tokens: number, cost: number): void {
    for (const [key, more] of [
      [`person person/${userId}`, tokens],
      ['group group/g', tokens],
      ['cost organization', cost],
    ] as const)
      this.owedOf.set(key, (this.owedOf.get(key) ?? 0) + more);
  }
}
