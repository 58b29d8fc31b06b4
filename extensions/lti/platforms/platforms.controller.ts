import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import {
  Access,
  type BellwetherRequest,
  CurrentCaller,
  IfMatch,
  PageQueryDto,
  ReadsIfMatch,
  TagsVersion,
  toPageRequest,
} from '../../../src/infrastructure/http';
import { Idempotent } from '../../../src/infrastructure/idempotency';
import { CreatePlatformDto, PlatformDto, PlatformPageDto, UpdatePlatformDto } from './platform.dto';
import { type PlatformRequest, Platforms, ToolAddresses } from './platforms.service';

const ADMINISTRATORS = { scope: 'admin', role: 'organization_admin' } as const;

@ApiTags('LTI')
@Controller('api/v1/organizations/:slug/lti/platforms')
export class PlatformsController {
  constructor(
    private readonly platforms: Platforms,
    private readonly addresses: ToolAddresses,
  ) {}

  @Get()
  @Access({ ...ADMINISTRATORS, summary: 'Learning platforms of the organization' })
  list(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Query() page: PageQueryDto,
    @Req() request: BellwetherRequest,
  ): Promise<PlatformPageDto> {
    return this.platforms.list(this.requestOf(caller, slug, request), toPageRequest(page));
  }

  @Post()
  @TagsVersion()
  @Idempotent()
  @Access({
    ...ADMINISTRATORS,
    summary: 'Add a learning platform',
    description: 'LTI 1.3: launches with this issuer and client id lead to the organization.',
  })
  create(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Body() body: CreatePlatformDto,
    @Req() request: BellwetherRequest,
  ): Promise<PlatformDto> {
    return this.platforms.create(this.requestOf(caller, slug, request), body);
  }

  @Get(':id')
  @TagsVersion()
  @Access({ ...ADMINISTRATORS, summary: 'Read a learning platform' })
  get(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('id') id: string,
    @Req() request: BellwetherRequest,
  ): Promise<PlatformDto> {
    return this.platforms.get(this.requestOf(caller, slug, request), id);
  }

  @Patch(':id')
  @TagsVersion()
  @ReadsIfMatch('demanded')
  @Access({ ...ADMINISTRATORS, summary: 'Change a learning platform', description: 'Absent members stay.' })
  update(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('id') id: string,
    @Body() body: UpdatePlatformDto,
    @IfMatch('demanded') expected: number | null,
    @Req() request: BellwetherRequest,
  ): Promise<PlatformDto> {
    return this.platforms.update(this.requestOf(caller, slug, request), id, body, expected);
  }

  @Delete(':id')
  @HttpCode(204)
  @ReadsIfMatch('welcome')
  @Access({
    ...ADMINISTRATORS,
    summary: 'Remove a learning platform',
    description: 'Removes its courses and activities. Accounts and conversations stay.',
  })
  @ApiNoContentResponse()
  async remove(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('id') id: string,
    @IfMatch('welcome') expected: number | null,
    @Req() request: BellwetherRequest,
  ): Promise<void> {
    await this.platforms.remove(this.requestOf(caller, slug, request), id, expected);
  }

  private requestOf(caller: Caller, slug: string, request: BellwetherRequest): PlatformRequest {
    return { caller, slug, origin: this.addresses.originOf(request) };
  }
}
