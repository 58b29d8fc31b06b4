import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Mailer } from '../../infrastructure/mail';
import { ADMINISTRATORS, Access, PageQueryDto, toPageRequest } from '../../infrastructure/http';
import { Idempotent } from '../../infrastructure/idempotency';
import { MembersService } from './members.service';
import { MemberDto, MemberPageDto } from '../organization-answer.dto';
import { CreateMemberDto, UpdateMemberDto } from '../organization/organization.dto';
import { InOrganization, type OrganizationRequest } from '../organization/in-organization.decorator';
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
  @Access({ ...ADMINISTRATORS, summary: 'List members' })
  async list(@InOrganization() at: OrganizationRequest, @Query() page: PageQueryDto): Promise<MemberPageDto> {
    const { organizationId } = at;
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
  @Access({ ...ADMINISTRATORS, summary: 'Add a member' })
  async add(@InOrganization() at: OrganizationRequest, @Body() body: CreateMemberDto): Promise<MemberDto> {
    return this.members.add(at.caller, at.organizationId, body);
  }

  @Patch(':member')
  @Access({
    ...ADMINISTRATORS,
    summary: 'Change address, name, role or state of a member',
    description: '`member` is a user id or an e-mail address. The last owner stays owner.',
  })
  async update(
    @InOrganization() at: OrganizationRequest,
    @Param('member') member: string,
    @Body() body: UpdateMemberDto,
  ): Promise<MemberDto> {
    return this.members.update(at.caller, at.organizationId, member, body);
  }

  @Delete(':member')
  @HttpCode(204)
  @Access({ ...ADMINISTRATORS, summary: 'Remove a member and their keys' })
  async remove(@InOrganization() at: OrganizationRequest, @Param('member') member: string): Promise<void> {
    await this.members.remove(at.caller, at.organizationId, member);
  }
}
