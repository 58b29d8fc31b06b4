import type { Me } from '$lib/app/session/session.svelte';

export type Scope = Me['scopes'][number];
export type Role = Me['role'];

export const SCOPES: readonly Scope[] = ['chat', 'read', 'write', 'admin', 'act_as'];
export const ROLES: readonly Role[] = ['member', 'teacher', 'admin', 'owner'];

const isAdministrator = (me: Me): boolean =>
  me.scopes.includes('admin') && (me.system_admin || me.role === 'owner' || me.role === 'admin');

/** Scopes that somebody may give to a key: their own, and to speak for others where they administer them. */
export const grantable = (me: Me): readonly Scope[] =>
  SCOPES.filter((scope) => me.scopes.includes(scope) || (scope === 'act_as' && isAdministrator(me)));

/** Roles that somebody may give: none above their own. */
export const grantableRoles = (me: Me): readonly Role[] =>
  me.system_admin ? ROLES : ROLES.slice(0, ROLES.indexOf(me.role) + 1);

/** The end of the day that a date field names, by the reader's clock; undefined without one. */
export const endOfDay = (date: string): string | undefined =>
  date === '' ? undefined : new Date(`${date}T23:59:59`).toISOString();
