import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CreateScimTokenDto, NewScimTokenDto, ScimTokens, ScimTokensDto } from '../../src/auth';
import { InOrganization, type OrganizationRequest } from '../../src/organizations';
import { ADMINISTRATORS, Access } from '../../src/infrastructure/http';

@ApiTags('Organizations')
@Controller('api/v1/organizations/:slug/scim/tokens')
export class ScimTokensController {
  constructor(private readonly tokens: ScimTokens) {}

  @Get()
  @Access({
    ...ADMINISTRATORS,
    summary: 'List the SCIM tokens of an organization',
    description: 'For owners. Tokens themselves are never answered.',
  })
  async list(@InOrganization() at: OrganizationRequest): Promise<ScimTokensDto> {
    return { base_url: `${at.origin}/scim/v2`, tokens: await this.tokens.list(at) };
  }

  @Post()
  @Access({
    ...ADMINISTRATORS,
    summary: 'Make a SCIM token',
    description: 'For owners. The token is shown once. It opens SCIM for this organization and nothing else.',
  })
  create(@InOrganization() at: OrganizationRequest, @Body() body: CreateScimTokenDto): Promise<NewScimTokenDto> {
    return this.tokens.create(at, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @Access({
    ...ADMINISTRATORS,
    summary: 'Revoke a SCIM token',
    description: 'For owners. People and groups that came through it stay.',
  })
  async remove(@InOrganization() at: OrganizationRequest, @Param('id') id: string): Promise<void> {
    await this.tokens.remove(at, id);
  }
}
