import type { Database } from 'node-sqlite3-wasm';
import { idIn, rowsOf, textIn } from './lti-rows';

/** A consumer key of LTI 1.1. */
export interface LambKey {
  readonly kind: 'activity' | 'assistant' | 'creator';
  readonly consumerKey: string;
  /** null where LAMB's environment has it. */
  readonly secret: string | null;
  /** Of kind `creator` alone. */
  readonly organizationId: number | null;
  /** Of kind `assistant` alone. */
  readonly assistantId: number | null;
}

/** LTI 1.1 has no limit; longer ones are not accepted here. */
const MOST_TEXT = 255;

/** Keys that are in use: that of all activities, those of organizations, and the names of published assistants. */
export function readKeys(database: Database, prefix: string): readonly LambKey[] {
  const keys = (table: string, kind: LambKey['kind']): readonly LambKey[] =>
    rowsOf(database, prefix + table).flatMap((row): LambKey[] => {
      const consumerKey = textIn(row, 'oauth_consumer_key', MOST_TEXT);
      const secret = textIn(row, 'oauth_consumer_secret', MOST_TEXT);
      const organizationId = idIn(row, 'organization_id');
      if (consumerKey === null || row['enabled'] === 0) return [];
      if (kind === 'creator' && organizationId === null) return [];
      return [{ kind, consumerKey, secret, organizationId, assistantId: null }];
    });
  const names = rowsOf(database, `${prefix}assistant_publish`).flatMap((row): LambKey[] => {
    const assistantId = idIn(row, 'assistant_id');
    const consumerKey = textIn(row, 'oauth_consumer_name', MOST_TEXT);
    if (assistantId === null || consumerKey === null || consumerKey === 'null') return [];
    return [{ kind: 'assistant', consumerKey, secret: null, organizationId: null, assistantId }];
  });
  return [...keys('lti_global_config', 'activity'), ...keys('lti_creator_keys', 'creator'), ...names];
}
