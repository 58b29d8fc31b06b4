import type { Role, Scope } from '@bellwether/kernel';

const BASE: readonly Scope[] = ['chat', 'read', 'write'];

/** Scopes of a signed-in person: those of the role, as no key narrows them. */
export const scopesOf = (role: Role): readonly Scope[] =>
  role === 'owner' || role === 'admin' ? [...BASE, 'admin'] : BASE;
