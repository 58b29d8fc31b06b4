import { Injectable } from '@nestjs/common';
import type { Caller } from '../../kernel';
import { MembersService, OrganizationsService } from '../../organizations';
import type { MeDto } from '../keys/api-key-answer.dto';
import { unauthenticated } from '../access/credential';
import { withinOrganization } from '../../infrastructure/database';

/** Facts about the caller. */
@Injectable()
export class Myself {
  constructor(
    private readonly members: MembersService,
    private readonly organizations: OrganizationsService,
  ) {}

  /** @throws {AppError} `unauthenticated` for a former member */
  of(caller: Caller): Promise<MeDto> {
    // At sign-in nobody was known when the request began.
    return withinOrganization(caller.organizationId, () => this.read(caller));
  }

  private async read(caller: Caller): Promise<MeDto> {
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
