import type { AppliedRule } from '../rules/applied-rules';
import type { Reservation, ReservationRepository, Settled } from './reservation.repository';
import { LimitReached } from '../rules/limit-reached';
import { type CounterState, type HeldPart, isPlace, partKey, type ReservedRun, storedPart } from './reservation.types';

/** Tokens and cost of a run, spent or expected. */
export interface Spending {
  readonly tokens: number;
  readonly costMicros: number;
}

/** The part that one run takes of a rule. */
export const shareOf = ({ rule }: AppliedRule, { tokens, costMicros }: Spending): number => {
  if (rule.limit === 'tokens') return tokens;
  return rule.limit === 'cost' ? costMicros : 1;
};

/** The rules that had too little left for a refused run. */
export const refusedOf = (parts: readonly HeldPart[], counters: readonly CounterState[]): readonly HeldPart[] =>
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
