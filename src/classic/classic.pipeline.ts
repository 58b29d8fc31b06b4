import {
  AppError,
  type ChatMessage,
  droppedPartsText,
  type JsonObject,
  lastQuestion,
  lastUserIndex,
  type Source,
  type SourcePassage,
} from '@bellwether/kernel';
import { USER_INPUT } from '@bellwether/kernel/templates';
import { Injectable, Logger } from '@nestjs/common';
import type { RunJob } from '../assistants';
import {
  fetches,
  type Gathered,
  ProcessorCatalogue,
  type PromptProcessor,
  type RagContext,
  type RagProcessor,
} from '../processors';
import { isUnbound } from '../knowledge-bases';
import { type PreparedPrompt, reportMessage, reportPrompt, type RunReport, type SlotContent } from '../runs';
import {
  CallScope,
  type CompiledTool,
  foundPassages,
  materialFit,
  type Invocation,
  NOT_ACCESSIBLE,
  type PipelineTool,
  reportResult,
  reportTool,
  SEQUENTIAL_TEXTS,
  ToolInvoker,
  type ToolOutcome,
} from '../tools';

const CONTEXT = 'context';
const DEFAULT_PROMPT_PROCESSOR = 'simple_augment';

const NOTHING_GATHERED: Gathered = { values: new Map(), warnings: [] };

/** Input of the messages, beside the job. */
interface Filling {
  readonly prompt: PromptProcessor;
  readonly rag: RagContext | null;
  readonly gathered: Gathered['values'];
}

type Warn = (code: string, message: string) => void;

/**
 * Classic assistants: one RAG processor, then one prompt processor, as LAMB runs them. The invoker calls the RAG
 * processor like a tool with the placeholder `context`: a failure becomes an outcome and never reaches the prompt.
 */
@Injectable()
export class ClassicPipeline {
  private readonly logger = new Logger(ClassicPipeline.name);

  constructor(
    private readonly processors: ProcessorCatalogue,
    private readonly invoker: ToolInvoker,
  ) {}

  async prepare(job: RunJob): Promise<PreparedPrompt> {
    const { assistant, run } = job;
    const warnings: string[] = [];
    const warn: Warn = (code, message) => {
      warnings.push(message);
      run.emit({ type: 'warning', code, message });
    };
    const { prompt, rag } = this.chosen(job, warn);
    const entry = entryOf(job, rag?.definition.name ?? assistant.document.classic.ragProcessor);
    const [outcome, gathered] = await Promise.all([
      rag !== undefined && fetches(rag) ? this.fetch(rag, entry, job) : null,
      this.gather(prompt, job),
    ]);
    if (run.signal.aborted) throw new AppError('cancelled', 'The run was cancelled');
    for (const warning of warningsOf(outcome)) warn('tool.degraded', warning);
    for (const warning of gathered.warnings) warn('processor.degraded', warning);
    const isWithoutRag = rag === undefined || assistant.document.classic.ragProcessorAbsent === true;
    const context = isWithoutRag ? null : contextOf(outcome);
    const messages = this.build(job, { prompt, rag: context, gathered: gathered.values }, warn);
    const found = sourcesOf(outcome);
    const sources = showsContext(job) ? found : [];
    return {
      messages,
      sources,
      passages: passagesOf(job, outcome, sources),
      ...(outcome === null ? {} : { fit: materialFit([outcome]) }),
      report: reportOf(job, { entry, outcome, gathered: gathered.values, found, sources, warnings, messages }),
    };
  }

  private chosen({ assistant }: RunJob, warn: Warn): { prompt: PromptProcessor; rag: RagProcessor | undefined } {
    const { ragProcessor, promptProcessor } = assistant.document.classic;
    const rag = this.processors.findRag(ragProcessor);
    if (rag === undefined) warn('processor.unknown', `There is no RAG processor '${ragProcessor}': no context`);
    const prompt = this.promptProcessor(promptProcessor, warn);
    return { prompt, rag: rag === undefined ? undefined : (prompt.around?.(rag) ?? rag) };
  }

  private build(
    { assistant, messages, functions }: RunJob,
    { prompt, rag, gathered }: Filling,
    warn: Warn,
  ): readonly ChatMessage[] {
    const { systemPrompt, template, capabilities } = assistant.document;
    const { vision } = capabilities;
    const built = prompt.build({ messages, systemPrompt, template, rag, vision, functions, gathered });
    if (built.droppedParts > 0) {
      warn('message.parts_dropped', droppedPartsText(built.droppedParts));
    }
    return built.messages;
  }

  /** A failed lookup leaves its slots empty; only the end of the run cancels it. */
  private async gather(prompt: PromptProcessor, { assistant, caller, run }: RunJob): Promise<Gathered> {
    if (prompt.gather === undefined) return NOTHING_GATHERED;
    try {
      return await prompt.gather({ signal: run.signal, caller, owner: assistant.owner });
    } catch (error) {
      if (!run.signal.aborted) this.logger.warn(`run ${run.id} ${prompt.definition.name}: ${nameOf(error)}`);
      return { values: new Map(), warnings: [`${prompt.definition.name} could not look up what its slots need`] };
    }
  }

