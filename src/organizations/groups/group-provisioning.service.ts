import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../infrastructure/audit';
import type { Transaction } from '../../infrastructure/database';
import type { ProvisionedBy } from '../members/member-provisioning.service';
import { GroupMemberRepository } from './group-member.repository';
import { GroupRepository } from './group.repository';
import type { GroupMatch } from './group.types';

/** Memberships that follow the claims of a sign-in, inside its transaction. */
@Injectable()
export class GroupProvisioning {
  constructor(
    private readonly groups: GroupRepository,
    private readonly members: GroupMemberRepository,
    private readonly audit: AuditLog,
  ) {}

  /**
   * The person's memberships of the source `sso` become the groups that the values name. Others stay. Null matches
   * nothing. The last sign-in decides, as it does about the role.
   */
  async follow(
    { organizationId, source }: ProvisionedBy,
    userId: string,
    { values, match }: { readonly values: readonly string[]; readonly match: GroupMatch | null },
    tx: Transaction,
  ): Promise<void> {
    const members = this.members.within(organizationId, tx);
    const found = match === null ? [] : await this.groups.within(organizationId, tx).matching(match, values);
    const wanted = found.map(({ id }) => id);
    const before = await members.groupIds(userId, 'sso');
    const joined = wanted.filter((id) => !before.includes(id));
    const left = before.filter((id) => !wanted.includes(id));
    if (joined.length + left.length === 0) return;
    await members.leave(userId, left, 'sso');
    await members.add(joined.map((groupId) => ({ groupId, userId, source: 'sso' })));
    const target = { type: 'member', id: userId };
    const after = { joined, left, issuer: source };
    await this.audit.record({ caller: null, organizationId, action: 'member.groups', target, after }, tx);
  }
}
