import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, ForPeople } from '../../src/infrastructure/http';
import { Idempotent } from '../../src/infrastructure/idempotency';
import { InOrganization, type OrganizationRequest } from '../../src/organizations';
import { CreateJoinLinkDto, JoinLinkDto, JoinLinksDto } from './join-link.dto';
import { JoinLinks } from './join-links.service';

const TEACHERS = { scope: 'write', role: 'teacher' } as const;

@ApiTags('Join links')
@ForPeople()
@Controller('api/v1/organizations/:slug/join-links')
export class JoinLinksController {
  constructor(private readonly links: JoinLinks) {}

  @Get()
  @Access({
    ...TEACHERS,
    summary: 'List join links, the newest first',
    description: 'Administrators see all, teachers their own. Revoked links are not listed.',
  })
  async list(@InOrganization('seen') at: OrganizationRequest): Promise<JoinLinksDto> {
    return { items: await this.links.list(at) };
  }

  @Post()
  @Idempotent()
  @Access({
    ...TEACHERS,
    summary: 'Make a link and a code by which a class joins',
    description:
      'Whoever opens the link gives a name and is a member, signed in, at once. A teacher names assistants that they may ' +
      'edit and groups that they made. Refused with `feature_disabled` where people sign in through their institution only.',
  })
  create(@InOrganization('seen') at: OrganizationRequest, @Body() body: CreateJoinLinkDto): Promise<JoinLinkDto> {
    return this.links.create(at, body);
  }

  @Get(':id')
  @Access({ ...TEACHERS, summary: 'Read a join link' })
  get(@InOrganization('seen') at: OrganizationRequest, @Param('id') id: string): Promise<JoinLinkDto> {
    return this.links.get(at, id);
  }

  @Delete(':id')
  @HttpCode(204)
  @Access({ ...TEACHERS, summary: 'Revoke a join link', description: 'The people who joined stay members.' })
  async revoke(@InOrganization('seen') at: OrganizationRequest, @Param('id') id: string): Promise<void> {
    await this.links.revoke(at, id);
  }
}
