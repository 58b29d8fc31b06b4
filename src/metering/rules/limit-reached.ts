import { AppError } from '../../kernel';
import type { AppliedRule } from './applied-rules';

/** `Retry-After` for limits on simultaneous runs, which no clock frees. */
const PLACE_SECONDS = 5;

/** The rule of an answer that is nearest to its end, for the `RateLimit-*` headers. */
export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** A rule has nothing left for the run. */
export class LimitReached extends AppError {
  readonly rateLimit: RateLimit;

  constructor(readonly applied: AppliedRule) {
    const { rule, end, amount } = applied;
    const seconds = secondsUntil(end);
    const isRate = end === null || rule.per === 'minute';
    const worded = isRate ? {} : ({ reason: 'limit.reached', values: { again_at: end.toISOString() } } as const);
    super(isRate ? 'rate_limited' : 'quota_exceeded', detailOf(applied), { ...worded, retryAfter: seconds });
    this.rateLimit = { limit: amount, remaining: 0, resetSeconds: seconds };
  }
}

export const secondsUntil = (end: Date | null): number =>
  end === null ? PLACE_SECONDS : Math.max(1, Math.ceil((end.getTime() - Date.now()) / 1_000));

const UNITS = {
  requests: 'questions',
  runs: 'answers at the same time',
  streams: 'streamed answers at the same time',
  tokens: 'tokens',
  cost: 'currency units',
} as const;

const SUBJECTS = {
  organization: 'the organization',
  group: 'each group',
  person: 'each person',
  key: 'each API key',
  assistant: 'each assistant',
} as const;

function detailOf({ rule, end }: AppliedRule): string {
  const { id, limit, amount, per } = rule;
  const subject = rule.for.id === undefined ? SUBJECTS[rule.for.kind] : `this ${rule.for.kind}`;
  const allowed = `${amount} ${UNITS[limit]}${per === undefined ? '' : ` per ${per}`} for ${subject}`;
  const again = end === null ? 'Ask again when another answer has ended' : `Ask again from ${end.toISOString()} on`;
  return `The limit "${id}" is reached: ${allowed}. ${again}`;
}
