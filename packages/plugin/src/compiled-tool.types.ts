import type { JsonObject } from '@bellwether/kernel';
import type { Evidence, PipelineTool, Tool, ToolFailureCode } from './tool.types';

/** The part of a tool that runs: of a plugin, or of one of classic's RAG processors. */
export type RunnableTool = Pick<
  Tool,
  'run' | 'outputLimit' | 'timeoutMs' | 'retries' | 'caching' | 'target' | 'variant'
> & {
  /** `false`: failures in a row never stop later calls. */
  readonly circuit?: false;
};

/** The tool behind an entry, with its config checked and completed by the schema's defaults. */
export interface PreparedCall {
  /** Canonical name. */
  readonly plugin: string;
  /** Version of the tool's definition; without it results are not kept. */
  readonly version?: string | undefined;
  /** Evidence of the tool's definition; without it `found`. */
  readonly evidence?: Evidence | undefined;
  readonly tool: RunnableTool;
  readonly config: JsonObject;
  /** The config as JSON: part of the keys of kept results, circuits and learned times. */
  readonly configKey: string;
}

/** Why an entry cannot be called. */
export interface CallProblem {
  readonly code: ToolFailureCode;
  readonly message: string;
}

/** An entry with everything that its calls need and that no request changes. */
export interface CompiledTool extends PipelineTool {
  /** `answer`: it looks at the finished answer instead of filling a slot. */
  readonly phase: 'pipeline' | 'answer';
  readonly call: PreparedCall | CallProblem;
  /** Call of `fallback`; null without one. */
  readonly fallbackCall: PreparedCall | CallProblem | null;
}
