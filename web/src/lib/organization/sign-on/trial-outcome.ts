import type { Schema } from '$lib/api/client';

export type Outcome = Schema<'TrialOutcomeDto'>;
const PREFIX = '#trial=';

/** The outcome that the service puts behind `#trial=`, base64url of JSON; null without a readable one. */
export function outcomeIn(hash: string): Outcome | null {
  if (!hash.startsWith(PREFIX)) return null;
  try {
    const text = atob(hash.slice(PREFIX.length).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const value = JSON.parse(new TextDecoder().decode(bytes)) as Partial<Outcome> | null;
    const isOutcome = typeof value?.claims === 'object' && Array.isArray(value.groups) && 'problem' in value;
    return isOutcome ? (value as Outcome) : null;
  } catch {
    // Anybody can write a link.
    return null;
  }
}
