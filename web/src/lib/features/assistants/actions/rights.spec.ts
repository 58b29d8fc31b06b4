import { describe, expect, it } from 'vitest';
import type { Me } from '$lib/app/session/session.svelte';
import { rightsOf } from './rights';

const me = (role: Me['role'], scopes: Me['scopes'] = ['chat', 'read', 'write'], system_admin = false): Me =>
  ({ role, scopes, system_admin }) as Me;

describe('what the reader may do', () => {
  it('a member chats with what is shared, and no more', () => {
    expect(rightsOf({ access: 'use', disabled: false }, me('member'))).toEqual({
      edit: false,
      administer: false,
      create: false,
      chat: true,
    });
  });

  it('a teacher edits what is shared for editing, and publishes only their own', () => {
    expect(rightsOf({ access: 'edit', disabled: false }, me('teacher'))).toMatchObject({
      edit: true,
      administer: false,
    });
    expect(rightsOf({ access: 'owner', disabled: false }, me('teacher'))).toMatchObject({ administer: true });
  });

  it('administrators publish and delete those of others', () => {
    expect(rightsOf({ access: 'edit', disabled: false }, me('admin')).administer).toBe(true);
    expect(rightsOf({ access: 'edit', disabled: false }, me('member', ['write'], true)).administer).toBe(true);
  });

  it('a session that may only read changes nothing; nobody chats with what is switched off', () => {
    const rights = rightsOf({ access: 'owner', disabled: true }, me('owner', ['read', 'chat']));
    expect(rights).toEqual({ edit: false, administer: false, create: false, chat: false });
  });
});
