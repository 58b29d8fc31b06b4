import { AppError, type Caller, isOrganizationAdmin, isTeacher } from '@bellwether/kernel';
import type { GroupEntity } from './group.entity';

type Group = Pick<GroupEntity, 'ownerId'>;

/** Administrators manage every group, teachers the groups that they made. */
export const mayManage = (caller: Caller, { ownerId }: Group): boolean =>
  isOrganizationAdmin(caller) || (isTeacher(caller) && ownerId === caller.userId);

/** Teachers see every group, because they share with groups. Others see the groups that they are in. */
export const seesAllGroups = (caller: Caller): boolean => isOrganizationAdmin(caller) || isTeacher(caller);

export function assertManages(caller: Caller, group: Group): void {
  if (!mayManage(caller, group)) {
    throw new AppError('forbidden', 'Only administrators and the teacher who made the group may do this', {
      reason: 'group.managers_only',
    });
  }
}
