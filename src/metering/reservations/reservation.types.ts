import type { AppliedRule } from '../rules/applied-rules';
import type { UsageSubject } from '../usage/usage.types';

/** The part of a rule that a run holds. */
export interface HeldPart {
  readonly applied: AppliedRule;
  readonly reserved: number;
}

/** A counter as it is after a change. */
export interface CounterState {
  readonly ruleId: string;
  readonly subject: string;
  readonly amount: number;
  readonly used: number;
  readonly reserved: number;
}

/** A counter that has passed 50, 80 or 100 percent. */
export interface CounterWarning extends CounterState {
  readonly organizationId: string;
  readonly percent: number;
}

/** Estimate of a run's model calls. */
export interface RunEstimate {
  readonly provider: string;
  readonly model: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costMicros: number;
}

/** Facts with which a run can be booked whose process is gone. */
export interface ReservedRun extends RunEstimate {
  readonly subject: UsageSubject;
}

/** The stored form of a part. `charged` is booked when the process of the run is gone. */
export interface StoredPart {
  readonly rule_id: string;
  readonly subject: string;
  readonly window_start: string;
  readonly reserved: number;
  readonly charged: number;
  readonly warns: boolean;
}

const PLACES: ReadonlySet<string> = new Set(['runs', 'streams']);

export const isPlace = ({ rule }: AppliedRule): boolean => PLACES.has(rule.limit);

export const storedPart = ({ applied, reserved }: HeldPart): StoredPart => ({
  rule_id: applied.rule.id,
  subject: applied.subject,
  window_start: applied.start.toISOString(),
  reserved,
  charged: isPlace(applied) ? 0 : reserved,
  warns: applied.end !== null && applied.rule.per !== 'minute',
});

export const partKey = ({ rule, subject }: AppliedRule): string => `${rule.id}\n${subject}`;
