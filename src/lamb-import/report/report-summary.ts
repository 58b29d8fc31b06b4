import { ARRIVAL_KINDS, ARRIVAL_OUTCOMES, type ArrivalCounts, type ImportReport } from '../import.types';

/** Everything that could be taken over was, and nothing that is ours stood in its way. */
export const isClean = ({ organizations, interrupted }: ImportReport): boolean =>
  !interrupted &&
  organizations.every(
    ({ outcome, conflicts }) => outcome !== 'conflict' && outcome !== 'failed' && conflicts.length === 0,
  );

export interface ReportTotals {
  readonly organizations: number;
  /** Over all kinds of things of all organizations. */
  readonly counts: ArrivalCounts;
}

export function totals({ organizations }: ImportReport): ReportTotals {
  const counts = { created: 0, updated: 0, unchanged: 0, conflict: 0, left_out: 0 };
  for (const organization of organizations) {
    for (const kind of ARRIVAL_KINDS) {
      for (const outcome of ARRIVAL_OUTCOMES) counts[outcome] += organization.counts[kind][outcome];
    }
  }
  return { organizations: organizations.length, counts };
}