  private async fetch(
    rag: RagProcessor,
    entry: PipelineTool,
    { assistant, caller, messages, params = {}, run }: RunJob,
  ): Promise<ToolOutcome> {
    const scope = new CallScope(run.signal);
    const invocation: Invocation = {
      scope,
      owner: assistant.owner,
      caller,
      assistantId: assistant.id,
      connector: assistant.document.connector,
      runId: run.id,
      texts: SEQUENTIAL_TEXTS,
      emit: run.emit,
      prompt: () => assistant.document.template,
      results: () => new Map(),
    };
    const query = lastQuestion(messages);
    const { plugin, config } = entry;
    const call = { plugin, tool: rag, config, configKey: JSON.stringify(config) };
    const { reads, rubricId, filePath } = assistant.document.classic;
    const named = { collections: null, rubric: rubricId, file: filePath };
    const isReadable = !reads.some((setting) => isUnbound(named[setting]));
    const compiled: CompiledTool = {
      ...entry,
      phase: 'pipeline',
      call: isReadable ? call : NOT_ACCESSIBLE,
      fallbackCall: null,
    };
    const outcome = await this.invoker.run(compiled, { query, messages, params }, invocation);
    scope.close();
    return outcome;
  }

  private promptProcessor(name: string, warn: Warn): PromptProcessor {
    const processor = this.processors.findPrompt(name);
    if (processor !== undefined) return processor;
    warn('processor.unknown', `There is no prompt processor '${name}': '${DEFAULT_PROMPT_PROCESSOR}' ran instead`);
    const fallback = this.processors.findPrompt(DEFAULT_PROMPT_PROCESSOR);
    if (fallback === undefined) throw new Error(`The prompt processor ${DEFAULT_PROMPT_PROCESSOR} is not registered`);
    return fallback;
  }
}

/** Never a message: it may quote content. */
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

/** No content gives an empty context. A failure gives none, so that its slot stays empty. */
function contextOf(outcome: ToolOutcome | null): RagContext | null {
  if (outcome === null) return { context: '', sources: [] };
  return outcome.status === 'completed' ? { context: outcome.content, sources: outcome.sources } : null;
}

const warningsOf = (outcome: ToolOutcome | null): readonly string[] =>
  outcome?.status === 'completed' ? outcome.warnings : [];

const sourcesOf = (outcome: ToolOutcome | null): readonly Source[] =>
  outcome?.status === 'completed' ? outcome.sources.map((source, index) => ({ ...source, n: index + 1 })) : [];

/** Whether the content goes into the prompt: the template has its slot, and there is a question to fill. */
const showsContext = ({ assistant, messages }: RunJob): boolean =>
  lastUserIndex(messages) !== -1 && assistant.compiled.template.slots.some(({ name }) => name === CONTEXT);

const passagesOf = (job: RunJob, outcome: ToolOutcome | null, sources: readonly Source[]): readonly SourcePassage[] =>
  outcome?.status === 'completed' && showsContext(job) ? foundPassages([{ ...outcome, sources }]) : [];

function entryOf({ assistant }: RunJob, plugin: string): PipelineTool {
  const { collections, topK, rubricId, rubricFormat, filePath } = assistant.document.classic;
  return {
    index: 0,
    plugin,
    placeholder: CONTEXT,
    enabled: true,
    config: { collections, topK, rubricId, rubricFormat, filePath },
    on_error: 'continue',
    timeout_ms: null,
    retries: null,
    cache: false,
    depends_on: [],
    on_dependency_failure: 'skip',
    when: null,
    fallback: null,
  };
}

/** The settings under the names that tools of the same kind have. */
const settingsOf = ({ document: { classic } }: RunJob['assistant']): JsonObject => ({
  collections: classic.collections,
  top_k: classic.topK,
  rubric_id: classic.rubricId,
  rubric_format: classic.rubricFormat,
  file_path: classic.filePath,
});

interface Told {
  readonly entry: PipelineTool;
  readonly outcome: ToolOutcome | null;
  readonly gathered: Gathered['values'];
  readonly messages: readonly ChatMessage[];
  /** The sources of the outcome. */
  readonly found: readonly Source[];
  /** The found ones whose content went into the prompt. */
  readonly sources: readonly Source[];
  readonly warnings: readonly string[];
}

function reportOf({ assistant, messages, stream }: RunJob, told: Told): RunReport {
  const { entry, outcome } = told;
  const question = lastQuestion(messages);
  const { source, segments } = assistant.compiled.template;
  return {
    created_at: new Date().toISOString(),
    orchestrator: null,
    assistant: { id: assistant.id, name: assistant.name, type: 'classic' },
    request: { user_message: question, stream },
    tools: outcome === null ? [] : [reportTool({ ...entry, config: settingsOf(assistant) })],
    results:
      outcome === null
        ? []
        : [reportResult(outcome.status === 'completed' ? { ...outcome, sources: told.found } : outcome)],
    sources: told.sources,
    messages: told.messages.map(reportMessage),
    ...(source === '' ? {} : { prompt: reportPrompt(segments, (slot) => slotContent(slot, question, told)) }),
    warnings: told.warnings,
  };
}

function slotContent(slot: string, question: string, { entry, outcome, gathered }: Told): SlotContent {
  if (slot === USER_INPUT) return { text: question };
  if (slot !== entry.placeholder) return { text: gathered.get(slot) ?? '' };
  return {
    text: outcome?.status === 'completed' ? outcome.content : '',
    ...(outcome === null ? {} : { index: entry.index }),
  };
}
