import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Caller } from '../kernel';
import { Access, CurrentCaller } from '../platform/http';
import { MembersService, OrganizationsService } from '../organizations';
import { MeDto } from './api-key-answer.dto';
import { unauthenticated } from './credential';

@ApiTags('API keys')
@Controller('api/v1/me')
export class MeController {
  constructor(
    private readonly members: MembersService,
    private readonly organizations: OrganizationsService,
  ) {}

  @Get()
  @Access({ scope: 'read', summary: 'Who am I?' })
  @ApiOkResponse({ type: MeDto })
  async me(@CurrentCaller() caller: Caller): Promise<MeDto> {
    const [member, organization] = await Promise.all([
      this.members.find(caller.organizationId, caller.userId),
      this.organizations.runtime(caller.organizationId),
    ]);
    if (member === null) throw unauthenticated();
    const { id, slug, name, features } = organization;
    return {
      user: { id: member.userId, email: member.email, name: member.name },
      organization: { id, slug, name, features },
      role: member.role,
      system_admin: caller.systemAdmin,
      credential: { kind: caller.kind, id: caller.credentialId },
      scopes: [...caller.scopes],
      assistant_ids: caller.assistantIds === null ? null : [...caller.assistantIds],
    };
  }
}
