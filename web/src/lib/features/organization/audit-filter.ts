/** Values of the form: an empty text filters nothing. */
export interface AuditFilter {
  readonly actor: string;
  readonly action: string;
  readonly text: string;
  /** Days of the reader's calendar; `to` is the last day that is shown. */
  readonly from: string;
  readonly to: string;
}

export const NO_FILTER: AuditFilter = { actor: '', action: '', text: '', from: '', to: '' };

/** Midnight of a day, or of the day after it, where the reader is. */
function midnight(day: string, days: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + days).toISOString();
}

/** The query of the API. */
export function auditQuery({ from, to, ...texts }: AuditFilter): Record<string, string> {
  const given = Object.entries(texts).map(([name, text]) => [name, text.trim()] as const);
  return {
    ...Object.fromEntries(given.filter(([, text]) => text !== '')),
    ...(from === '' ? {} : { from: midnight(from, 0) }),
    ...(to === '' ? {} : { to: midnight(to, 1) }),
  };
}
