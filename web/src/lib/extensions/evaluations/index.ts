import type { Parts } from '$lib/app/slots';

export const slots: Parts = {
  'assistant.publication': () => import('./gate/GateFields.svelte'),
  'knowledge.passage': () => import('./judgements/JudgeButtons.svelte'),
  'run.actions': () => import('./replays/RunActions.svelte'),
  'runs.actions': () => import('./replays/RunsActions.svelte'),
  'knowledge.trial': () => import('./judgements/TrialParts.svelte'),
};
