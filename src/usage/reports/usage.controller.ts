import { Controller, Get, Param, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import { attachment } from '../../files';
import type { Caller } from '../../kernel';
import { Access, type BellwetherRequest, CurrentCaller, toPageRequest } from '../../infrastructure/http';
import { csvName, csvOf } from './usage-csv';
import { UsageQueryDto, UsageReportDto } from './usage.dto';
import { USAGE_CSV_EXAMPLE, USAGE_EXAMPLE } from './usage.openapi';
import { UsageReports } from './usage-reports.service';

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
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Query() query: UsageQueryDto,
    @Req() request: BellwetherRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UsageReportDto | StreamableFile> {
    const format = query.format ?? (request.accepts(['json', 'text/csv']) === 'text/csv' ? 'csv' : 'json');
    response.setHeader('Vary', 'Accept');
    if (format === 'json') return this.reports.report(caller, slug, query, toPageRequest(query));
    const report = await this.reports.report(caller, slug, query, null);
    return new StreamableFile(csvOf(report), {
      type: 'text/csv; charset=utf-8; header=present',
      disposition: attachment(csvName(slug, report)),
    });
  }
}
