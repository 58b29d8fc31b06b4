import type { Schema } from '$lib/kit/api/client';

export type Outcome = Schema<'TrialOutcomeDto'>;

/** A trial sign-in that did not get as far as an outcome. */
export interface Failure {
  readonly failure: (typeof FAILURES)[number];
  /** The word of the provider or of the network. */
  readonly reason: string;
}

const PREFIX = '#trial=';
const FAILURES = ['expired', 'refused', 'unavailable'] as const;

export const isFailure = (result: Outcome | Failure): result is Failure => 'failure' in result;

/** The result that the service puts behind `#trial=`, base64url of JSON; null without a readable one. */
export function outcomeIn(hash: string): Outcome | Failure | null {
  if (!hash.startsWith(PREFIX)) return null;
  try {
    const text = atob(hash.slice(PREFIX.length).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const value = JSON.parse(new TextDecoder().decode(bytes)) as Partial<Outcome & Failure> | null;
    const failure = FAILURES.find((each) => each === value?.failure);
    if (failure !== undefined) return { failure, reason: String(value?.reason ?? '') };
    const isOutcome = typeof value?.claims === 'object' && Array.isArray(value.groups) && 'problem' in value;
    return isOutcome ? (value as Outcome) : null;
  } catch {
    // Anybody can write a link.
    return null;
  }
}
