import { Readable } from 'node:stream';
import { Controller, Get, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { stringify } from 'csv-stringify';
import type { Response } from 'express';
import { attachment } from '../../files';
import { Access, type BellwetherRequest, toPageRequest } from '../../infrastructure/http';
import { UsageReports } from './usage-reports.service';
import { type UsagePartDto, UsageQueryDto, UsageReportDto, type UsageRowDto } from './usage.dto';
import { InOrganization, type OrganizationRequest } from '../../organizations';
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
function csvOf(report: UsageReportDto): Readable {
  const currency: Column = ['currency', () => report.currency];
  const columns = [...namesOf(report), ...FIGURES.map(figure), currency];
  const header = columns.map(([name]) => name);
  const lines = stringify({ header: true, columns: header, escape_formulas: true, record_delimiter: '\r\n' });
  return Readable.from(records(report, columns)).pipe(lines);
}

/** Name of the file: `usage-physics-by-model-2026-11-01-2026-11-30.csv`. */
const csvName = (slug: string, { by, from, to }: UsageReportDto): string => `usage-${slug}-by-${by}-${from}-${to}.csv`;

/** Answer to `?by=model&from=2026-11-01&to=2026-11-30`. */
const USAGE_EXAMPLE: UsageReportDto = {
  from: '2026-11-01',
  to: '2026-11-30',
  time_zone: 'UTC',
  by: 'model',
  currency: 'EUR',
  pseudonymous: false,
  totals: {
    runs: 412,
    failed: 3,
    model_calls: 460,
    estimated_calls: 0,
    prompt_tokens: 821_600,
    completion_tokens: 96_200,
    cached_tokens: 310_000,
    cost_micros: 2_431_500,
  },
  unpriced_models: [],
  items: [
    {
      model: { provider: 'openai', model: 'gpt-4o-mini' },
      runs: 412,
      failed: 3,
      model_calls: 460,
      estimated_calls: 0,
      prompt_tokens: 821_600,
      completion_tokens: 96_200,
      cached_tokens: 310_000,
      cost_micros: 2_431_500,
    },
  ],
  next_cursor: null,
  total: 1,
};

const USAGE_CSV_EXAMPLE = [
  'provider,model,runs,failed,model_calls,estimated_calls,prompt_tokens,completion_tokens,cached_tokens,cost,currency',
  'openai,gpt-4o-mini,412,3,460,0,821600,96200,310000,2.431500,EUR',
].join('\r\n');

@ApiTags('Usage and limits')
@ApiExtraModels(UsageReportDto)
@Controller('api/v1/organizations/:slug/usage')
export class UsageController {
  constructor(private readonly reports: UsageReports) {}

  @Get()
  @Access({
    scope: 'read',
    role: 'teacher',
    summary: 'Usage and cost by day, assistant, model, person or key',
    description:
      'What the organization pays for, its own people and callers of other organizations alike. Days are in UTC. ' +
      'Administrators (scope `admin`) see all; teachers see one assistant that they may edit, without names. ' +
      '`Accept: text/csv` or `format=csv` gives every row as CSV (RFC 4180, UTF-8).',
  })
  @ApiOkResponse({
    content: {
      'application/json': { schema: { $ref: getSchemaPath(UsageReportDto) }, example: USAGE_EXAMPLE },
      'text/csv': { schema: { type: 'string' }, example: USAGE_CSV_EXAMPLE },
    },
  })
  async usage(
    @InOrganization('seen') at: OrganizationRequest,
    @Query() query: UsageQueryDto,
    @Req() request: BellwetherRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UsageReportDto | StreamableFile> {
    const format = query.format ?? (request.accepts(['json', 'text/csv']) === 'text/csv' ? 'csv' : 'json');
    response.setHeader('Vary', 'Accept');
    if (format === 'json') return this.reports.report(at, query, toPageRequest(query));
    const report = await this.reports.report(at, query, null);
    return new StreamableFile(csvOf(report), {
      type: 'text/csv; charset=utf-8; header=present',
      disposition: attachment(csvName(at.slug, report)),
    });
  }
}
