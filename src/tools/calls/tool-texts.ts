import type { BoundedTry } from '../../kernel';
import type { PipelineTool, ToolTexts } from '../contract';

type Named = Pick<PipelineTool, 'plugin' | 'placeholder'>;

/** `{plugin} → {placeholder}`, or the plugin alone when it fills no slot. */
export const targetOf = ({ plugin, placeholder }: Named): string =>
  placeholder === null ? plugin : `${plugin} → ${placeholder}`;

const result = ({ plugin, placeholder }: Named, chars: number): string =>
  placeholder === null ? plugin : `${plugin} → ${chars} chars to ${placeholder}`;

/** Spec 000 §3.4.3, for tools that run one after another. */
export const SEQUENTIAL_TEXTS: ToolTexts = {
  started: (target) => `🔄 Executing tool: ${target}`,
  completed: (tool, chars) => `✅ Tool completed: ${result(tool, chars)}`,
};

/** Spec 000 §3.4.4, for tools that run at the same time. */
export const PARALLEL_TEXTS: ToolTexts = {
  started: (target) => `🔄 Starting tool: ${target}`,
  completed: (tool, chars) => `✅ Completed tool: ${result(tool, chars)}`,
};

export const failedText = (plugin: string, reason: string): string => `❌ Tool failed: ${plugin} - ${reason}`;

export const retryText = (plugin: string, retry: number, delayMs: number, bounded: BoundedTry | null = null): string =>
  `🔁 Retrying tool: ${plugin} - try ${retry + 1} in ${Math.round(delayMs)} ms${bounded === null ? '' : boundText(bounded)}`;

const boundText = ({ after_ms, longest_ms, tries }: BoundedTry): string =>
  ` (no answer after ${after_ms} ms; the last ${tries} tries took ${longest_ms} ms at most)`;

export const fallbackText = (plugin: string, fallback: string, reason: string): string =>
  `↩️ Falling back: ${plugin} → ${fallback} - ${reason}`;

export const skippedText = (tool: Named, reason: string): string => `⏭️ Skipped tool: ${targetOf(tool)} - ${reason}`;
