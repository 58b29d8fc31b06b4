import { Inject, Injectable, Logger } from '@nestjs/common';
import { uuidv7 } from '../../kernel';
import { CONFIG, type Config } from '../../infrastructure/config';
import { mayHaveCommitted } from '../../infrastructure/database';
import type { AppliedRule } from '../rules/applied-rules';
import { LimitReached, type RateLimit, secondsUntil } from '../rules/limit-reached';
import { Hold, refusedOf, shareOf, type Spending } from './hold';
import { LimitWarnings } from './limit-warnings';
import { ReservationRepository } from './reservation.repository';
import type { CounterState, HeldPart, ReservedRun, RunEstimate } from './reservation.types';

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
    private readonly warnings: LimitWarnings,
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
    if (warnings.length > 0) await this.warnings.tell(warnings);
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
    if (warnings.length > 0) await this.warnings.tell(warnings);
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
