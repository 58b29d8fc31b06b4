import { session } from '$lib/app/session/session.svelte';
import { questionsKey } from '$lib/app/session/own-work';
import type { StepResult } from './report';
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

const keyOf = (owner: number | string): string => `${questionsKey(session.me, owner)}.alone`;
const toolOf = ({ plugin, config }: ToolToRun): string => `${plugin} ${JSON.stringify(config ?? {})}`;

function read(owner: number | string): readonly Kept[] {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(owner)) ?? '[]') as Kept[];
  } catch {
    return [];
  }
}

/** The last result of the tool with these settings in this tab; `owner` is the assistant, or the form before it is saved. */
export const lastResult = (tool: ToolToRun, owner: number | string): LastResult | null =>
  read(owner).find((kept) => kept.tool === toolOf(tool)) ?? null;

/** The question that any tool of the assistant was last run with; empty before the first. */
export const lastQuestion = (owner: number | string): string => read(owner)[0]?.question ?? '';

export function keepResult(tool: ToolToRun, owner: number | string, last: LastResult): void {
  const name = toolOf(tool);
  const kept = [{ ...last, tool: name }, ...read(owner).filter((one) => one.tool !== name)].slice(0, KEPT);
  try {
    sessionStorage.setItem(keyOf(owner), JSON.stringify(kept));
  } catch {
    // The results stay on the page until it is left.
  }
}
