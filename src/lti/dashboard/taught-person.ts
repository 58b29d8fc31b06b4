import { assertScope } from '../../auth';
import { assertUnrestricted, type Caller } from '../../kernel';

/** A launch teaches its course. Another credential keeps its bounds. @throws {AppError} `forbidden` for a restricted key */
export function assertTeaches(caller: Caller): void {
  if (caller.activityIds === undefined) assertUnrestricted(caller);
}

/** @throws {AppError} `forbidden` for a key that may not write */
export function assertChanges(caller: Caller): void {
  if (caller.activityIds === undefined) assertScope(caller, 'write');
}

/** The teacher behind a launch, with the rights of the account: the session of a launch reaches fewer assistants. */
export function personOf({ publishedOnly: _publishedOnly, activityIds: _activityIds, ...caller }: Caller): Caller {
  return { ...caller, scopes: ['chat', 'read', 'write'], assistantIds: null };
}
