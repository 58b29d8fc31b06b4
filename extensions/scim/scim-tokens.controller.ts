import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { CreateScimTokenDto, NewScimTokenDto, ScimTokens, ScimTokensDto, SessionCookie } from '../../src/auth';
import { Access, CurrentCaller } from '../../src/infrastructure/http';

@ApiTags('Organizations')
@Controller('api/v1/organizations/:slug/scim/tokens')
export class ScimTokensController {
  constructor(
    private readonly tokens: ScimTokens,
    private readonly cookie: SessionCookie,
  ) {}

  @Get()
  @Access({
    scope: 'admin',
    role: 'organization_admin',
    summary: 'List the SCIM tokens of an organization',
    description: 'For owners. Tokens themselves are never answered.',
  })
  async list(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Req() { protocol, headers }: Request,
  ): Promise<ScimTokensDto> {
    const origin = this.cookie.own.publicOrigin ?? `${protocol}://${headers.host ?? ''}`;
    return { base_url: `${origin}/scim/v2`, tokens: await this.tokens.list(caller, slug) };
  }

  @Post()
  @Access({
    scope: 'admin',
    role: 'organization_admin',
    summary: 'Make a SCIM token',
    description: 'For owners. The token is shown once. It opens SCIM for this organization and nothing else.',
  })
  create(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Body() body: CreateScimTokenDto,
  ): Promise<NewScimTokenDto> {
    return this.tokens.create(caller, slug, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @Access({
    scope: 'admin',
    role: 'organization_admin',
    summary: 'Revoke a SCIM token',
    description: 'For owners. People and groups that came through it stay.',
  })
  @ApiNoContentResponse()
  async remove(@CurrentCaller() caller: Caller, @Param('slug') slug: string, @Param('id') id: string): Promise<void> {
    await this.tokens.remove(caller, slug, id);
  }
}
