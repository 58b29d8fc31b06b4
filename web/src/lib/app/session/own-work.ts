/** Unsaved forms, kept in the browser. */
export const DRAFTS = 'bellwether.draft.';
/** Questions of the playground, kept in the tab. */
export const QUESTIONS = 'bellwether.playground.';

interface Present {
  readonly user: { readonly id: string };
  readonly organization: { readonly id: string };
}

/** Storage key of the questions of one assistant, or of one unsaved form. */
export const questionsKey = (me: Present | null, owner: number | string): string =>
  `${QUESTIONS}${me?.user.id ?? ''}.${me?.organization.id ?? ''}.${owner}`;

/** Names one opening of a form, so that two tabs, or two forms one after the other, share nothing. */
export const formInstance = (): string => `new-${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;

/** Context of the form's name, for what is tried before the assistant is saved. */
export const FORM = Symbol('form');

/** Moves the questions of a form to the assistant that was saved from it. */
export function moveQuestions(me: Present | null, form: string, assistantId: number): void {
  const from = questionsKey(me, form);
  try {
    for (const key of Object.keys(sessionStorage).filter((one) => one.startsWith(from))) {
      sessionStorage.setItem(questionsKey(me, assistantId) + key.slice(from.length), sessionStorage.getItem(key) ?? '');
      sessionStorage.removeItem(key);
    }
  } catch {
    // A tab that keeps nothing has nothing to move.
  }
}

/**
 * Forgets what the browser keeps of somebody's work: of everybody, or of all but one who is there now. Keys go on with
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
