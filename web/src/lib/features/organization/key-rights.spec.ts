import { describe, expect, it } from 'vitest';
import type { Me } from '$lib/app/session/session.svelte';
import { endOfDay, grantable, grantableRoles } from './key-rights';

const me = (role: Me['role'], scopes: Me['scopes'], system_admin = false): Me => ({ role, scopes, system_admin }) as Me;

describe('who may give what', () => {
  it('is never more than they have, but for speaking for others', () => {
    expect(grantable(me('teacher', ['chat', 'read', 'write']))).toEqual(['chat', 'read', 'write']);
    expect(grantable(me('admin', ['chat', 'read', 'write', 'admin']))).toContain('act_as');
    expect(grantable(me('admin', ['chat', 'read']))).toEqual(['chat', 'read']);
    expect(grantable(me('teacher', ['read', 'admin']))).toEqual(['read', 'admin']);
  });

  it('is a role up to their own', () => {
    expect(grantableRoles(me('admin', ['admin']))).toEqual(['member', 'teacher', 'admin']);
    expect(grantableRoles(me('owner', ['admin']))).toContain('owner');
    expect(grantableRoles(me('teacher', ['admin'], true))).toContain('owner');
  });

  it('ends with the day that was chosen', () => {
    expect(endOfDay('')).toBeUndefined();
    expect(new Date(endOfDay('2030-05-04') ?? '').getDate()).toBe(4);
  });
});
