import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  ADMINISTRATORS,
  Access,
  IfMatch,
  PageQueryDto,
  TagsVersion,
  toPageRequest,
} from '../../../src/infrastructure/http';
import { Idempotent } from '../../../src/infrastructure/idempotency';
import { CreatePlatformDto, PlatformDto, PlatformPageDto, UpdatePlatformDto } from './platform.dto';
import { InOrganization, type OrganizationRequest } from '../../../src/organizations';
import { Platforms } from './platforms.service';

@ApiTags('LTI')
@Controller('api/v1/organizations/:slug/lti/platforms')
export class PlatformsController {
  constructor(private readonly platforms: Platforms) {}

  @Get()
  @Access({ ...ADMINISTRATORS, summary: 'Learning platforms of the organization' })
  list(@InOrganization() at: OrganizationRequest, @Query() page: PageQueryDto): Promise<PlatformPageDto> {
    return this.platforms.list(at, toPageRequest(page));
  }

  @Post()
  @TagsVersion()
  @Idempotent()
  @Access({
    ...ADMINISTRATORS,
    summary: 'Add a learning platform',
    description: 'LTI 1.3: launches with this issuer and client id lead to the organization.',
  })
  create(@InOrganization() at: OrganizationRequest, @Body() body: CreatePlatformDto): Promise<PlatformDto> {
    return this.platforms.create(at, body);
  }

  @Get(':id')
  @TagsVersion()
  @Access({ ...ADMINISTRATORS, summary: 'Read a learning platform' })
  get(@InOrganization() at: OrganizationRequest, @Param('id') id: string): Promise<PlatformDto> {
    return this.platforms.get(at, id);
  }

  @Patch(':id')
  @TagsVersion()
  @Access({ ...ADMINISTRATORS, summary: 'Change a learning platform', description: 'Absent members stay.' })
  update(
    @InOrganization() at: OrganizationRequest,
    @Param('id') id: string,
    @Body() body: UpdatePlatformDto,
    @IfMatch('demanded') expected: number | null,
  ): Promise<PlatformDto> {
    return this.platforms.update(at, id, body, expected);
  }

  @Delete(':id')
  @HttpCode(204)
  @Access({
    ...ADMINISTRATORS,
    summary: 'Remove a learning platform',
    description: 'Removes its courses and activities. Accounts and conversations stay.',
  })
  async remove(
    @InOrganization() at: OrganizationRequest,
    @Param('id') id: string,
    @IfMatch('welcome') expected: number | null,
  ): Promise<void> {
    await this.platforms.remove(at, id, expected);
  }
}
