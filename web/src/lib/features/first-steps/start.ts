import { session } from '$lib/app/session/session.svelte';
import { firstSteps, type Steps } from './requests';
import type FirstSteps from './FirstSteps.svelte';

export interface Start {
  readonly Part: typeof FirstSteps;
  readonly facts: Steps;
}

/** The script of the checklist comes only for people who have something to do; null for the others. */
export async function start(): Promise<Start | null> {
  if (!session.mayWrite) return null;
  const facts = await firstSteps();
  if (facts.model_connected && facts.steps === null) return null;
  return { Part: (await import('./FirstSteps.svelte')).default, facts };
}
