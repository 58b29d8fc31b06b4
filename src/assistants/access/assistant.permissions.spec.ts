import type { Caller } from '../../kernel';
import { accessLevel as levelOf, disclosureTo, mayAdminister, withoutAdminRights } from './assistant.permissions';

type Target = Parameters<typeof levelOf>[1];
const accessLevel = (who: Caller, target: Target, share?: 'edit' | 'use', membersUseAll = false) =>
  levelOf(who, target, { share, membersUseAll });
const ASSISTANT = { id: 7, organizationId: 'org', ownerId: 'owner', published: false };
const caller = (overrides: Partial<Caller> = {}): Caller => ({
  kind: 'api_key',
  credentialId: 'key',
  organizationId: 'org',
  organizationSlug: 'org',
  userId: 'someone',
  role: 'teacher',
  systemAdmin: false,
  scopes: ['read', 'write', 'chat'],
  assistantIds: null,
  ...overrides,
});

describe('access to an assistant', () => {
  it('belongs to its owner', () => {
    expect(accessLevel(caller({ userId: 'owner' }), ASSISTANT, undefined)).toBe('owner');
  });

  it('is hidden from other members while it is private', () => {
    expect(accessLevel(caller(), ASSISTANT, undefined)).toBeNull();
  });

  it('follows the share, and a publication lets every member use it', () => {
    expect(accessLevel(caller(), ASSISTANT, 'use')).toBe('use');
    expect(accessLevel(caller(), ASSISTANT, 'edit')).toBe('edit');
    expect(accessLevel(caller({ role: 'member' }), { ...ASSISTANT, published: true }, undefined)).toBe('use');
  });

  it("is every teacher's to use where the organization says so, and no more than that", () => {
    expect(accessLevel(caller({ role: 'teacher' }), ASSISTANT, undefined, true)).toBe('use');
    expect(accessLevel(caller({ role: 'member' }), ASSISTANT, undefined, true)).toBeNull();
    expect(accessLevel(caller({ role: 'member' }), { ...ASSISTANT, published: true }, undefined, true)).toBe('use');
    expect(accessLevel(caller({ role: 'member' }), ASSISTANT, 'use', true)).toBe('use');
    expect(accessLevel(caller({ mayNameEndUser: 'anywhere' }), ASSISTANT, undefined, true)).toBeNull();
    expect(accessLevel(caller(), ASSISTANT, 'edit', true)).toBe('edit');
    expect(accessLevel(caller({ organizationId: 'other' }), ASSISTANT, undefined, true)).toBeNull();
    expect(accessLevel(caller({ assistantIds: [8] }), ASSISTANT, undefined, true)).toBeNull();
  });

  it('lets an administrator edit, and only with a key that carries the scope', () => {
    const admin = caller({ role: 'admin', scopes: ['admin', 'read'] });
    expect(accessLevel(admin, ASSISTANT, undefined)).toBe('edit');
    expect(mayAdminister(admin, 'edit')).toBe(true);
    expect(accessLevel(caller({ role: 'admin' }), ASSISTANT, undefined)).toBeNull();
    expect(mayAdminister(caller({ role: 'admin' }), 'edit')).toBe(false);
  });

  it.each([
    ['owner', { userId: 'owner' }],
    ['published', {}],
    ['system administrator', { systemAdmin: true, scopes: ['admin'] as const }],
  ])('stops at the organization: %s', (_, overrides) => {
    const foreign = caller({ ...overrides, organizationId: 'other' });
    expect(accessLevel(foreign, { ...ASSISTANT, published: true }, 'edit')).toBeNull();
  });

  it('stops at the list of assistants that a credential is bound to', () => {
    const bound = caller({ userId: 'owner', assistantIds: [8] });
    expect(accessLevel(bound, ASSISTANT, undefined)).toBeNull();
    expect(accessLevel({ ...bound, assistantIds: [7] }, ASSISTANT, undefined)).toBe('owner');
  });
});

describe('what is shown of prompts and reports', () => {
  const ADMIN = { role: 'admin', scopes: ['admin', 'read', 'chat'] } as const;
  const END_USER = { source: 'metadata.email', id: 'student@example.edu' } as const;

  it.each<[string, Partial<Caller>, 'edit' | 'use' | undefined, string]>([
    ['the owner', { userId: 'owner' }, undefined, 'whole'],
    ['an editor', {}, 'edit', 'whole'],
    ['an administrator who edits it', ADMIN, 'edit', 'whole'],
    ['an administrator who owns it', { ...ADMIN, userId: 'owner' }, undefined, 'whole'],
    ['an administrator who is only that', ADMIN, undefined, 'previews'],
    ['an administrator who may use it', ADMIN, 'use', 'previews'],
    ['a system administrator', { systemAdmin: true, scopes: ['admin', 'read'] }, undefined, 'previews'],
    ['somebody who may use it', {}, 'use', 'none'],
    ['a key of the owner without `read`', { userId: 'owner', scopes: ['chat'] }, undefined, 'none'],
    ['a key of an administrator without `read`', { ...ADMIN, scopes: ['admin', 'chat'] }, undefined, 'none'],
    ['the gateway of the owner', { userId: 'owner', mayNameEndUser: 'anywhere' }, undefined, 'none'],
    ['a proxy before the owner', { userId: 'owner', mayNameEndUser: 'in_headers' }, undefined, 'none'],
    ['a student behind it', { userId: 'owner', mayNameEndUser: 'anywhere', endUser: END_USER }, undefined, 'none'],
    ['the gateway of an administrator', { ...ADMIN, mayNameEndUser: 'anywhere' }, undefined, 'none'],
  ])('to %s', (_, overrides, share, expected) => {
    const who = caller(overrides);
    expect(disclosureTo(who, accessLevel(withoutAdminRights(who), ASSISTANT, share))).toBe(expected);
  });
});
