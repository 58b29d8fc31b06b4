import type { Caller } from '../kernel';
import { accessLevel as levelOf, mayAdminister } from './assistant.permissions';

type Target = Parameters<typeof levelOf>[1];
const accessLevel = (who: Caller, target: Target, share?: 'edit' | 'use', members_can_use_all = false) =>
  levelOf(who, target, { share, members_can_use_all });
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

  it("is everybody's to use where the organization says so, and no more than that", () => {
    expect(accessLevel(caller({ role: 'member' }), ASSISTANT, undefined, true)).toBe('use');
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
