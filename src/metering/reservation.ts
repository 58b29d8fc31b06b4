import { type Awaitable, after } from '@bellwether/kernel';
import { type AppliedRule, LimitReached, type RateLimit, secondsUntil } from './applied-rules';
import { isPlace } from './lease';
import type { LeasePart, LimitLeases } from './limit-leases.service';

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

/** The reservation of one run: grows before a model call that needs more, and is settled once. */
export class Hold {
  private growing: Promise<void> | null = null;
  private hasEnded = false;

  constructor(
    private readonly leases: LimitLeases,
    private parts: readonly LeasePart[],
  ) {
    for (const { lease, reserved } of parts) lease.begin(reserved);
  }

  /** Reserves what is missing for `need`; a promise only when the database must be asked. @throws LimitReached */
  cover(need: Spending): Promise<void> | null {
    if (this.growing === null) {
      const more = this.missing(need);
      if (more.length === 0) return null;
      const short = this.leases.take(more);
      if (!(short instanceof Promise)) {
        this.add(more, short);
        return null;
      }
      return this.queue(short.then((found) => this.add(more, found)));
    }
    const earlier = this.growing.catch(() => undefined);
    return this.queue(earlier.then(async () => this.cover(need) ?? undefined));
  }

  /** Counts what was spent. */
  settle(spent: Spending): void {
    this.end(({ applied }) => (isPlace(applied) ? 0 : shareOf(applied, spent)));
  }

  /** Gives everything back: the run did not begin. */
  giveBack(): void {
    this.end(() => 0);
  }

  private end(spent: (part: LeasePart) => number): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    for (const { lease } of this.parts) lease.runs -= 1;
    this.leases.free(this.parts, spent);
  }

  private queue(work: Promise<void>): Promise<void> {
    const growing = work.finally(() => {
      if (this.growing === growing) this.growing = null;
    });
    return (this.growing = growing);
  }

  /** Adds what was taken. @throws LimitReached */
  private add(more: readonly LeasePart[], short: readonly LeasePart[]): void {
    const [first] = short;
    if (first !== undefined) throw new LimitReached(first.applied);
    // The run ended while it waited.
    if (this.hasEnded) return this.leases.free(more, () => 0);
    this.parts = this.parts.map((part) => {
      const added = more.find(({ lease }) => lease === part.lease)?.reserved ?? 0;
      return { ...part, reserved: part.reserved + added };
    });
  }

  private missing(need: Spending): readonly LeasePart[] {
    return this.parts.flatMap((part) => {
      const missing = isPlace(part.applied) ? 0 : shareOf(part.applied, need) - part.reserved;
      return missing > 0 ? [{ ...part, reserved: missing }] : [];
    });
  }
}

/** Estimate of a run's model calls. */
export interface RunEstimate {
  readonly provider: string;
  readonly model: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costMicros: number;
}

export interface ReservationRequest {
  readonly organizationId: string;
  readonly rules: readonly AppliedRule[];
  /** The caller may edit the assistant: rules that end with `teachers_only` do not stop them. */
  readonly mayEdit: boolean;
  /** Tokens and cost that the run may need; null when there is no cheaper model. */
  readonly estimate: (cheaper: boolean) => Awaitable<RunEstimate | null>;
}

export interface OpenedReservation {
  /** Null when no rule is left that counts the run. */
  readonly hold: Hold | null;
  /** Set when a rule has ended that sends runs to the organization's cheaper model. */
  readonly cheaper: AppliedRule | null;
  readonly rateLimit: RateLimit | null;
}

/** Reserves before a run. Asks the database only when a lease has run dry. @throws LimitReached */
export const reserve = (leases: LimitLeases, request: ReservationRequest): Awaitable<OpenedReservation> =>
  reserveUnder(leases, request, { rules: request.rules, cheaper: null });

/** Rules that have ended and let the run go on are left out of the next try. */
function reserveUnder(
  leases: LimitLeases,
  request: ReservationRequest,
  { rules, cheaper }: { readonly rules: readonly AppliedRule[]; readonly cheaper: AppliedRule | null },
): Awaitable<OpenedReservation> {
  return after(request.estimate(cheaper !== null), (estimate) => {
    if (estimate === null) throw new LimitReached(cheaper ?? (rules[0] as AppliedRule));
    if (rules.length === 0) return { hold: null, cheaper, rateLimit: null };
    const { promptTokens, completionTokens, costMicros } = estimate;
    const need = { tokens: promptTokens + completionTokens, costMicros };
    const parts = rules.map((applied) => {
      const lease = leases.of(request.organizationId, applied);
      return { lease, applied, reserved: shareOf(applied, need) };
    });
    return after(leases.take(parts), (short): Awaitable<OpenedReservation> => {
      if (short.length === 0) return { hold: new Hold(leases, parts), cheaper, rateLimit: nearest(parts) };
      const refused = short.map(({ applied }) => applied);
      const ways = refused.map((applied) => wayOn(applied, request.mayEdit));
      const left = rules.filter((applied) => !refused.includes(applied));
      return reserveUnder(leases, request, { rules: left, cheaper: ways.findLast((way) => way !== null) ?? cheaper });
    });
  });
}

/** Null: the run goes on without the rule. The rule: it goes on with the cheaper model. @throws LimitReached */
function wayOn(applied: AppliedRule, mayEdit: boolean): AppliedRule | null {
  const ending = applied.rule.at_end ?? 'stop';
  if (ending === 'fast_model') return applied;
  if (ending === 'teachers_only' && mayEdit) return null;
  throw new LimitReached(applied);
}

/** The rule with the smallest share left. */
function nearest(parts: readonly LeasePart[]): RateLimit | null {
  let found: { readonly share: number; readonly rateLimit: RateLimit } | null = null;
  for (const { lease, applied } of parts) {
    const { amount, end } = applied;
    if (end === null) continue;
    const { remaining } = lease;
    const share = remaining / Math.max(1, amount);
    if (found !== null && found.share <= share) continue;
    found = { share, rateLimit: { limit: amount, remaining, resetSeconds: secondsUntil(end) } };
  }
  return found?.rateLimit ?? null;
}
