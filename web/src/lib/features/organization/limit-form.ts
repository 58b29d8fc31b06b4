import type { Organization, SettingsPatch } from './organization.types';

export const CALL_LIMITS = ['per_day', 'per_assistant', 'per_organization'] as const;
type CallLimit = (typeof CALL_LIMITS)[number];
/** Largest limit that the service takes. */
export const LIMIT_MAX = 1_000_000_000;

/** Null where there is no limit, as number fields have it when they are empty. */
export type LimitForm = Record<CallLimit, number | null>;
type Limits = Organization['limits'];

/** Limits on calls by others, which administrators set. */
export function limitFormOf(limits: Limits): LimitForm {
  const calls: unknown = limits['assistant_calls'];
  const of = (name: CallLimit): number | null => {
    const value: unknown = typeof calls === 'object' && calls !== null ? (calls as Limits)[name] : null;
    return typeof value === 'number' ? value : null;
  };
  return { per_day: of('per_day'), per_assistant: of('per_assistant'), per_organization: of('per_organization') };
}

/** Changes as a merge patch; null when nothing changed. */
export function limitPatch(limits: Limits, form: LimitForm): SettingsPatch | null {
  const before = limitFormOf(limits);
  const changed = CALL_LIMITS.filter((name) => form[name] !== before[name]);
  if (changed.length === 0) return null;
  return { limits: { assistant_calls: Object.fromEntries(changed.map((name) => [name, form[name]])) } };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** They have a page of their own. */
const ELSEWHERE = /^(rules|terms)\./;

/** Every other limit that is stored, nested names joined by dots: shown, as what it means is not known here. */
export const otherLimits = (limits: Limits): readonly (readonly [string, string])[] =>
  rowsOf(limits).filter(
    ([name]) => !ELSEWHERE.test(name) && !CALL_LIMITS.some((known) => name === `assistant_calls.${known}`),
  );

const rowsOf = (value: object, path = ''): (readonly [string, string])[] =>
  Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    typeof inner === 'object' && inner !== null
      ? rowsOf(inner, `${path}${name}.`)
      : [[`${path}${name}`, textOf(inner)] as const],
  );
