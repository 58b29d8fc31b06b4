import { isDeepStrictEqual } from 'node:util';
import type { OrganizationSettings } from './settings.types';

/** Locked rules by id; their order does not matter. */
const lockedOf = ({ limits }: OrganizationSettings): ReadonlyMap<string, object> =>
  new Map((limits?.rules ?? []).flatMap((rule) => (rule.locked === true ? [[rule.id, rule]] : [])));

/** True when both settings have equal weights and locked rules, and the terms and prices that those depend on. */
export function sameLocked(before: OrganizationSettings, after: OrganizationSettings): boolean {
  if (before.limits?.weight !== after.limits?.weight) return false;
  if (!isDeepStrictEqual(lockedOf(before), lockedOf(after))) return false;
  const locked = (before.limits?.rules ?? []).filter((rule) => rule.locked === true);
  const keepsTerms = locked.some(({ per }) => per === 'term');
  const keepsPrices = locked.some(({ limit }) => limit === 'cost');
  return (
    (!keepsTerms || isDeepStrictEqual(before.limits?.terms, after.limits?.terms)) &&
    (!keepsPrices || isDeepStrictEqual(before.prices, after.prices))
  );
}
