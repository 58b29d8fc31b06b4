import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Get, HttpCode, Param, Post, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiAcceptedResponse, ApiExtraModels, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import { attachment } from '../files';
import { ADMINISTRATORS, Access, CurrentCaller, PageQueryDto, toPageRequest } from '../infrastructure/http';
import { InOrganization, type OrganizationRequest } from '../organizations';
import { reportText } from './erasure/erasure-report';
import type { ErasurePlan, Subject } from './erasure/erasure.types';
import { type ErasureRequest, Erasures } from './erasure/erasures.service';
import { type Archive, PersonData } from './person-data.service';
import {
  ErasePersonDto,
  ErasureDto,
  ErasurePageDto,
  ErasurePersonDto,
  ErasurePlanDto,
  LookUpPseudonymDto,
} from './privacy.dto';
import { PseudonymLookup } from './person-export.service';

const personOf = ({ userId, email, name }: Subject): ErasurePersonDto => ({ user_id: userId, email, name });

const planView = ({ subject, heir, unshared, content, counts, kept, problems }: ErasurePlan): ErasurePlanDto => ({
  person: personOf(subject),
  heir: heir === null ? null : personOf(heir),
  unshared,
  handed_over: [...content.handOver],
  deleted: [...content.delete],
  counts,
  kept: [...kept],
  problems: [...problems],
});

const erasureView = (request: ErasureRequest): ErasureDto => ({
  id: request.id,
  state: request.state,
  user_id: request.subjectId,
  requested_by: request.requestedBy,
  heir_id: request.heirId,
  unshared: request.unshared,
  failure: request.failure,
  report: request.report === null ? null : { ...request.report, kept: [...request.report.kept] },
  report_text: request.report === null ? null : reportText(request.report),
  created_at: request.createdAt.toISOString(),
  finished_at: request.finishedAt?.toISOString() ?? null,
});

const ZIP = { content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } } } as const;

function sent({ filename, stream }: Archive, response: Response): StreamableFile {
  response.setHeader('Cache-Control', 'private, no-store');
  return new StreamableFile(stream, { type: 'application/zip', disposition: attachment(filename) });
}

/** Export and erasure of one person's data. */
@ApiTags('Privacy')
@ApiExtraModels(ErasurePlanDto, ErasureDto)
@Controller('api/v1')
export class PrivacyController {
  constructor(
    private readonly people: PersonData,
    private readonly erasures: Erasures,
    private readonly pseudonyms: PseudonymLookup,
  ) {}

  @Post('me/data-export')
  @HttpCode(200)
  @Access({
    scope: 'read',
    summary: 'Download my data',
    description: 'A ZIP archive of everything stored about the caller.',
  })
  @ApiOkResponse(ZIP)
  async exportOwn(
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    return sent(await this.people.exportOwn(caller), response);
  }

  @Post('organizations/:slug/members/:member/data-export')
  @HttpCode(200)
  @Access({
    ...ADMINISTRATORS,
    summary: 'Download the data of a member',
    description: '`member` is a user id or an e-mail address, also of a person who left. Audited.',
  })
  @ApiOkResponse(ZIP)
  async exportMember(
    @InOrganization() at: OrganizationRequest,
    @Param('member') member: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    return sent(await this.people.exportMember(at, member), response);
  }

  @Post('organizations/:slug/data-export')
  @HttpCode(200)
  @Access({
    ...ADMINISTRATORS,
    summary: 'Download everything of an organization',
    description: 'A ZIP archive of all its data and files, without keys and passwords. For owners. Audited.',
  })
  @ApiOkResponse(ZIP)
  async exportOrganization(
    @InOrganization() at: OrganizationRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    return sent(await this.people.exportOrganization(at), response);
  }

  @Post('organizations/:slug/members/:member/erasure')
  @HttpCode(202)
  @Access({
    ...ADMINISTRATORS,
    summary: 'Erase the data of a member',
    description:
      'With `dry_run`, the default, answers what would happen (200). Without it the person is deactivated at once, and a ' +
      'job erases the data step by step. The last owner cannot be erased, and owners cannot erase themselves.',
  })
  @ApiOkResponse({ schema: { $ref: getSchemaPath(ErasurePlanDto) } })
  @ApiAcceptedResponse({ schema: { $ref: getSchemaPath(ErasureDto) } })
  async erase(
    @InOrganization() at: OrganizationRequest,
    @Param('member') member: string,
    @Body() body: ErasePersonDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ErasurePlanDto | ErasureDto> {
    if (!body.dry_run) return erasureView(await this.people.erase(at, member, body));
    response.status(200);
    return planView(await this.people.plan(at, member, body));
  }

  @Post('organizations/:slug/pseudonyms/look-up')
  @HttpCode(200)
  @Access({
    ...ADMINISTRATORS,
    summary: 'Find the person behind a pseudonym that a vendor names',
    description: 'For owners. Recorded in the audit log.',
  })
  lookUp(
    @InOrganization() at: OrganizationRequest,
    @Body() { pseudonym }: LookUpPseudonymDto,
  ): Promise<ErasurePersonDto> {
    return this.pseudonyms.find(at, pseudonym);
  }

  @Get('organizations/:slug/erasures')
  @Access({ ...ADMINISTRATORS, summary: 'List erasures, newest first' })
  async list(@InOrganization() at: OrganizationRequest, @Query() query: PageQueryDto): Promise<ErasurePageDto> {
    const page = await this.erasures.list(at.organizationId, toPageRequest(query));
    return { ...page, items: page.items.map(erasureView), total: page.total ?? 0 };
  }

  @Get('organizations/:slug/erasures/:id')
  @Access({ ...ADMINISTRATORS, summary: 'One erasure with its report' })
  async one(@InOrganization() at: OrganizationRequest, @Param('id') id: string): Promise<ErasureDto> {
    return erasureView(await this.erasures.get(at.organizationId, id));
  }
}
