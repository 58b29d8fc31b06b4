import { AppError, type Caller, type Role, ROLES, type Scope, SCOPES } from '@bellwether/kernel';
import type { RequiredRole } from '../../infrastructure/http';
import { assertAllowed } from './authenticator';

const caller = (role: Role, scopes: readonly Scope[], systemAdmin = false): Caller => ({
  kind: 'api_key',
  credentialId: 'c',
  organizationId: 'o',
  organizationSlug: 'o',
  userId: 'u',
  role,
  systemAdmin,
  scopes,
  assistantIds: null,
});

const allows = (who: Caller, scope: Scope, role?: RequiredRole): boolean => {
  try {
    assertAllowed({ public: false, scope, summary: '', ...(role === undefined ? {} : { role }) }, who);
    return true;
  } catch {
    return false;
  }
};

describe('assertAllowed', () => {
  it('denies a route that declares nothing, even to a system administrator', () =>
    expect(() => assertAllowed(undefined, caller('owner', SCOPES, true))).toThrow(
      expect.objectContaining({ code: 'forbidden' }),
    ));

  it('lets a credential do exactly what its scopes name, whatever its role', () => {
    for (const held of SCOPES) {
      for (const needed of SCOPES) expect(allows(caller('owner', [held]), needed)).toBe(held === needed);
    }
  });

  const least: [RequiredRole, Role[]][] = [
    ['member', ['owner', 'admin', 'teacher', 'member']],
    ['teacher', ['owner', 'admin', 'teacher']],
    ['organization_admin', ['owner', 'admin']],
    ['system_admin', []],
  ];
  it.each(least)('needs a role of at least %s', (needed, holders) => {
    for (const role of ROLES) expect(allows(caller(role, SCOPES), 'read', needed)).toBe(holders.includes(role));
    expect(allows(caller('member', SCOPES, true), 'read', needed)).toBe(true);
  });

  it('takes no administrator for one whose credential lacks the scope admin', () =>
    expect(allows(caller('owner', ['read', 'write']), 'read', 'organization_admin')).toBe(false));

  const decided = (rule: object, who: Caller): unknown => {
    try {
      assertAllowed({ public: false, scope: 'read', summary: '', ...rule } as never, who);
      return 'open';
    } catch (error) {
      return error instanceof AppError ? (error.reason ?? error.code) : error;
    }
  };
  const bound = (who: Caller): Caller => ({ ...who, assistantIds: [7] });

  it.each<[string, object, Caller, string]>([
    ['a public route to anybody', { public: true }, caller('member', []), 'open'],
    ['either of two scopes by the first', { or: 'chat' }, caller('member', ['read']), 'open'],
    ['either of two scopes by the second', { or: 'chat' }, caller('member', ['chat']), 'open'],
    ['either of two scopes by neither', { or: 'chat' }, caller('owner', ['write', 'admin']), 'scope.needed'],
    ['one scope by another', {}, caller('owner', ['chat']), 'scope.needed'],
    ['a role to a lower one', { role: 'teacher' }, caller('member', ['read']), 'role.needed'],
    ['an administrator’s route to a key', { scope: 'admin' }, caller('owner', ['admin']), 'open'],
    ['a reader’s route to a key for one assistant', {}, bound(caller('owner', ['read'])), 'open'],
  ])('opens %s, or says what is missing', (_, rule, who, expected) => expect(decided(rule, who)).toBe(expected));

  it('opens no administrator’s route to a key that is bound to assistants', () => {
    expect(decided({ scope: 'admin' }, bound(caller('owner', SCOPES, true)))).not.toBe('open');
  });
});
