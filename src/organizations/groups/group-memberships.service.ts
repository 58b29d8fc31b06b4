import { Injectable } from '@nestjs/common';
import { FreshCache } from '../../infrastructure/cache';
import { OrganizationChanges } from '../organization/organization-changes';
import { GroupMemberRepository } from './group-member.repository';

/** Age after which memberships are read again, should the signal of another replica get lost. */
const MAX_AGE_MS = 5_000;
const MAX_PEOPLE = 20_000;

interface KnownGroups {
  readonly organizationId: string;
  readonly ids: readonly string[];
}

/** The groups that a person is in. */
@Injectable()
export class GroupMemberships {
  private readonly known = new FreshCache<string, KnownGroups>({
    maxAge: MAX_AGE_MS,
    max: MAX_PEOPLE,
    load: (key) => this.load(key),
  });

  constructor(
    private readonly members: GroupMemberRepository,
    changes: OrganizationChanges,
  ) {
    changes.on((organizationId) => this.known.deleteWhere((each) => each.organizationId === organizationId));
  }

  /** Ids of the person's groups, at most 5 s old. A change of a group shows at once. */
  async idsOf(userId: string, organizationId: string): Promise<readonly string[]> {
    return (await this.known.get(`${organizationId}/${userId}`)).ids;
  }

  /** The same from fresh rows. */
  freshIdsOf(userId: string, organizationId: string): Promise<readonly string[]> {
    return this.members.within(organizationId).idsOf(userId);
  }

  private async load(key: string): Promise<KnownGroups> {
    const [organizationId = '', userId = ''] = key.split('/');
    return { organizationId, ids: await this.freshIdsOf(userId, organizationId) };
  }
}
