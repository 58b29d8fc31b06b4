import type { Assistant } from '$lib/app/catalogues/assistant';
import type { Me } from '$lib/app/session/session.svelte';

/** Actions that the reader may take on an assistant; the service decides again. */
export interface Rights {
  /** Sees prompts and changes the definition. */
  readonly edit: boolean;
  /** Shares, publishes and deletes. */
  readonly administer: boolean;
  /** Makes assistants of their own. */
  readonly create: boolean;
  readonly chat: boolean;
}

/** The properties of a dialog on one assistant. */
export interface ActionProps {
  assistant: Assistant;
  open: boolean;
  /** The assistant after a change, or null when it was deleted. */
  onchange: (assistant: Assistant | null) => void;
}

export function rightsOf({ access, disabled }: Pick<Assistant, 'access' | 'disabled'>, me: Me | null): Rights {
  const mayWrite = me !== null && me.scopes.includes('write');
  const isAdmin = me !== null && (me.system_admin || me.role === 'owner' || me.role === 'admin');
  return {
    edit: mayWrite && access !== 'use',
    administer: mayWrite && (access === 'owner' || isAdmin),
    create: mayWrite && (isAdmin || me.role === 'teacher'),
    chat: me !== null && me.scopes.includes('chat') && !disabled,
  };
}
