import type { AssistantType } from '../definition';
import type { DefinitionBody } from './body';

/** Unsaved work, kept in this browser against a crash, a closed tab or the end of the session. */
export interface Draft {
  /** ISO 8601. */
  readonly saved_at: string;
  /** Version that the work is based on; null for a new assistant. */
  readonly version: number | null;
  readonly body: DefinitionBody;
}

const PREFIX = 'bellwether.draft.';
const DAYS_KEPT = 30;

export const draftKey = (user: string, type: AssistantType, id: number | null): string =>
  `${PREFIX}${user}.${type}.${id ?? 'new'}`;

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

/** For whoever signs out on a computer that others use: nothing of their work stays. */
export function forgetDrafts(storage: Storage = localStorage): void {
  for (const key of Object.keys(storage)) if (key.startsWith(PREFIX)) dropDraft(key, storage);
}

const isOld = ({ saved_at }: Draft): boolean => !(Date.now() - Date.parse(saved_at) < DAYS_KEPT * 86_400_000);
