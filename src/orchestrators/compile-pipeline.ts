import type { JsonObject } from '@bellwether/kernel';
import { type CompiledTemplate, USER_INPUT } from '@bellwether/kernel/templates';
import type { CompiledTool, PipelineTool, ToolCatalogue } from '../tools';
import type { RunStrategy } from './contract';
import type { StrategyCatalogue } from './strategy-catalogue';

/** The parts of a document that decide how its tools run. */
export interface PipelineSource {
  readonly strategy: string;
  /** The document's `orchestrator_options`, as stored. */
  readonly options: JsonObject;
  /** Every tool of the document, enabled or not, in document order. */
  readonly tools: readonly PipelineTool[];
  /** Compiled with the placeholders of `tools`; an empty source leaves the last message as it is. */
  readonly template: CompiledTemplate;
}

export interface Catalogues {
  readonly tools: ToolCatalogue;
  readonly strategies: StrategyCatalogue;
}

/** Everything of a multi-tool run that no request changes. */
export interface CompiledPipeline {
  /** Name of the strategy that runs. */
  readonly strategy: string;
  /** Warning where the document names a strategy that does not exist. */
  readonly missingStrategy: string | null;
  readonly run: RunStrategy;
  /** Enabled tools that run before the answer, in document order. */
  readonly tools: readonly CompiledTool[];
  /** Enabled tools that look at the answer. The answer is out: none of them can fail the run. */
  readonly checks: readonly CompiledTool[];
  readonly template: CompiledTemplate;
  /** Warning about slots that no enabled tool fills. */
  readonly unfilled: string | null;
}

const NAME_CHARS = 64;
const NAMED_SLOTS = 10;

/** Never throws: an entry that cannot run fails when it is called. */
export function compilePipeline(
  { strategy, options, tools, template }: PipelineSource,
  catalogues: Catalogues,
): CompiledPipeline {
  const enabled = tools.filter((tool) => tool.enabled).map((tool) => catalogues.tools.compile(tool));
  const pipeline = enabled.filter(({ phase }) => phase === 'pipeline');
  const { name, missing, run } = catalogues.strategies.compile(strategy, options, pipeline);
  return {
    strategy: name,
    missingStrategy:
      missing === null ? null : `There is no strategy '${missing.slice(0, NAME_CHARS)}': '${name}' ran instead`,
    run,
    tools: pipeline,
    checks: enabled.filter(({ phase }) => phase === 'answer').map(lenient),
    template,
    unfilled: unfilledIn(template, enabled),
  };
}

const lenient = (tool: CompiledTool): CompiledTool =>
  tool.on_error === 'fail' ? { ...tool, on_error: 'continue' } : tool;

function unfilledIn({ slots }: CompiledTemplate, enabled: readonly PipelineTool[]): string | null {
  const filled = new Set<string | null>([USER_INPUT, ...enabled.map(({ placeholder }) => placeholder)]);
  const unfilled = [...new Set(slots.map(({ name }) => name))].filter((name) => !filled.has(name));
  if (unfilled.length === 0) return null;
  const named = unfilled.slice(0, NAMED_SLOTS).map((name) => `{${name}}`);
  const more = unfilled.length > named.length ? ` and ${unfilled.length - named.length} more` : '';
  return `No enabled tool fills ${named.join(', ')}${more}`;
}
