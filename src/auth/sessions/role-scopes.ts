import type { Role, Scope } from '../../kernel';

const BASE: readonly Scope[] = ['chat', 'read', 'write'];

/** What a person may do who signed in as themselves, without a key that narrows it. */
export const scopesOf = (role: Role): readonly Scope[] =>
  role === 'owner' || role === 'admin' ? [...BASE, 'admin'] : BASE;
