import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import type { UsagePartDto, UsageReportDto, UsageRowDto } from './usage.dto';
import { FIGURES, type Figures } from './usage.types';

type Row = UsageRowDto & UsagePartDto;
type Cell = string | number | null;
type Column = readonly [name: string, of: (row: Row) => Cell];

const MICROS = 6;

/** Exact: cost in whole micros, written with a decimal point. */
const decimal = (micros: number): string => {
  const digits = String(micros).padStart(MICROS + 1, '0');
  return `${digits.slice(0, -MICROS)}.${digits.slice(-MICROS)}`;
};

const DAY: Column = ['day', ({ day }) => day ?? null];
const ASSISTANT: readonly Column[] = [
  ['assistant_id', ({ assistant }) => assistant?.id ?? null],
  ['assistant', ({ assistant }) => assistant?.name ?? null],
];
const MODEL: readonly Column[] = [
  ['provider', ({ model }) => model?.provider ?? null],
  ['model', ({ model }) => model?.model ?? null],
];
const CALLER_ORGANIZATION: Column = [
  'organization',
  ({ person }) => person?.organization?.name ?? person?.organization?.id ?? null,
];
const PERSON: readonly Column[] = [
  ['user_id', ({ person }) => person?.user_id ?? null],
  ['name', ({ person }) => person?.name ?? null],
  ['email', ({ person }) => person?.email ?? null],
  CALLER_ORGANIZATION,
];
const PSEUDONYM: readonly Column[] = [['pseudonym', ({ person }) => person?.pseudonym ?? null], CALLER_ORGANIZATION];
const KEY: readonly Column[] = [
  ['key_id', ({ key }) => key?.id ?? null],
  ['key', ({ key }) => key?.name ?? null],
];
const KEY_PSEUDONYM: Column = ['pseudonym', ({ key }) => key?.pseudonym ?? null];

function namesOf({ by, pseudonymous, items }: UsageReportDto): readonly Column[] {
  if (by === 'assistant') return ASSISTANT;
  if (by === 'model') return MODEL;
  if (by === 'person') return pseudonymous ? PSEUDONYM : PERSON;
  if (by === 'key') return pseudonymous ? [KEY_PSEUDONYM] : KEY;
  const [part] = items.flatMap(({ parts = [] }) => parts);
  if (part === undefined) return [DAY];
  return [DAY, ...(part.model === undefined ? ASSISTANT : MODEL)];
}

const figure = (name: keyof Figures): Column =>
  name === 'cost_micros' ? ['cost', (row) => decimal(row.cost_micros)] : [name, (row) => row[name]];

/** A day with parts is one line per part; a day without usage is one line. */
const linesOf = ({ items }: UsageReportDto): readonly Row[] =>
  items.flatMap(({ parts, ...row }): Row[] =>
    parts === undefined || parts.length === 0 ? [row] : parts.map((part) => ({ day: row.day ?? '', ...part })),
  );

function* records(report: UsageReportDto, columns: readonly Column[]): Generator<readonly Cell[]> {
  for (const row of linesOf(report)) yield columns.map(([, of]) => of(row));
}

/** RFC 4180 in UTF-8. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
export function csvOf(report: UsageReportDto): Readable {
  const currency: Column = ['currency', () => report.currency];
  const columns = [...namesOf(report), ...FIGURES.map(figure), currency];
  const header = columns.map(([name]) => name);
  const lines = stringify({ header: true, columns: header, escape_formulas: true, record_delimiter: '\r\n' });
  return Readable.from(records(report, columns)).pipe(lines);
}

/** Name of the file: `usage-physics-by-model-2026-11-01-2026-11-30.csv`. */
export const csvName = (slug: string, { by, from, to }: UsageReportDto): string =>
  `usage-${slug}-by-${by}-${from}-${to}.csv`;
