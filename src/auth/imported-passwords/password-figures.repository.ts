import type { DataSource } from 'typeorm';

export interface PasswordFigures {
  readonly organization: string;
  readonly passwords: number;
  /** The last end date. */
  readonly until: Date;
}

const FIGURES = `
  SELECT o.slug AS organization, count(*)::int AS passwords, max(p.expires_at) AS until
  FROM imported_passwords p JOIN organizations o ON o.id = p.organization_id
  WHERE p.expires_at > now() GROUP BY o.slug ORDER BY o.slug`;

/** Passwords of another installation that may still be used, by organization. */
export const passwordFigures = (dataSource: DataSource): Promise<PasswordFigures[]> => dataSource.query(FIGURES);
