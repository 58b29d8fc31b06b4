import { Body, Controller, Delete, Get, Header, Param, Patch, Post, Put, Query } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiParam,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { type Caller, notFound, type Page } from '../../kernel';
import { type AuditItem, AuditLog } from '../../platform/audit';
import {
  Access,
  CurrentCaller,
  IfMatch,
  PageQueryDto,
  ReadsIfMatch,
  TagsVersion,
  toPageRequest,
} from '../../platform/http';
import { Idempotent } from '../../platform/idempotency';
import { FoundingService } from './founding.service';
import {
  AuditPageDto,
  OrganizationDto,
  OrganizationPageDto,
  OrganizationSummaryDto,
  McpServerDto,
  ProviderDto,
} from '../views/organization-answer.dto';
import { CreateOrganizationDto } from './organization.dto';
import { OrganizationsService } from './organizations.service';
import { settingsPatchSchema } from '../settings/settings.schema';
import { SettingsService } from './settings.service';
import { StandingService } from './standing.service';
import { SETTINGS_PARTS, type SettingsPart } from '../settings/settings.types';

@ApiTags('Organizations')
@ApiExtraModels(McpServerDto, ProviderDto, OrganizationDto, OrganizationSummaryDto)
@Controller('api/v1/organizations')
export class OrganizationsController {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly founding: FoundingService,
    private readonly settings: SettingsService,
    private readonly standing: StandingService,
    private readonly audit: AuditLog,
  ) {}

  @Get()
  @Access({
    scope: 'read',
    summary: 'List organizations',
    description: 'System administrators see all, others their own.',
  })
  @ApiOkResponse({ type: OrganizationPageDto })
  list(@CurrentCaller() caller: Caller, @Query() page: PageQueryDto): Promise<Page<OrganizationSummaryDto>> {
    return this.organizations.list(caller, toPageRequest(page));
  }

  @Post()
  @TagsVersion()
  @Idempotent()
  @Access({ scope: 'admin', role: 'system_admin', summary: 'Make an organization' })
  @ApiCreatedResponse({ type: OrganizationDto })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateOrganizationDto): Promise<OrganizationDto> {
    await this.founding.create(caller, body);
    return this.organizations.view(caller, body.slug);
  }

  @Get(':slug')
  @TagsVersion()
  @Access({
    scope: 'read',
    summary: 'Read an organization',
    description: 'Administrators see every setting, other members a summary. Secrets are never answered.',
  })
  @ApiOkResponse({
    schema: { anyOf: [{ $ref: getSchemaPath(OrganizationDto) }, { $ref: getSchemaPath(OrganizationSummaryDto) }] },
  })
  get(@CurrentCaller() caller: Caller, @Param('slug') slug: string): Promise<OrganizationDto | OrganizationSummaryDto> {
    return this.organizations.get(caller, slug);
  }

  @Patch(':slug')
  @TagsVersion()
  @ReadsIfMatch('demanded')
  @ApiBody({ schema: settingsPatchSchema })
  @Access({
    scope: 'admin',
    role: 'organization_admin',
    summary: 'Change settings of an organization',
    description: 'JSON Merge Patch (RFC 7396): objects merge, arrays replace, null removes.',
  })
  @ApiOkResponse({ type: OrganizationDto })
  async patch(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Body() body: object,
    @IfMatch('demanded') expected: number | null,
  ): Promise<OrganizationDto> {
    await this.settings.patch(caller, await this.organizations.administered(caller, slug), body, expected);
    return this.organizations.view(caller, slug);
  }

  @Put(':slug/suspension')
  @TagsVersion()
  @Access({
    scope: 'admin',
    role: 'system_admin',
    summary: 'Suspend an organization',
    description: 'Its keys stop working and its assistants answer nobody until it is resumed.',
  })
  @ApiOkResponse({ type: OrganizationDto })
  async suspend(@CurrentCaller() caller: Caller, @Param('slug') slug: string): Promise<OrganizationDto> {
    await this.standing.suspend(caller, slug, true);
    return this.organizations.view(caller, slug);
  }

  @Delete(':slug/suspension')
  @TagsVersion()
  @Access({ scope: 'admin', role: 'system_admin', summary: 'Resume a suspended organization' })
  @ApiOkResponse({ type: OrganizationDto })
  async resume(@CurrentCaller() caller: Caller, @Param('slug') slug: string): Promise<OrganizationDto> {
    await this.standing.suspend(caller, slug, false);
    return this.organizations.view(caller, slug);
  }

  @Get(':slug/audit')
  @Access({ scope: 'admin', role: 'organization_admin', summary: 'Who did what, newest first' })
  @ApiOkResponse({ type: AuditPageDto })
  async entries(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Query() page: PageQueryDto,
  ): Promise<Page<AuditItem>> {
    return this.audit.list(await this.organizations.administered(caller, slug), toPageRequest(page));
  }

  @Get(':slug/:part')
  @Header('Content-Type', 'application/json')
  @Access({
    scope: 'admin',
    role: 'organization_admin',
    summary: 'Read one part of the settings',
    description: `Parts: ${SETTINGS_PARTS.join(', ')}.`,
  })
  @ApiParam({ name: 'part', enum: SETTINGS_PARTS })
  @ApiOkResponse({ description: 'The part, as in the organization', schema: {} })
  async part(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('part') part: string,
  ): Promise<unknown> {
    const view = await this.organizations.view(caller, slug);
    if (!SETTINGS_PARTS.includes(part as SettingsPart)) throw notFound('Part of the organization');
    // Nest sends an empty body for null; JSON has a text for it.
    return view[part as SettingsPart] ?? 'null';
  }
}
