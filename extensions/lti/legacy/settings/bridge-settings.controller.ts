import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  Access,
  type BellwetherRequest,
  CurrentCaller,
  IfMatch,
  PageQueryDto,
  TagsVersion,
  toPageRequest,
} from '../../../../src/infrastructure/http';
import { Idempotent } from '../../../../src/infrastructure/idempotency';
import { ToolAddresses } from '../../platforms/platforms.service';
import { BridgeDto, UpdateBridgeDto } from './bridge.dto';
import { BridgeKeyDto, BridgeKeyPageDto, CreateBridgeKeyDto, UpdateBridgeKeyDto } from './bridge-key.dto';
import { BridgeKeys } from './bridge-keys.service';
import { BridgeSettings } from './bridge-settings.service';

const ADMINISTRATORS = { scope: 'admin', role: 'organization_admin' } as const;

@ApiTags('LTI')
@Controller('api/v1/organizations/:slug/lti/bridge')
export class BridgeSettingsController {
  constructor(
    private readonly settings: BridgeSettings,
    private readonly keys: BridgeKeys,
    private readonly addresses: ToolAddresses,
  ) {}

  @Get()
  @TagsVersion()
  @Access({ ...ADMINISTRATORS, summary: 'LTI 1.1 of the organization' })
  get(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Req() request: BellwetherRequest,
  ): Promise<BridgeDto> {
    return this.settings.get({ caller, slug, origin: this.addresses.originOf(request) });
  }

  @Patch()
  @TagsVersion()
  @Access({
    ...ADMINISTRATORS,
    summary: 'Accept LTI 1.1 until a date',
    description:
      'For links that come from LAMB, until the course platform uses LTI 1.3. Absent members stay. Secrets are never shown again.',
  })
  update(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Body() body: UpdateBridgeDto,
    @IfMatch('welcome') expected: number | null,
    @Req() request: BellwetherRequest,
  ): Promise<BridgeDto> {
    return this.settings.update({ caller, slug, origin: this.addresses.originOf(request) }, body, expected);
  }

  @Get('keys')
  @Access({ ...ADMINISTRATORS, summary: 'Consumer keys of LTI 1.1, the oldest first' })
  list(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Query() page: PageQueryDto,
  ): Promise<BridgeKeyPageDto> {
    return this.keys.list({ caller, slug }, toPageRequest(page));
  }

  @Post('keys')
  @Idempotent()
  @Access({ ...ADMINISTRATORS, summary: 'Add a consumer key of LTI 1.1' })
  create(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Body() body: CreateBridgeKeyDto,
  ): Promise<BridgeKeyDto> {
    return this.keys.create({ caller, slug }, body);
  }

  @Patch('keys/:id')
  @Access({ ...ADMINISTRATORS, summary: 'Change the secret of a consumer key' })
  change(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('id') id: string,
    @Body() body: UpdateBridgeKeyDto,
  ): Promise<BridgeKeyDto> {
    return this.keys.update({ caller, slug }, id, body);
  }

  @Delete('keys/:id')
  @HttpCode(204)
  @Access({ ...ADMINISTRATORS, summary: 'Remove a consumer key', description: 'Its people and activities stay.' })
  async remove(@CurrentCaller() caller: Caller, @Param('slug') slug: string, @Param('id') id: string): Promise<void> {
    await this.keys.remove({ caller, slug }, id);
  }
}
