export const KINDS = ['organization', 'group', 'person', 'key', 'assistant'] as const;
export type Kind = (typeof KINDS)[number];
export const LIMITS = ['requests', 'runs', 'streams', 'tokens', 'cost', 'storage'] as const;
export type Limit = (typeof LIMITS)[number];
export const WINDOWS = ['minute', 'day', 'month', 'term'] as const;
export type Window = (typeof WINDOWS)[number];
export const ENDINGS = ['stop', 'fast_model', 'teachers_only'] as const;
export type Ending = (typeof ENDINGS)[number];

export interface Rule {
  readonly id: string;
  readonly for: { readonly kind: Kind; readonly id?: string };
  readonly limit: Limit;
  readonly amount: number;
  readonly per?: Window;
  readonly at_end?: Ending;
  readonly locked?: boolean;
}

export interface Term {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** Bytes of a megabyte, in which people count storage. */
const MEGABYTE = 1_000_000;

const listOf = <Item>(value: unknown): readonly Item[] => (Array.isArray(value) ? (value as Item[]) : []);
type Limits = Readonly<Record<string, unknown>>;
/** Rules in the part `limits` of the settings. */
export const rulesOf = (limits: Limits): readonly Rule[] => listOf(limits['rules']);
export const termsOf = (limits: Limits): readonly Term[] => listOf(limits['terms']);

/** Simultaneous runs and stored bytes have no window. */
export const hasWindow = (limit: Limit): boolean => limit === 'requests' || limit === 'tokens' || limit === 'cost';
/** Files belong to people. */
export const kindsOf = (limit: Limit): readonly Kind[] => (limit === 'storage' ? ['organization', 'person'] : KINDS);
/** A cheaper model saves tokens and cost only; a full store just stops. */
export function endingsOf(limit: Limit): readonly Ending[] {
  if (limit === 'storage') return ['stop'];
  return limit === 'tokens' || limit === 'cost' ? ENDINGS : ['stop', 'teachers_only'];
}

/** Values of the form's fields; an amount of storage is in megabytes. */
export interface RuleForm {
  kind: Kind;
  /** Empty: each one for itself. */
  subject: string;
  limit: Limit;
  amount: number | null;
  per: Window;
  ending: Ending;
  locked: boolean;
}

export const NEW_RULE: RuleForm = {
  kind: 'person',
  subject: '',
  limit: 'tokens',
  amount: 50_000,
  per: 'day',
  ending: 'stop',
  locked: false,
};

export const formOf = (rule: Rule): RuleForm => ({
  kind: rule.for.kind,
  subject: rule.for.id ?? '',
  limit: rule.limit,
  amount: rule.limit === 'storage' ? rule.amount / MEGABYTE : rule.amount,
  per: rule.per ?? 'day',
  ending: rule.at_end ?? 'stop',
  locked: rule.locked === true,
});

const kept = <Value>(possible: readonly Value[], value: Value, first: Value): Value =>
  possible.includes(value) ? value : first;

/** The rule that a form describes; a choice that its limit does not have becomes the first that it has. */
export function ruleOf(form: RuleForm, id: string): Rule {
  const { limit, subject, amount, per, locked } = form;
  const kind = kept(kindsOf(limit), form.kind, 'organization');
  const ending = kept(endingsOf(limit), form.ending, 'stop');
  return {
    id,
    for: kind === 'organization' || subject === '' ? { kind } : { kind, id: subject },
    limit,
    amount: (amount ?? 0) * (limit === 'storage' ? MEGABYTE : 1),
    ...(hasWindow(limit) ? { per } : {}),
    ...(ending === 'stop' ? {} : { at_end: ending }),
    ...(locked ? { locked: true } : {}),
  };
}

/** `tokens-person-day`, with a number where that is taken. */
export function newId({ limit, kind, per }: RuleForm, rules: readonly Rule[]): string {
  const base = [limit, kind, ...(hasWindow(limit) ? [per] : [])].join('-');
  const taken = new Set(rules.map(({ id }) => id));
  for (let at = 1; ; at += 1) {
    const id = at === 1 ? base : `${base}-${at}`;
    if (!taken.has(id)) return id;
  }
}
