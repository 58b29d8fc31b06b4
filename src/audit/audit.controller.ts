import type { Caller } from '@bellwether/kernel';
import { Controller, Get, HttpCode, Param, Post, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Readable } from 'node:stream';
import { OrganizationsService } from '../organizations';
import { AuditLog, AuditVerifier, type ChainReport, type ChainState } from '../infrastructure/audit';
import { Access, CurrentCaller, toPageRequest } from '../infrastructure/http';
import { AuditChainDto, AuditExportQueryDto, AuditPageDto, AuditQueryDto, AuditVerificationDto } from './audit.dto';
import { AuditExport } from './audit-export.service';
import { AuditView } from './audit-view.service';

const TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/jsonl; charset=utf-8' } as const;

@ApiTags('Organizations')
@Controller('api/v1/organizations/:slug/audit')
export class AuditController {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly view: AuditView,
    private readonly exports: AuditExport,
    private readonly verifier: AuditVerifier,
    private readonly audit: AuditLog,
  ) {}

  @Get()
  @Access({ scope: 'admin', role: 'organization_admin', summary: 'Who did what, newest first' })
  async list(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Query() query: AuditQueryDto,
  ): Promise<AuditPageDto> {
    return this.view.list(await this.organizations.administered(caller, slug), toPageRequest(query), query);
  }

  @Get('export')
  @Access({
    scope: 'admin',
    role: 'organization_admin',
    summary: 'Download the audit log, oldest first',
    description: 'The download itself is recorded.',
  })
  @ApiProduces('text/csv', 'application/jsonl')
  @ApiOkResponse({ schema: { type: 'string' } })
  async download(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Query() { format, ...filters }: AuditExportQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const organizationId = await this.organizations.administered(caller, slug);
    await this.view.filterOf(filters);
    const target = { type: 'organization', id: organizationId };
    await this.audit.record({ caller, organizationId, action: 'audit.export', target, after: { format, ...filters } });
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'private, no-store');
    const disposition = `attachment; filename="audit-${slug}.${format}"`;
    const texts = Readable.from(this.exports.texts(organizationId, filters, format), { objectMode: false });
    return new StreamableFile(texts, { type: TYPES[format], disposition });
  }

  @Get('chain')
  @Access({ scope: 'admin', role: 'organization_admin', summary: 'State of the hash chain of the audit log' })
  @ApiOkResponse({ type: AuditChainDto })
  async chain(@CurrentCaller() caller: Caller, @Param('slug') slug: string): Promise<ChainState> {
    return this.verifier.state(await this.organizations.administered(caller, slug));
  }

  @Post('verification')
  @HttpCode(200)
  @Access({
    scope: 'admin',
    role: 'organization_admin',
    summary: 'Check that no entry of the audit log was changed, removed or added',
    description: 'Reads the whole log. Like the command `audit:verify`.',
  })
  @ApiOkResponse({ type: AuditVerificationDto })
  async verify(@CurrentCaller() caller: Caller, @Param('slug') slug: string): Promise<ChainReport> {
    return this.verifier.verify(await this.organizations.administered(caller, slug));
  }
}
