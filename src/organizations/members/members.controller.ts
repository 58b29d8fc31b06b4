import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Mailer } from '../../infrastructure/mail';
import { Access, CurrentCaller, PageQueryDto, toPageRequest } from '../../infrastructure/http';
import { Idempotent } from '../../infrastructure/idempotency';
import { MembersService } from './members.service';
import { MemberDto, MemberPageDto } from '../organization-answer.dto';
import { CreateMemberDto, UpdateMemberDto } from '../organization/organization.dto';
import { OrganizationsService } from '../organization/organizations.service';

@ApiTags('Organizations')
@Controller('api/v1/organizations/:slug/members')
export class MembersController {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly members: MembersService,
    private readonly mailer: Mailer,
  ) {}

  @Get()
  @Access({ scope: 'admin', role: 'organization_admin', summary: 'List members' })
  async list(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Query() page: PageQueryDto,
  ): Promise<MemberPageDto> {
    const organizationId = await this.organizations.administered(caller, slug);
    const [listed, { features }] = await Promise.all([
      this.members.list(organizationId, toPageRequest(page)),
      this.organizations.runtime(organizationId),
    ]);
    const byLink = features.local_sign_in;
    const invitations = { by_link: byLink, by_mail: byLink && this.mailer.isConfigured };
    return {
      ...listed,
      items: [...listed.items],
      next_cursor: listed.next_cursor,
      total: listed.total ?? 0,
      invitations,
    };
  }

  @Post()
  @Idempotent()
  @Access({ scope: 'admin', role: 'organization_admin', summary: 'Add a member' })
  async add(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Body() body: CreateMemberDto,
  ): Promise<MemberDto> {
    return this.members.add(caller, await this.organizations.administered(caller, slug), body);
  }

  @Patch(':member')
  @Access({
    scope: 'admin',
    role: 'organization_admin',
    summary: 'Change address, name, role or state of a member',
    description: '`member` is a user id or an e-mail address. The last owner stays owner.',
  })
  async update(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('member') member: string,
    @Body() body: UpdateMemberDto,
  ): Promise<MemberDto> {
    return this.members.update(caller, await this.organizations.administered(caller, slug), member, body);
  }

  @Delete(':member')
  @HttpCode(204)
  @Access({ scope: 'admin', role: 'organization_admin', summary: 'Remove a member and their keys' })
  async remove(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('member') member: string,
  ): Promise<void> {
    await this.members.remove(caller, await this.organizations.administered(caller, slug), member);
  }
}
