import type { DataSource } from 'typeorm';

/** The audit chains of all organizations, without a verification. */
export interface ChainFigures {
  readonly chains: number;
  /** Chains that were not intact at their last verification. */
  readonly broken: number;
  readonly last_verified: Date | null;
  /** Entries that should have been sealed long ago. */
  readonly overdue: number;
}

const FIGURES = `
  SELECT count(*)::int AS chains, count(*) FILTER (WHERE NOT checked_intact)::int AS broken,
    max(checked_at) AS last_verified,
    (SELECT count(*)::int FROM audit_entries WHERE sequence IS NULL AND at < now() - interval '10 minutes') AS overdue
  FROM audit_chains`;

export async function chainFigures(dataSource: DataSource): Promise<ChainFigures> {
  const [figures] = await dataSource.query<[ChainFigures]>(FIGURES);
  return figures;
}
