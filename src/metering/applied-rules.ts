import { AppError, type Awaitable, type Caller, after } from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import type { LimitRule, LimitSettings, RuleWindow, Term } from '../organizations';

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

/** Start and end in UTC; the end is exclusive. */
interface Window {
  readonly start: Date;
  readonly end: Date;
}

const MINUTE_MS = 60_000;

const utcDay = (day: string, plusDays = 0): Date => {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + plusDays);
  return at;
};

/** The window around `now`; null outside every term. */
export function windowAt(per: RuleWindow, now: Date, terms: readonly Term[]): Window | null {
  const day = now.toISOString().slice(0, 10);
  if (per === 'minute') {
    const start = new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS);
    return { start, end: new Date(start.getTime() + MINUTE_MS) };
  }
  if (per === 'day') return { start: utcDay(day), end: utcDay(day, 1) };
  if (per === 'month') {
    const start = utcDay(`${day.slice(0, 7)}-01`);
    return { start, end: new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1)) };
  }
  const term = terms.find(({ from, to }) => from <= day && day <= to);
  return term === undefined ? null : { start: utcDay(term.from), end: utcDay(term.to, 1) };
}

/** Limits that a run takes a part of; `storage` is checked by uploads. */
export type RunLimit = Exclude<LimitRule['limit'], 'storage'>;

/** A rule and the subject that it counts for one run. */
export interface AppliedRule {
  readonly rule: LimitRule & { readonly limit: RunLimit };
  /** `organization`, or the kind and the id: `person/<id>`, `group/<id>`, `key/<id>`, `assistant/<id>`. */
  readonly subject: string;
  readonly start: Date;
  /** Null for concurrent runs and streams. */
  readonly end: Date | null;
  /** Requests, runs, streams, tokens, or millionths of the currency. */
  readonly amount: number;
}

export interface RuledRun {
  /** Null for work of no person, which only rules of the organization count. */
  readonly caller: Pick<Caller, 'userId' | 'kind' | 'credentialId' | 'endUser'> | null;
  readonly assistantId: number | null;
  readonly stream: boolean;
  /** A nested run takes tokens and cost only: its parent holds the place. */
  readonly nested: boolean;
  /** The person's groups in the paying organization; asked only for rules of groups. */
  readonly groupIds: () => Promise<readonly string[]>;
}

const NESTED: ReadonlySet<string> = new Set(['tokens', 'cost']);
const NO_RULES: readonly LimitRule[] = [];
const MICROS = 1_000_000;
/** Sums of larger figures are not exact. */
const MOST = 1e15;
const ALWAYS = new Date(0);

/** An array that was stored before rules existed may hold anything. */
const rulesOf = ({ rules }: LimitSettings): readonly LimitRule[] => (Array.isArray(rules) ? rules : NO_RULES);

export const hasRunRules = (limits: LimitSettings): boolean => rulesOf(limits).some(({ limit }) => limit !== 'storage');

/** Every rule that counts the run, once per subject. */
export function appliedRules(limits: LimitSettings, run: RuledRun, now: Date): Awaitable<readonly AppliedRule[]> {
  const asksGroups = rulesOf(limits).some((rule) => rule.for.kind === 'group');
  return after(asksGroups ? run.groupIds() : [], (groupIds) => rulesFor(limits, run, now, groupIds));
}

function rulesFor(
  limits: LimitSettings,
  run: RuledRun,
  now: Date,
  groupIds: readonly string[],
): readonly AppliedRule[] {
  const rules = rulesOf(limits);
  const applied: AppliedRule[] = [];
  for (const rule of rules) {
    const { limit, per } = rule;
    if (limit === 'storage' || !counts(limit, run)) continue;
    const window = per === undefined ? { start: ALWAYS, end: null } : windowAt(per, now, limits.terms ?? []);
    if (window === null) continue;
    const amount = Math.min(MOST, limit === 'cost' ? Math.round(rule.amount * MICROS) : rule.amount);
    for (const subject of subjectsOf(rule, run, groupIds))
      applied.push({ rule: { ...rule, limit }, subject, amount, ...window });
  }
  return applied;
}

const counts = (limit: RunLimit, { nested, stream }: RuledRun): boolean =>
  (!nested || NESTED.has(limit)) && (limit !== 'streams' || stream);

/** Empty when the rule is about somebody else. */
function subjectsOf({ for: { kind, id } }: LimitRule, run: RuledRun, groupIds: readonly string[]): readonly string[] {
  const ids = kind === 'group' ? groupIds : [idOf(kind, run, id)].filter((each) => each !== null);
  if (kind === 'organization') return [kind];
  return ids.filter((each) => id === undefined || each === id).map((each) => `${kind}/${each}`);
}

function idOf(kind: string, { caller, assistantId }: RuledRun, wanted: string | undefined): string | null {
  if (kind === 'assistant') return assistantId === null ? null : String(assistantId);
  if (caller === null) return null;
  if (kind === 'key') return caller.kind === 'api_key' ? caller.credentialId : null;
  // A rule for one account counts everybody behind it.
  return wanted === undefined ? personKey(caller) : caller.userId;
}

/** An end user behind a key counts as a person. The id may be an e-mail address, so only its hash is stored. */
export function personKey({ userId, endUser }: Pick<Caller, 'userId' | 'endUser'>): string {
  if (endUser === undefined) return userId;
  const hash = createHash('sha256').update(`${endUser.source}\n${endUser.id}`).digest('hex');
  return `${userId}/${hash.slice(0, 16)}`;
}
