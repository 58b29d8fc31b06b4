import { uuidv7 } from '@bellwether/kernel';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { AuditLog } from '../infrastructure/audit';
import { CONFIG, type Config } from '../infrastructure/config';
import { Transactions, acrossOrganizations, mayHaveCommitted, withinOrganization } from '../infrastructure/database';
import { JobQueue, RepeatedWork, type SweepContext } from '../infrastructure/jobs';
import { type AppliedRule, LimitReached, type RateLimit, secondsUntil } from './applied-rules';
import { NO_USAGE, UsageRepository, dayOf } from './usage.repository';
import {
  type CounterState,
  type CounterWarning,
  type ExpiredReservation,
  type HeldPart,
  type Reservation,
  ReservationRepository,
  type ReservedRun,
  type RunEstimate,
  type Settled,
  isPlace,
  partKey,
  storedPart,
} from './reservation.repository';

const LOGGER = new Logger('Limits');

/**
 * Warns once per window that a rule is half used, nearly used up or used up. The counter stores the times. Never rejects: a
 * run has ended and must not fail because of its warning.
 */
async function warn(audit: AuditLog, warnings: readonly CounterWarning[]): Promise<void> {
  for (const { organizationId, ruleId, subject, percent, amount, used } of warnings) {
    const facts = { rule: ruleId, subject, percent, amount, used };
    LOGGER.warn({ msg: 'a limit is nearly used up', organization_id: organizationId, ...facts });
    // Hundreds of people reach their own limits every day; the audit log records only limits that many share.
    if (subject.startsWith('person/')) continue;
    const target = { type: 'limit', id: ruleId };
    const entry = { caller: null, organizationId, action: 'limit.warning', target, after: facts };
    await withinOrganization(organizationId, () => audit.record(entry)).catch((error: unknown) => {
      LOGGER.error({ msg: 'the warning of a limit could not be written to the audit log', err: error, ...facts });
    });
  }
}

const SWEEP_SHARE = 0.4;
const BEAT_SHARE = 1 / 6;
const FORGET_MS = 10 * 60_000;
const AGAIN_MS = 1_000;

/** Tokens and cost of a run, spent or expected. */
interface Spending {
  readonly tokens: number;
  readonly costMicros: number;
}

/** The part that one run takes of a rule. */
const shareOf = ({ rule }: AppliedRule, { tokens, costMicros }: Spending): number => {
  if (rule.limit === 'tokens') return tokens;
  return rule.limit === 'cost' ? costMicros : 1;
};

/** The rules that had too little left for a refused run. */
const refusedOf = (parts: readonly HeldPart[], counters: readonly CounterState[]): readonly HeldPart[] =>
  parts.filter(
    ({ applied }) => !counters.some(({ ruleId, subject }) => ruleId === applied.rule.id && subject === applied.subject),
  );

/** The reservation of one run: grows before a model call that needs more, and is settled once. */
export class Hold {
  private growing: Promise<void> = Promise.resolve();

  constructor(
    private readonly reservations: ReservationRepository,
    readonly reservation: Reservation,
    private parts: readonly HeldPart[],
    private run: ReservedRun,
    private readonly refused: (parts: readonly HeldPart[]) => Promise<void>,
  ) {}

  /** True when the reserved parts are enough. */
  covers(need: Spending): boolean {
    return this.missing(need).length === 0;
  }

  /** Reserves what is missing for `need`. @throws LimitReached */
  cover(need: Spending, run: Omit<ReservedRun, 'subject'>): Promise<void> {
    this.growing = this.growing.catch(() => undefined).then(() => this.grow(need, run));
    return this.growing;
  }

  /** Counts what was spent. Rejects when the database does not answer. */
  settle(spent: Spending): Promise<Settled> {
    const parts = this.parts.map((part) => ({
      ...storedPart(part),
      spent: isPlace(part.applied) ? 0 : shareOf(part.applied, spent),
    }));
    return this.reservations.settle(this.reservation, parts);
  }

  /** Gives everything back: the run did not begin. */
  giveBack(): Promise<Settled> {
    return this.reservations.settle(
      this.reservation,
      this.parts.map((part) => ({ ...storedPart(part), spent: 0 })),
    );
  }

  private async grow(need: Spending, estimate: Omit<ReservedRun, 'subject'>): Promise<void> {
    const more = this.missing(need);
    if (more.length === 0) return;
    const parts = this.parts.map((part) => {
      const extra = more.find(({ applied }) => partKey(applied) === partKey(part.applied))?.reserved ?? 0;
      return { ...part, reserved: part.reserved + extra };
    });
    const run = { ...estimate, subject: this.run.subject };
    const { complete, counters } = await this.reservations.grow(this.reservation, { parts, run });
    if (!complete) {
      const refused = refusedOf(more, counters);
      await this.refused(refused);
      const [first] = refused;
      if (first !== undefined) throw new LimitReached(first.applied);
    }
    this.parts = parts;
    this.run = run;
  }

