import { session } from '$lib/app/session/session.svelte';

/** Whether the reader may set issuers: owners their own, system administrators also those of all organizations. */
export const maySet = (issuer: { readonly for_all: boolean } | null): boolean => {
  const { me } = session;
  if (me === null || !session.isAdmin) return false;
  return me.system_admin || (me.role === 'owner' && issuer?.for_all !== true);
};
