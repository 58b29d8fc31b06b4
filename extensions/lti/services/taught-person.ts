import type { Caller } from '@bellwether/kernel';
import { assertScope } from '../../../src/auth';

/** @throws {AppError} `forbidden` for a key that may not write */
export function assertChanges(caller: Caller): void {
  if (caller.activityIds === undefined) assertScope(caller, 'write');
}

/** The teacher behind a launch, with the rights of the account: the session of a launch reaches fewer assistants. */
export function personOf({ publishedOnly: _publishedOnly, activityIds: _activityIds, ...caller }: Caller): Caller {
  return { ...caller, scopes: ['chat', 'read', 'write'], assistantIds: null };
}
