/** The makers of a group: people here, or a directory over SCIM. */
export const GROUP_SOURCES = ['manual', 'scim'] as const;
export type GroupSource = (typeof GROUP_SOURCES)[number];

/** The origins of a membership: people here, the claims of a sign-in, or a directory over SCIM. */
export const MEMBERSHIP_SOURCES = ['manual', 'sso', 'scim'] as const;
export type MembershipSource = (typeof MEMBERSHIP_SOURCES)[number];

/** SQL for conditions on shares with groups: the columns `organization_id`, `group_id` and `user_id`. */
export const GROUP_MEMBERSHIPS = '(SELECT organization_id, group_id, user_id FROM group_members)';

/** The property of a group that values of a claim name. */
export const GROUP_MATCHES = ['external_id', 'name'] as const;
export type GroupMatch = (typeof GROUP_MATCHES)[number];

export const groupNameKey = (name: string): string => name.normalize('NFKC').toLowerCase();
