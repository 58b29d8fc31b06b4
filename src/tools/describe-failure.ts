import { AppError, type BoundedTry, type ErrorCode, type Usage } from '@bellwether/kernel';
import { type PipelineTool, ToolFailure, type ToolFailureCode, type ToolTexts } from './contract';

type Named = Pick<PipelineTool, 'plugin' | 'placeholder'>;

/** `{plugin} → {placeholder}`, or the plugin alone when it fills no slot. */
export const targetOf = ({ plugin, placeholder }: Named): string =>
  placeholder === null ? plugin : `${plugin} → ${placeholder}`;

const result = ({ plugin, placeholder }: Named, chars: number): string =>
  placeholder === null ? plugin : `${plugin} → ${chars} chars to ${placeholder}`;

/** Texts of tools that run one after another (docs/reference/events.md). */
export const SEQUENTIAL_TEXTS: ToolTexts = {
  started: (target) => `🔄 Executing tool: ${target}`,
  completed: (tool, chars) => `✅ Tool completed: ${result(tool, chars)}`,
};

/** Texts of tools that run at the same time (docs/reference/events.md). */
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

export interface FailureDescription {
  readonly code: ToolFailureCode;
  /** Safe to show: written by us, never by a thrown error of unknown origin. */
  readonly message: string;
  /** True for unexpected errors, which are logged with their stack. */
  readonly unexpected: boolean;
}

const UNEXPECTED: FailureDescription = {
  code: 'tool.failed',
  message: 'the tool stopped with an error',
  unexpected: true,
};

/** Failures of what a tool asks: a limit inside the tool's own must not hide that the time was over. */
const CODES: Readonly<Partial<Record<ErrorCode, ToolFailureCode>>> = {
  not_found: 'tool.inaccessible',
  upstream_timeout: 'tool.timeout',
};

/** Reads anything that can be thrown, hostile proxies included; never throws itself. */
export function describeFailure(error: unknown): FailureDescription {
  try {
    if (error instanceof ToolFailure) return { code: error.code, message: error.message, unexpected: false };
    if (error instanceof AppError && error.code !== 'internal_error') {
      return { code: CODES[error.code] ?? 'tool.failed', message: error.detail, unexpected: false };
    }
  } catch {
    // A hostile proxy that throws when it is read counts as unexpected.
  }
  return UNEXPECTED;
}

/** Tokens spent before the failure, as far as the error tells. */
export function usageOf(error: unknown): Usage | null {
  try {
    if (error instanceof ToolFailure) return error.options.usage ?? null;
    return error instanceof AppError ? error.usage : null;
  } catch {
    return null;
  }
}

/** Name and stack frames of an error, without its message: that may quote content. */
export function traceOf(error: unknown): string {
  try {
    if (!(error instanceof Error)) return typeof error;
    const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
    return [error.name, ...frames.slice(0, 5).map((frame) => frame.trim())].join(' ');
  } catch {
    return 'unreadable error';
  }
}

/** Code of an error of ours, or class of another, and the code of what caused it; never a message. */
export function causeOf(error: unknown): { readonly cause?: string } {
  try {
    if (error instanceof ToolFailure) return {};
    if (error instanceof AppError) return { cause: error.code };
    const code = (error as { readonly code?: unknown } | null)?.code;
    return { cause: typeof code === 'string' ? code : error instanceof Error ? error.name : typeof error };
  } catch {
    return { cause: 'unreadable error' };
  }
}
