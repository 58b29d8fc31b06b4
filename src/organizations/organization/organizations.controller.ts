import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import {
  ADMINISTRATORS,
  Access,
  CurrentCaller,
  IfMatch,
  PageQueryDto,
  TagsVersion,
  toPageRequest,
} from '../../infrastructure/http';
import { Idempotent } from '../../infrastructure/idempotency';
import {
  McpServerDto,
  OrganizationDto,
  OrganizationPageDto,
  OrganizationSummaryDto,
  ProviderDto,
} from '../organization-answer.dto';
import { settingsPatchSchema } from '../settings/settings.schema';
import { FoundingService } from './founding.service';
import { OrganizationEndings } from './organization-endings.service';
import { CreateOrganizationDto, EndOrganizationDto, NoticeDto } from './organization.dto';
import { OrganizationsService } from './organizations.service';
import { SettingsService } from './settings.service';

@ApiTags('Organizations')
@ApiExtraModels(McpServerDto, ProviderDto, OrganizationDto, OrganizationSummaryDto)
@Controller('api/v1/organizations')
export class OrganizationsController {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly founding: FoundingService,
    private readonly settings: SettingsService,
    private readonly endings: OrganizationEndings,
  ) {}

  @Get()
  @Access({
    scope: 'read',
    summary: 'List organizations',
    description: 'System administrators see all, others their own.',
  })
  list(@CurrentCaller() caller: Caller, @Query() page: PageQueryDto): Promise<OrganizationPageDto> {
    return this.organizations.list(caller, toPageRequest(page));
  }

  @Post()
  @TagsVersion()
  @Idempotent()
  @Access({ scope: 'admin', role: 'system_admin', summary: 'Make an organization' })
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateOrganizationDto): Promise<OrganizationDto> {
    await this.founding.create(caller, body);
    return this.organizations.view(caller, body.slug);
  }

  @Get(':slug')
  @TagsVersion()
  @Access({
    scope: 'read',
    role: 'teacher',
    summary: 'Read an organization',
    description:
      'Administrators see every setting, teachers a summary. Secrets are never answered. `GET /api/v1/me` tells members ' +
      'what they need.',
  })
  @ApiOkResponse({
    schema: { anyOf: [{ $ref: getSchemaPath(OrganizationDto) }, { $ref: getSchemaPath(OrganizationSummaryDto) }] },
  })
  get(@CurrentCaller() caller: Caller, @Param('slug') slug: string): Promise<OrganizationDto | OrganizationSummaryDto> {
    return this.organizations.get(caller, slug);
  }

  @Patch(':slug')
  @TagsVersion()
  @ApiBody({ schema: settingsPatchSchema })
  @Access({
    ...ADMINISTRATORS,
    summary: 'Change settings of an organization',
    description: 'JSON Merge Patch (RFC 7396): objects merge, arrays replace, null removes.',
  })
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
  async suspend(@CurrentCaller() caller: Caller, @Param('slug') slug: string): Promise<OrganizationDto> {
    await this.endings.suspend(caller, slug, true);
    return this.organizations.view(caller, slug);
  }

  @Delete(':slug/suspension')
  @TagsVersion()
  @Access({ scope: 'admin', role: 'system_admin', summary: 'Resume a suspended organization' })
  async resume(@CurrentCaller() caller: Caller, @Param('slug') slug: string): Promise<OrganizationDto> {
    await this.endings.suspend(caller, slug, false);
    return this.organizations.view(caller, slug);
  }

  @Delete(':slug')
  @TagsVersion()
  @Access({
    scope: 'admin',
    role: 'system_admin',
    summary: 'End an organization',
    description:
      'Suspends it at once and tells the members by e-mail. After the grace period a job erases its people, assistants, ' +
      'content, files and keys, and nothing brings them back. Export it before. Repeating the request changes nothing.',
  })
  async end(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Query() { grace_days: graceDays, language }: EndOrganizationDto,
  ): Promise<OrganizationDto> {
    await this.endings.end(caller, slug, { graceDays, language });
    return this.organizations.view(caller, slug);
  }

  @Post(':slug/restore')
  @HttpCode(200)
  @TagsVersion()
  @Access({
    scope: 'admin',
    role: 'system_admin',
    summary: 'Restore an organization within its grace period',
    description: 'Its state before the end comes back. Refused once the erasure has begun.',
  })
  async restore(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Query() { language }: NoticeDto,
  ): Promise<OrganizationDto> {
    await this.endings.restore(caller, slug, language);
    return this.organizations.view(caller, slug);
  }
}
