import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiTags } from '@nestjs/swagger';
import { ADMINISTRATORS, Access } from '../../infrastructure/http';
import { InvitableMembers } from './invitable-members.service';
import { InviteDto, SignInLinkDto } from './invitation.dto';
import { Invitations } from './invitations.service';
import { InOrganization, type OrganizationRequest } from '../../organizations';
import { SignInLinksOfMembers } from './sign-in-links-of-members.service';

const MEMBER = '`member` is a user id or an e-mail address. Nobody lets a member in who has a higher role.';

@ApiTags('Organizations')
@Controller('api/v1/organizations/:slug/members/:member')
export class InvitationsController {
  constructor(
    private readonly invitable: InvitableMembers,
    private readonly links: SignInLinksOfMembers,
    private readonly invitations: Invitations,
  ) {}

  @Post('sign-in-link')
  @Access({
    ...ADMINISTRATORS,
    summary: 'Make a sign-in link for a member',
    description: `The link works once, for three days, and ends the earlier ones of the member. ${MEMBER}`,
  })
  async link(@InOrganization() at: OrganizationRequest, @Param('member') member: string): Promise<SignInLinkDto> {
    return this.links.make(at.caller, await this.invitable.find(at, member));
  }

  @Post('invitation')
  @HttpCode(202)
  @Access({
    ...ADMINISTRATORS,
    summary: 'Send a member an invitation by e-mail',
    description: `The e-mail holds a sign-in link. The list of members tells whether it was sent. ${MEMBER}`,
  })
  @ApiAcceptedResponse({ description: 'The e-mail will be sent' })
  async invite(
    @InOrganization() at: OrganizationRequest,
    @Param('member') member: string,
    @Body() { language = 'en' }: InviteDto,
  ): Promise<void> {
    await this.invitations.send(at.caller, await this.invitable.find(at, member), language);
  }
}
