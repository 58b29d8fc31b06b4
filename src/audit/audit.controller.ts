import { Controller, Get, HttpCode, Post, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Readable } from 'node:stream';
import { InOrganization, type OrganizationRequest } from '../organizations';
import { AuditLog, AuditVerifier, type ChainReport, type ChainState } from '../infrastructure/audit';
import { ADMINISTRATORS, Access, toPageRequest } from '../infrastructure/http';
import { AuditChainDto, AuditExportQueryDto, AuditPageDto, AuditQueryDto, AuditVerificationDto } from './audit.dto';
import { AuditExport } from './audit-export.service';
import { AuditView } from './audit-view.service';

const TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/jsonl; charset=utf-8' } as const;

@ApiTags('Organizations')
@Controller('api/v1/organizations/:slug/audit')
export class AuditController {
  constructor(
    private readonly view: AuditView,
    private readonly exports: AuditExport,
    private readonly verifier: AuditVerifier,
    private readonly audit: AuditLog,
  ) {}

  @Get()
  @Access({ ...ADMINISTRATORS, summary: 'Who did what, newest first' })
  async list(@InOrganization() at: OrganizationRequest, @Query() query: AuditQueryDto): Promise<AuditPageDto> {
    return this.view.list(at.organizationId, toPageRequest(query), query);
  }

  @Get('export')
  @Access({
    ...ADMINISTRATORS,
    summary: 'Download the audit log, oldest first',
    description: 'The download itself is recorded.',
  })
  @ApiProduces('text/csv', 'application/jsonl')
  @ApiOkResponse({ schema: { type: 'string' } })
  async download(
    @InOrganization() at: OrganizationRequest,
    @Query() { format, ...filters }: AuditExportQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const { caller, slug, organizationId } = at;
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
  @Access({ ...ADMINISTRATORS, summary: 'State of the hash chain of the audit log' })
  @ApiOkResponse({ type: AuditChainDto })
  async chain(@InOrganization() at: OrganizationRequest): Promise<ChainState> {
    return this.verifier.state(at.organizationId);
  }

  @Post('verification')
  @HttpCode(200)
  @Access({
    ...ADMINISTRATORS,
    summary: 'Check that no entry of the audit log was changed, removed or added',
    description: 'Reads the whole log. Like the command `audit:verify`.',
  })
  @ApiOkResponse({ type: AuditVerificationDto })
  async verify(@InOrganization() at: OrganizationRequest): Promise<ChainReport> {
    return this.verifier.verify(at.organizationId);
  }
}
