import {
  AppError,
  assertUnrestricted,
  type Caller,
  isOrganizationAdmin,
  isTeacher,
  type Scope,
} from '@bellwether/kernel';
import type { AccessRule, RequiredRole } from '../../infrastructure/http';

const HOLDS: Readonly<Record<RequiredRole, (caller: Caller) => boolean>> = {
  member: () => true,
  teacher: isTeacher,
  organization_admin: isOrganizationAdmin,
  system_admin: (caller) => caller.systemAdmin,
};

/** @throws {AppError} `forbidden` */
export function assertScope(caller: Caller, scope: Scope): void {
  if (!caller.scopes.includes(scope))
    throw new AppError('forbidden', `The credential lacks the scope ${scope}`, { reason: 'scope.needed' });
}

/** Decides by the declaration of the route alone; services decide about objects. @throws {AppError} `forbidden` */
export function assertAllowed(rule: AccessRule | undefined, caller: Caller): void {
  if (rule === undefined) throw new AppError('forbidden', 'This route is not open to anyone');
  if (rule.public) return;
  if (rule.or === undefined || !caller.scopes.includes(rule.or)) assertScope(caller, rule.scope);
  if (rule.scope === 'admin') assertUnrestricted(caller);
  const role = rule.role ?? 'member';
  if (!HOLDS[role](caller))
    throw new AppError('forbidden', `This needs the role ${role} or higher`, { reason: 'role.needed' });
}
