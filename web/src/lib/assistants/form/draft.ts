import type { AssistantType } from '$lib/definition/assistant';
import { DRAFTS } from '$lib/session/own-work';
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

export const draftKey = (user: string, type: AssistantType, id: number | null): string =>
  `${DRAFTS}${user}.${type}.${id ?? 'new'}`;

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

/** Drafts that were found and are not decided yet; what is typed meanwhile does not overwrite them. */
const MOST_FOUND = 3;
const foundKey = (key: string): string => `${key}.found`;

/** The newest first. The draft that was written last is one of them from now on. */
export function findDrafts(key: string, storage: Storage = localStorage): readonly Draft[] {
  const last = readDraft(key, storage);
  const found = [...(last === null ? [] : [last]), ...foundAt(key, storage)];
  // Without room for the copy the draft stays where it is.
  if (last === null || keepFound(key, found, storage)) dropDraft(key, storage);
  return found;
}

export function keepFound(key: string, drafts: readonly Draft[], storage: Storage = localStorage): boolean {
  try {
    if (drafts.length === 0) storage.removeItem(foundKey(key));
    else storage.setItem(foundKey(key), JSON.stringify(drafts.slice(0, MOST_FOUND)));
    return true;
  } catch {
    return false;
  }
}

function foundAt(key: string, storage: Storage): readonly Draft[] {
  try {
    const drafts = JSON.parse(storage.getItem(foundKey(key)) ?? '[]') as Draft[];
    return drafts.filter((draft) => typeof draft.body?.metadata === 'object' && !isOld(draft));
  } catch {
    return [];
  }
}

const isOld = ({ saved_at }: Draft): boolean => !(Date.now() - Date.parse(saved_at) < DAYS_KEPT * 86_400_000);
