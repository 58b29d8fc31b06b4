import type { Caller } from '@bellwether/kernel';
import { AssistantIdPipe } from './assistant-id.pipe';
import {
  accessLevel as levelOf,
  disclosureTo,
  mayAdminister,
  mayConfigure,
  withoutAdminRights,
} from './assistant.permissions';

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

describe('a credential that is bound to published assistants', () => {
  const bound = { publishedOnly: true } as const;
  it.each<[string, Partial<Caller>]>([
    ['a member', {}],
    ['the owner', { userId: 'owner' }],
    ['an administrator', { role: 'admin', scopes: ['admin', 'read'] }],
  ])('of %s uses those and sees no other', (_, who) => {
    expect(accessLevel(caller({ ...who, ...bound }), { ...ASSISTANT, published: true }, 'edit')).toBe('use');
    expect(accessLevel(caller({ ...who, ...bound }), ASSISTANT, 'edit', true)).toBeNull();
  });
});

describe('what an access allows', () => {
  it.each([
    ['owner', true, true],
    ['edit', true, false],
    ['use', false, false],
  ] as const)('%s: to configure %s, to administer %s', (access, configures, administers) => {
    expect(mayConfigure(access)).toBe(configures);
    expect(mayAdminister(caller(), access)).toBe(administers);
  });

  it('without the rights of an administrator is that of the other scopes', () => {
    expect(withoutAdminRights(caller({ scopes: ['read', 'admin', 'chat'] })).scopes).toEqual(['read', 'chat']);
  });
});

describe('an id in an address', () => {
  const pipe = new AssistantIdPipe();
  it.each([
    ['1', 1],
    ['42', 42],
    ['2147483647', 2_147_483_647],
  ])('%s names an assistant', (text, id) => expect(pipe.transform(text)).toBe(id));
  it.each(['0', '01', '-1', '1.5', '1e3', ' 1', '1 ', 'x1', '1x', '', '2147483648', '12345678901'])(
    '%j names none, as a missing one',
    (text) => expect(() => pipe.transform(text)).toThrow(expect.objectContaining({ code: 'not_found' })),
  );
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
