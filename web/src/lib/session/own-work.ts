/** Unsaved forms, kept in the browser. */
export const DRAFTS = 'bellwether.draft.';
/** Questions of the playground, kept in the tab. */
export const QUESTIONS = 'bellwether.playground.';

/**
 * What the browser keeps of somebody's work goes with them: of everybody, or of all but one who is there now. Keys go on with
 * the user, questions also with the organization: `<user>.<organization>.…`.
 */
export function forgetWork(present: { readonly user: string; readonly organization: string } | null = null): void {
  forget(() => localStorage, DRAFTS, present === null ? null : `${present.user}.`);
  forget(() => sessionStorage, QUESTIONS, present === null ? null : `${present.user}.${present.organization}.`);
}

function forget(storage: () => Storage, prefix: string, spared: string | null): void {
  try {
    const kept = storage();
    for (const key of Object.keys(kept)) {
      if (key.startsWith(prefix) && (spared === null || !key.startsWith(prefix + spared))) kept.removeItem(key);
    }
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}
