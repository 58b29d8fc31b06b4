import { createHash } from 'node:crypto';
import type { Caller } from '../../kernel';
import type { LimitRule, LimitSettings } from '../../organizations';
import { windowAt } from './windows';

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
const ALWAYS = new Date(0);

/** An array that was stored before rules existed may hold anything. */
const rulesOf = ({ rules }: LimitSettings): readonly LimitRule[] => (Array.isArray(rules) ? rules : NO_RULES);

export const hasRunRules = (limits: LimitSettings): boolean => rulesOf(limits).some(({ limit }) => limit !== 'storage');

/** Every rule that counts the run, once per subject. */
export async function appliedRules(limits: LimitSettings, run: RuledRun, now: Date): Promise<readonly AppliedRule[]> {
  const applied: AppliedRule[] = [];
  for (const rule of rulesOf(limits)) {
    const { limit, per } = rule;
    if (limit === 'storage' || (run.nested && !NESTED.has(limit)) || (limit === 'streams' && !run.stream)) continue;
    const window = per === undefined ? { start: ALWAYS, end: null } : windowAt(per, now, limits.terms ?? []);
    if (window === null) continue;
    const amount = limit === 'cost' ? Math.round(rule.amount * MICROS) : rule.amount;
    for (const subject of await subjectsOf(rule, run))
      applied.push({ rule: { ...rule, limit }, subject, amount, ...window });
  }
  return applied;
}

/** Empty when the rule is about somebody else. */
async function subjectsOf({ for: { kind, id } }: LimitRule, run: RuledRun): Promise<readonly string[]> {
  const ids = kind === 'group' ? await run.groupIds() : [idOf(kind, run, id)].filter((each) => each !== null);
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
