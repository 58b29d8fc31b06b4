export const PERIODS = [7, 30, 90] as const;
export type Period = (typeof PERIODS)[number];
const GROUPINGS = ['words', 'meaning'] as const;
export type Grouping = (typeof GROUPINGS)[number];

const USUAL: Period = 30;

/** The period of an address; the usual one where it names none. */
export const periodOf = (params: URLSearchParams): Period =>
  PERIODS.find((days) => String(days) === params.get('days')) ?? USUAL;

export const groupingOf = (params: URLSearchParams): Grouping =>
  GROUPINGS.find((name) => name === params.get('group_by')) ?? 'words';

/** The time zone of the browser, as IANA names it. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