  private missing(need: Spending): readonly HeldPart[] {
    return this.parts.flatMap(({ applied, reserved }) => {
      const missing = isPlace(applied) ? 0 : shareOf(applied, need) - reserved;
      return missing > 0 ? [{ applied, reserved: missing }] : [];
    });
  }
}

/** A lease outlives two missed heartbeats, so that a short outage of the database ends no reservation. */
const LEASES = 2;
/** An answer waits this long for its settlement. */
const PATIENCE_MS = 2_000;

export interface ReservationRequest {
  readonly organizationId: string;
  readonly rules: readonly AppliedRule[];
  readonly subject: ReservedRun['subject'];
  /** The caller may edit the assistant: rules that end with `teachers_only` do not stop them. */
  readonly mayEdit: boolean;
  /** Tokens and cost that the run may need; null when there is no cheaper model. */
  readonly estimate: (cheaper: boolean) => Promise<RunEstimate | null>;
}

export interface OpenedReservation {
  /** Null when no rule is left that counts the run. */
  readonly hold: Hold | null;
  /** Set when a rule has ended that sends runs to the organization's cheaper model. */
  readonly cheaper: AppliedRule | null;
  readonly rateLimit: RateLimit | null;
}

type Settlement = () => ReturnType<Hold['settle']>;

const spendingOf = ({ promptTokens, completionTokens, costMicros }: RunEstimate): Spending => ({
  tokens: promptTokens + completionTokens,
  costMicros,
});

/** Reserves before a run, and settles after it. */
@Injectable()
export class Reservations {
  readonly workerId = uuidv7();
  readonly leaseSeconds: number;
  private readonly logger = new Logger('Limits');
  private readonly held = new Map<string, Hold>();
  /** Holds whose settlement the database has not answered. */
  private readonly unsettled = new Map<Hold, Settlement>();

  constructor(
    private readonly repository: ReservationRepository,
    private readonly audit: AuditLog,
    @Inject(CONFIG) { runs }: Config,
  ) {
    this.leaseSeconds = runs.leaseSeconds * LEASES;
  }

  /** Ids of the reservations of this process. */
  get open(): readonly string[] {
    return [...this.held.keys()];
  }

  /** @throws LimitReached */
  async reserve(request: ReservationRequest): Promise<OpenedReservation> {
    let { rules } = request;
    let cheaper: AppliedRule | null = null;
    for (;;) {
      const estimate = await request.estimate(cheaper !== null);
      if (estimate === null) throw new LimitReached(cheaper ?? (rules[0] as AppliedRule));
      if (rules.length === 0) return { hold: null, cheaper, rateLimit: null };
      const parts = rules.map((applied) => ({ applied, reserved: shareOf(applied, spendingOf(estimate)) }));
      const taken = await this.take(request, parts, estimate);
      if (taken.hold !== null) return { hold: taken.hold, cheaper, rateLimit: nearest(parts, taken.counters) };
      const refused = refusedOf(parts, taken.counters).map(({ applied }) => applied);
      for (const applied of refused) cheaper = wayOn(applied, request.mayEdit) ?? cheaper;
      rules = rules.filter((applied) => !refused.includes(applied));
    }
  }

  /** Waits for the database a moment, then goes on trying behind the answer. */
  settle(hold: Hold, work: Settlement): Promise<void> {
    return new Promise((resolve) => {
      const patience = setTimeout(resolve, PATIENCE_MS).unref();
      void this.settleNow(hold, work).finally(() => {
        clearTimeout(patience);
        resolve();
      });
    });
  }

  /** Tries unanswered settlements once more. Rejects at the first that fails, which the next call tries last. */
  async settleAgain(): Promise<void> {
    for (const [hold, work] of [...this.unsettled]) {
      this.unsettled.delete(hold);
      try {
        await this.end(hold, work);
      } catch (error) {
        this.unsettled.set(hold, work);
        throw error;
      }
    }
  }

  private async settleNow(hold: Hold, work: Settlement): Promise<void> {
    try {
      await this.end(hold, work);
    } catch (error) {
      this.logger.warn({ msg: 'a run could not be settled, trying again', err: error });
      this.unsettled.set(hold, work);
    }
  }

  private async end(hold: Hold, work: Settlement): Promise<void> {
    const { warnings } = await work();
    this.held.delete(hold.reservation.id);
    if (warnings.length > 0) await warn(this.audit, warnings);
  }

  /** The run does not begin, but its reservation may exist. */
  private giveBackLater(hold: Hold): void {
    this.held.set(hold.reservation.id, hold);
    this.unsettled.set(hold, () => hold.giveBack());
  }

