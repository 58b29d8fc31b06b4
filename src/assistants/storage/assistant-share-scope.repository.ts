import { type EntityManager, In } from 'typeorm';
import type { Transaction } from '../../infrastructure/database';
import { GROUP_MEMBERSHIPS } from '../../organizations';
import { AssistantGroupShareEntity, AssistantShareEntity } from './assistant-share.entity';

export type PersonShare = Pick<AssistantShareEntity, 'assistantId' | 'userId' | 'access'>;
export type GroupShare = Pick<AssistantGroupShareEntity, 'assistantId' | 'groupId' | 'access'>;

/** The right of one person to one assistant, by their own share or that of a group. */
export interface ShareGrant extends PersonShare {
  /** A share counts in the organization of its assistant only. */
  readonly organizationId: string;
}

const GRANTS = `
  SELECT assistant_id AS "assistantId", user_id AS "userId", organization_id AS "organizationId", access
  FROM assistant_shares WHERE assistant_id = ANY ($1::int[]) AND user_id = ANY ($2::uuid[])
  UNION
  SELECT share.assistant_id, membership.user_id, share.organization_id, share.access
  FROM assistant_group_shares share JOIN ${GROUP_MEMBERSHIPS} membership
    ON membership.group_id = share.group_id AND membership.organization_id = share.organization_id
  WHERE share.assistant_id = ANY ($1::int[]) AND membership.user_id = ANY ($2::uuid[])`;

const sharedWithViewer = (further: string): string => `
  SELECT share.assistant_id FROM assistant_shares share
  WHERE share.organization_id = :organization AND share.user_id = :viewer ${further}
  UNION ALL
  SELECT share.assistant_id FROM assistant_group_shares share JOIN ${GROUP_MEMBERSHIPS} membership
    ON membership.group_id = share.group_id AND membership.organization_id = share.organization_id
  WHERE membership.organization_id = :organization AND membership.user_id = :viewer ${further}`;

/** SQL: assistants of the organization `:organization` that are shared with the person `:viewer`. */
export const SHARED_WITH_VIEWER = sharedWithViewer('');

/** SQL: those of them that the person may edit. */
export const EDITED_BY_VIEWER = sharedWithViewer(`AND share.access = 'edit'`);

export const EDITABLE = `
  SELECT id FROM assistants WHERE organization_id = $1 AND owner_id = $2 AND deleted_at IS NULL
  UNION
  SELECT id FROM assistants JOIN assistant_shares share ON share.assistant_id = id
  WHERE share.organization_id = $1 AND share.user_id = $2 AND share.access = 'edit' AND deleted_at IS NULL
  UNION
  SELECT id FROM assistants JOIN assistant_group_shares share ON share.assistant_id = id
  JOIN ${GROUP_MEMBERSHIPS} membership ON membership.group_id = share.group_id
  WHERE share.organization_id = $1 AND membership.organization_id = $1 AND membership.user_id = $2
    AND share.access = 'edit' AND deleted_at IS NULL`;

/** Shares of any organization. Only for decisions that check the organizations themselves. */
export const grantsTo = (
  manager: EntityManager,
  assistantIds: readonly number[],
  userIds: readonly string[],
): Promise<ShareGrant[]> => manager.query<ShareGrant[]>(GRANTS, [assistantIds, userIds]);

/** Shares of one organization's assistants. */
export class AssistantShareScope {
  constructor(
    private readonly manager: Transaction,
    private readonly organizationId: string,
  ) {}

  /** The person's strongest right by share, by assistant. */
  async rightsOf(userId: string, assistantIds: readonly number[]): Promise<ReadonlyMap<number, 'edit' | 'use'>> {
    if (assistantIds.length === 0) return new Map();
    const rights = new Map<number, 'edit' | 'use'>();
    for (const grant of await grantsTo(this.manager, assistantIds, [userId])) {
      if (grant.organizationId !== this.organizationId) continue;
      if (rights.get(grant.assistantId) !== 'edit') rights.set(grant.assistantId, grant.access);
    }
    return rights;
  }

  /** Oldest first. */
  people(assistantIds: readonly number[]): Promise<PersonShare[]> {
    if (assistantIds.length === 0) return Promise.resolve([]);
    return this.manager.getRepository(AssistantShareEntity).find({
      where: { organizationId: this.organizationId, assistantId: In([...assistantIds]) },
      order: { createdAt: 'ASC', userId: 'ASC' },
    });
  }

  /** Oldest first. */
  groups(assistantIds: readonly number[]): Promise<GroupShare[]> {
    if (assistantIds.length === 0) return Promise.resolve([]);
    return this.manager.getRepository(AssistantGroupShareEntity).find({
      where: { organizationId: this.organizationId, assistantId: In([...assistantIds]) },
      order: { createdAt: 'ASC', groupId: 'ASC' },
    });
  }

  async replacePeople(assistantId: number, shares: readonly Omit<PersonShare, 'assistantId'>[]): Promise<void> {
    const { organizationId } = this;
    const rows = this.manager.getRepository(AssistantShareEntity);
    await rows.delete({ organizationId, assistantId });
    if (shares.length === 0) return;
    await rows.insert(shares.map(({ userId, access }) => ({ organizationId, assistantId, userId, access })));
  }

  async replaceGroups(assistantId: number, shares: readonly Omit<GroupShare, 'assistantId'>[]): Promise<void> {
    const { organizationId } = this;
    const rows = this.manager.getRepository(AssistantGroupShareEntity);
    await rows.delete({ organizationId, assistantId });
    if (shares.length === 0) return;
    await rows.insert(shares.map(({ groupId, access }) => ({ organizationId, assistantId, groupId, access })));
  }
}
