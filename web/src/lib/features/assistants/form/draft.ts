import type { AssistantType } from '$lib/app/catalogues/assistant';
import { DRAFTS } from '$lib/app/session/own-work';
import type { DefinitionBody } from './body';

/** Unsaved work, kept in this browser against a crash, a closed tab or the end of the session. */
export interface Draft {
  /** ISO 8601. */
  readonly saved_at: string;
  /** Version that the work is based on; null for a new assistant. */
  readonly version: number | null;
  readonly body: DefinitionBody;
}

const DAYS_KEPT = 30;
/** Older ones of the same form give way. */
const MOST_FOUND = 5;

/** All drafts of one form; each opening of it writes its own, so that two tabs do not overwrite each other's. */
const draftsOf = (user: string, type: AssistantType, id: number | null): string =>
  `${DRAFTS}${user}.${type}.${id ?? 'new'}`;

export const draftKey = (user: string, type: AssistantType, id: number | null, instance: string): string =>
  `${draftsOf(user, type, id)}.${instance}`;

export const draftOf = (version: number | null, body: DefinitionBody): Draft => ({
  saved_at: new Date().toISOString(),
  version,
  body,
});

export function readDraft(key: string, storage: Storage = localStorage): Draft | null {
  try {
    const draft = JSON.parse(storage.getItem(key) ?? 'null') as Draft | null;
    if (draft === null || typeof draft.body?.metadata !== 'object' || isOld(draft)) return null;
    return draft;
  } catch {
    return null;
  }
}

/** False when the browser has no room for it, or keeps nothing. */
export function writeDraft(key: string, draft: Draft, storage: Storage = localStorage): boolean {
  try {
    storage.setItem(key, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

export function dropDraft(key: string, storage: Storage = localStorage): void {
  try {
    storage.removeItem(key);
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}

/** A draft that another opening of the form left; it stays there until it is decided. */
export interface FoundDraft extends Draft {
  readonly key: string;
}

/** The newest first, without the form's own. */
export function findDrafts(
  user: string,
  type: AssistantType,
  id: number | null,
  instance: string,
  storage: Storage = localStorage,
): readonly FoundDraft[] {
  const found = keysIn(storage, draftsOf(user, type, id))
    .filter((key) => key !== draftKey(user, type, id, instance))
    .flatMap((key): FoundDraft[] => {
      const draft = readDraft(key, storage);
      if (draft === null) dropDraft(key, storage);
      return draft === null ? [] : [{ ...draft, key }];
    })
    .sort((one, other) => other.saved_at.localeCompare(one.saved_at));
  for (const { key } of found.slice(MOST_FOUND)) dropDraft(key, storage);
  return found.slice(0, MOST_FOUND);
}

function keysIn(storage: Storage, form: string): readonly string[] {
  try {
    return Object.keys(storage).filter((key) => key === form || key.startsWith(`${form}.`));
  } catch {
    return [];
  }
}

const isOld = ({ saved_at }: Draft): boolean => !(Date.now() - Date.parse(saved_at) < DAYS_KEPT * 86_400_000);