  private async take(
    { organizationId, subject }: ReservationRequest,
    parts: readonly HeldPart[],
    estimate: RunEstimate,
  ): Promise<{ readonly hold: Hold | null; readonly counters: readonly CounterState[] }> {
    const reservation = { id: uuidv7(), organizationId };
    const run = { ...estimate, subject };
    const { workerId, leaseSeconds: seconds } = this;
    const refused = (those: readonly HeldPart[]): Promise<void> => this.tellRefused(organizationId, those);
    const hold = new Hold(this.repository, reservation, parts, run, refused);
    try {
      const { complete, counters } = await this.repository.reserve(reservation, parts, { workerId, seconds, run });
      if (complete) this.held.set(reservation.id, hold);
      else await refused(refusedOf(parts, counters));
      return { hold: complete ? hold : null, counters };
    } catch (error) {
      if (mayHaveCommitted(error)) this.giveBackLater(hold);
      throw error;
    }
  }

  private async tellRefused(organizationId: string, parts: readonly HeldPart[]): Promise<void> {
    const warnings = await this.repository.refused(organizationId, parts);
    if (warnings.length > 0) await warn(this.audit, warnings);
  }
}

/**
 * Renews the leases of this process's reservations, repeats their unanswered settlements, and settles those of dead
 * processes at their estimate: the vendor may have been asked, and a limit that forgets a bill is no limit.
 */
@Injectable()
export class ReservationLeases implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Limits');
  private readonly background = new RepeatedWork((error) =>
    this.logger.warn({ msg: 'reservations could not be renewed or settled, trying again', err: error }),
  );

  constructor(
    private readonly reservations: Reservations,
    private readonly repository: ReservationRepository,
    private readonly days: UsageRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    jobs: JobQueue,
  ) {
    const leaseMs = reservations.leaseSeconds * 1_000;
    jobs.sweep(leaseMs * SWEEP_SHARE, (context) => this.sweep(context));
    jobs.sweep(FORGET_MS, ({ first }) => (first ? Promise.resolve() : this.repository.forget()));
    this.background.every(leaseMs * BEAT_SHARE, () => this.beat());
    this.background.every(AGAIN_MS, () => this.reservations.settleAgain());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.background.stop();
    await this.background.settled();
    await acrossOrganizations('jobs', () => this.reservations.settleAgain()).catch((error: unknown) =>
      this.logger.warn({ msg: 'runs are not settled, the next start charges their estimates', err: error }),
    );
  }

  /** At the first start of a process that has the database to itself, every reservation is a dead process's. */
  async sweep({ alone, first }: SweepContext): Promise<void> {
    const all = alone && first;
    const own = new Set(this.reservations.open);
    const expired = (await this.repository.expired(all)).filter(({ id }) => !own.has(id));
    for (const reservation of expired) await this.charge(reservation, all);
    if (expired.length > 0)
      this.logger.warn({ msg: 'reservations of dead processes were charged', count: expired.length });
  }

  private async beat(): Promise<void> {
    const { open, workerId, leaseSeconds } = this.reservations;
    if (open.length > 0) await this.repository.beat(workerId, leaseSeconds, open);
  }

  private async charge({ id, organizationId, items, run }: ExpiredReservation, all: boolean): Promise<void> {
    const spent = items.map((item) => ({ ...item, spent: item.charged }));
    const { subject, provider, model, promptTokens, completionTokens, costMicros } = run;
    const figures = { ...NO_USAGE, promptTokens, completionTokens, costMicros, runs: 1, failed: 1 };
    const calls = { modelCalls: 1, estimatedCalls: 1 };
    const usage = { ...subject, ...figures, ...calls, day: dayOf(new Date()), provider, model };
    const warnings = await this.transactions.run(async (tx) => {
      const settled = await this.repository.settle({ id, organizationId }, spent, all ? 'any' : 'expired', tx);
      // Not when its run or another process settled it in the meantime.
      if (settled.freed) await this.days.add(uuidv7(), [usage], tx);
      return settled.warnings;
    });
    await warn(this.audit, warnings);
  }
}

/** Null: the run goes on without the rule. The rule: it goes on with the cheaper model. @throws LimitReached */
function wayOn(applied: AppliedRule, mayEdit: boolean): AppliedRule | null {
  const ending = applied.rule.at_end ?? 'stop';
  if (ending === 'fast_model') return applied;
  if (ending === 'teachers_only' && mayEdit) return null;
  throw new LimitReached(applied);
}

/** The rule with the smallest share left. */
function nearest(parts: readonly HeldPart[], counters: readonly CounterState[]): RateLimit | null {
  let found: { readonly share: number; readonly rateLimit: RateLimit } | null = null;
  for (const { ruleId, subject, amount, used, reserved } of counters) {
    const end = parts.find(({ applied }) => applied.rule.id === ruleId && applied.subject === subject)?.applied.end;
    if (end === null || end === undefined) continue;
    const remaining = Math.max(0, amount - used - reserved);
    const share = remaining / Math.max(1, amount);
    if (found !== null && found.share <= share) continue;
    found = { share, rateLimit: { limit: amount, remaining, resetSeconds: secondsUntil(end) } };
  }
  return found?.rateLimit ?? null;
}
