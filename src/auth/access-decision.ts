import { AppError, type Caller, isOrganizationAdmin, isTeacher } from '../kernel';
import type { AccessRule, RequiredRole } from '../platform/http';

const HOLDS: Readonly<Record<RequiredRole, (caller: Caller) => boolean>> = {
  member: () => true,
  teacher: isTeacher,
  organization_admin: isOrganizationAdmin,
  system_admin: (caller) => caller.systemAdmin,
};

/**
 * Decides one call from the route's declaration alone; what the call may touch is decided where it is touched.
 * @throws {AppError} `forbidden`
 */
export function assertAllowed(rule: AccessRule | undefined, caller: Caller): void {
  if (rule === undefined) throw new AppError('forbidden', 'This route is not open to anyone');
  if (rule.public) return;
  if (!caller.scopes.includes(rule.scope)) {
    throw new AppError('forbidden', `The credential lacks the scope ${rule.scope}`);
  }
  const role = rule.role ?? 'member';
  if (!HOLDS[role](caller)) throw new AppError('forbidden', `This needs the role ${role} or higher`);
}
