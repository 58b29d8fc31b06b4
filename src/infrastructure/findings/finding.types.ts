/** Best first. A notice tells what could be better and needs nobody. */
export const HEALTH_STATES = ['ok', 'notice', 'warning', 'error'] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

export type FindingValues = Readonly<Record<string, string | number>>;

/** What one check found. */
export interface Finding {
  /** Stable; the part before the dot names the check. */
  readonly code: string;
  readonly state: HealthState;
  /** In English. Programs word `code` and `values` in the reader's language. */
  readonly text: string;
  /** The next step; null where nothing is to do. */
  readonly next: string | null;
  readonly values: FindingValues;
  /** Slug of the organization that it concerns; null for the whole installation. */
  readonly organization: string | null;
}

export const worstOf = (findings: readonly Finding[]): HealthState =>
  findings.reduce<HealthState>(
    (worst, { state }) => (HEALTH_STATES.indexOf(state) > HEALTH_STATES.indexOf(worst) ? state : worst),
    'ok',
  );
