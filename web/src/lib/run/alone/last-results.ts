import { session } from '$lib/session/session.svelte';
import { QUESTIONS } from '$lib/session/own-work';
import type { StepResult } from '../report';
import type { ToolToRun } from './run-tool-alone';

export interface LastResult {
  readonly question: string;
  readonly result: StepResult;
}

interface Kept extends LastResult {
  /** The plugin and its settings: changed settings have no last result. */
  readonly tool: string;
}

const KEPT = 20;

const keyOf = (assistantId: number | null): string =>
  `${QUESTIONS}${session.me?.user.id ?? ''}.${session.me?.organization.id ?? ''}.alone.${assistantId ?? 'new'}`;
const toolOf = ({ plugin, config }: ToolToRun): string => `${plugin} ${JSON.stringify(config ?? {})}`;

function read(assistantId: number | null): readonly Kept[] {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(assistantId)) ?? '[]') as Kept[];
  } catch {
    return [];
  }
}

/** The last result of the tool with these settings in this tab. */
export const lastResult = (tool: ToolToRun, assistantId: number | null): LastResult | null =>
  read(assistantId).find((kept) => kept.tool === toolOf(tool)) ?? null;

/** The question that any tool of the assistant was last run with; empty before the first. */
export const lastQuestion = (assistantId: number | null): string => read(assistantId)[0]?.question ?? '';

export function keepResult(tool: ToolToRun, assistantId: number | null, last: LastResult): void {
  const name = toolOf(tool);
  const kept = [{ ...last, tool: name }, ...read(assistantId).filter((one) => one.tool !== name)].slice(0, KEPT);
  try {
    sessionStorage.setItem(keyOf(assistantId), JSON.stringify(kept));
  } catch {
    // The results stay on the page until it is left.
  }
}
