import { t } from '$lib/kit/i18n/i18n.svelte';

/** The service tells reasons in sentences, which strategies of plugins write, too. These are its own. */
const REASONS = [
  [/which it depends on|wait for each other/, 'runs.skipped.dependency'],
  [/condition/, 'runs.skipped.condition'],
  [/plan does not need it/, 'runs.skipped.plan'],
  [/stopped the run/, 'runs.skipped.stopped'],
] as const;

/** Why a tool did not run, in the reader's language; null for a reason of a plugin. */
export function skipText(reason: string): string | null {
  const key = REASONS.find(([pattern]) => pattern.test(reason))?.[1];
  return key === undefined ? null : t(key);
}
