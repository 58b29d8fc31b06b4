import { ITEM_KINDS, ITEM_OUTCOMES, type ItemCounts, type ImportReport } from './report.types';

/** True without conflicts, failures, missing files and an interruption. */
export const isClean = ({ organizations, interrupted }: ImportReport): boolean =>
  !interrupted &&
  organizations.every(
    ({ outcome, conflicts, missingFiles }) =>
      outcome !== 'conflict' && outcome !== 'failed' && conflicts.length === 0 && missingFiles.length === 0,
  );

export interface UnresolvedAddress {
  readonly code: 'address.unresolved';
  readonly address: string;
  /** Slugs here of the organizations with this address. */
  readonly organizations: readonly string[];
}

/** Each address once, with the organizations behind it. */
export function unresolvedAddresses({ organizations }: ImportReport): UnresolvedAddress[] {
  const slugs = new Map<string, string[]>();
  for (const { slug, unresolved } of organizations) {
    for (const address of unresolved) slugs.set(address, [...(slugs.get(address) ?? []), slug]);
  }
  return [...slugs].map(([address, organizations]) => ({ code: 'address.unresolved', address, organizations }));
}

export interface ReportTotals {
  readonly organizations: number;
  /** Sums over all kinds and organizations. */
  readonly counts: ItemCounts;
}

export function totals({ organizations }: ImportReport): ReportTotals {
  const counts = { created: 0, updated: 0, unchanged: 0, conflict: 0, left_out: 0 };
  for (const organization of organizations) {
    for (const kind of ITEM_KINDS) {
      for (const outcome of ITEM_OUTCOMES) counts[outcome] += organization.counts[kind][outcome];
    }
  }
  return { organizations: organizations.length, counts };
}
