import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, type Role, type Scope } from '../kernel';
import { Access, CurrentCaller } from '../platform/http';
import { type Features, MembersService, OrganizationsService } from '../organizations';
import { unauthenticated } from './credential';

/** Who the credential stands for and what it may do. */
export interface Me {
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  readonly organization: {
    readonly id: string;
    readonly slug: string;
    readonly name: string;
    readonly features: Features;
  };
  readonly role: Role;
  readonly system_admin: boolean;
  readonly credential: { readonly kind: Caller['kind']; readonly id: string | null };
  readonly scopes: readonly Scope[];
  readonly assistant_ids: readonly number[] | null;
}

@ApiTags('API keys')
@Controller('api/v1/me')
export class MeController {
  constructor(
    private readonly members: MembersService,
    private readonly organizations: OrganizationsService,
  ) {}

  @Get()
  @Access({ scope: 'read', summary: 'Who am I?' })
  async me(@CurrentCaller() caller: Caller): Promise<Me> {
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
      scopes: caller.scopes,
      assistant_ids: caller.assistantIds,
    };
  }
}
