import { AppError, type Caller, type ChatMessage, type ContentPart, isTextPart } from '@bellwether/kernel';
import { type CompiledTemplate, USER_INPUT } from '@bellwether/kernel/templates';
import type { Plugin } from '@bellwether/plugin';
import { AssistantCompiler, type RewriteSubject, type RunJob } from '../../assistants';
import { ClassicPipeline } from '../../classic';
import { type AssistantDocument, definitionDocument, type MetadataRules } from '../../assistants/definition';
import { MultiToolPipeline } from '../../multi-tool';
import { Orchestrator, type StrategyCatalogue } from '../../orchestrators';
import type { Config } from '../../infrastructure/config';
import { withPlugins } from '../../infrastructure/plugins';
import { processorsOver } from '../../processors';
import { type RunnableTool, ToolCatalogue, ToolInvoker, toolsOver } from '../../tools';
import { estimateUnits, MOST_UNITS } from './proof-budget';
import { PROOF_DOUBLES } from './proof-doubles';
import type { RecordedInput } from './recorded-inputs';

const CALLER: Omit<Caller, 'organizationId'> = {
  userId: 'student',
  kind: 'system',
  credentialId: null,
  organizationSlug: 'proof',
  role: 'member',
  systemAdmin: false,
  scopes: ['chat'],
  assistantIds: null,
};

/** The prompt and sources of one recorded input. */
export interface Rendering {
  /** The messages to the model; each run of white space is one space. */
  readonly prompt: string;
  /** The sources that the client would get, as JSON. */
  readonly sources: string;
  readonly failed: boolean;
}

export interface Renderable {
  readonly document: AssistantDocument;
  readonly slots: number;
  /** Upper bound of a rendering, in UTF-16 units. */
  readonly units: number;
  /** null when it is too long for a proof. */
  render(input: RecordedInput): Promise<Rendering | null>;
  /** Puts a mark in place of each slot and removes the white space around it. */
  renderMarked(input: RecordedInput): Promise<Rendering | null>;
}

/** A character for private use. */
const MARK = '\uE000';
const AROUND_MARKS = /(?: ?\uE000)+ ?/g;

/** Recorded inputs let tools fail on purpose: that is no line in the log. */
class SilentToolInvoker extends ToolInvoker {
  protected override log(): void {}
}

/** Renders prompts with the real pipelines, processors, tools and strategies over the proof's doubles. */
export class PromptRenderer {
  private readonly tools: ToolCatalogue;
  private readonly classic: ClassicPipeline;
  private readonly multiTool: MultiToolPipeline;
  private readonly compiler: AssistantCompiler;
  private readonly signal = new AbortController().signal;

  constructor(
    private readonly strategies: StrategyCatalogue,
    config: Config,
    private readonly vocabulary: MetadataRules,
    plugins: readonly Plugin[] = [],
  ) {
    const still = plugins.map(withoutServers);
    this.tools = new ToolCatalogue(withPlugins('tools', toolsOver(PROOF_DOUBLES), still));
    const calm: Config = { ...config, tools: { ...config.tools, cacheEnabled: false, maxRetries: 0 } };
    const { tools } = this;
    const invoker = new SilentToolInvoker(tools, calm);
    this.classic = new ClassicPipeline(processorsOver(PROOF_DOUBLES, still), invoker);
    this.multiTool = new MultiToolPipeline(new Orchestrator(invoker, calm));
    this.compiler = new AssistantCompiler(vocabulary, tools, strategies);
  }

  open({ id, definition }: Pick<RewriteSubject, 'id' | 'definition'>): Renderable {
    const document = definitionDocument(definition, this.vocabulary);
    const assistant = this.assistantOf(id, document);
    const { template } = assistant.compiled;
    let withMarks: RunJob['assistant'] | undefined;
    return {
      document,
      slots: template.slots.length,
      units: estimateUnits(document, template, (plugin) => this.tools.find(plugin)?.caching?.results === true),
      render: (input) => this.rendering(assistant, input),
      renderMarked: async (input) => {
        withMarks ??= this.assistantOf(id, { ...document, template: marked(template) });
        const rendering = await this.rendering(withMarks, input);
        return rendering && { ...rendering, prompt: rendering.prompt.replace(AROUND_MARKS, MARK) };
      },
    };
  }

  private assistantOf(id: number, stored: AssistantDocument): RunJob['assistant'] {
    const planned = this.strategies.find(stored.orchestrator)?.definition.shape.planned === true;
    const document = planned ? withoutPlans(stored) : stored;
    return {
      id,
      name: '',
      description: '',
      version: 1,
      organizationId: '',
      ownerId: 'owner',
      owner: { organizationId: '', userId: 'owner' },
      published: false,
      draft: false,
      newestVersion: 1,
      hasEditors: false,
      access: 'use',
      disclosure: 'none',
      document,
      required: [],
      compiled: this.compiler.compile(document),
    };
  }

  private async rendering(
    assistant: RunJob['assistant'],
    { content, messages }: RecordedInput,
  ): Promise<Rendering | null> {
    const principal = { organizationId: content, userId: 'owner' };
    const job: RunJob = {
      assistant: { ...assistant, organizationId: content, owner: principal },
      caller: { ...CALLER, organizationId: content },
      messages,
      metadata: {},
      run: { id: 'proof', signal: this.signal, emit: () => undefined },
      stream: false,
      assistants: null,
      functions: [],
    };
    const pipeline = assistant.document.type === 'classic' ? this.classic : this.multiTool;
    try {
      const prepared = await pipeline.prepare(job);
      if (prepared.messages.reduce((sum, message) => sum + unitsOf(message), 0) > MOST_UNITS) return null;
      return {
        prompt: prepared.messages.map(spelledOut).join('\n'),
        sources: JSON.stringify(prepared.sources),
        failed: prepared.report.results.some(({ status }) => status === 'failed'),
      };
    } catch (error) {
      if (error instanceof AppError && error.code === 'payload_too_large') return null;
      if (error instanceof AppError) return { prompt: `no prompt: ${error.code}`, sources: '', failed: true };
      throw error;
    }
  }
}

/** Tools and processors of plugins may ask other servers. A proof gets their settings instead: they must stay the same. */
function withoutServers(plugin: Plugin): Plugin {
  const run: RunnableTool['run'] = (config) =>
    Promise.resolve({ content: JSON.stringify(config), sources: [], confidence: null });
  return {
    ...plugin,
    tools: plugin.tools.map((tool) => ({
      definition: tool.definition,
      phase: tool.phase?.bind(tool),
      needs: tool.needs?.bind(tool),
      run,
    })),
    ragProcessors: plugin.ragProcessors.map(({ definition, rewrites }) => ({ definition, rewrites, run })),
    promptProcessors: plugin.promptProcessors.map((processor) => ({
      definition: processor.definition,
      build: processor.build.bind(processor),
    })),
  };
}

/** A plan depends on a model or heuristic. The comparison of settings proves which tools it may choose. */
const withoutPlans = (document: AssistantDocument): AssistantDocument => ({
  ...document,
  orchestrator: 'sequential',
  orchestratorOptions: {},
});

const marked = ({ segments }: CompiledTemplate): string =>
  segments
    .map((segment) =>
      segment.kind === 'literal' ? segment.text : segment.slot.name === USER_INPUT ? '{user_input}' : MARK,
    )
    .join('');

/** Skips single spaces, which are most. */
const oneSpace = (text: string): string => text.replace(/[^\S ]\s*| \s+/g, ' ').trim();

function unitsOf({ content }: ChatMessage): number {
  if (typeof content === 'string') return content.length;
  const parts: readonly ContentPart[] = Array.isArray(content) ? content : [];
  return parts.reduce((sum, part) => sum + (isTextPart(part) ? part.text.length : 0), 0);
}

function spelledOut({ role, content, ...rest }: ChatMessage): string {
  const parts: readonly ContentPart[] = Array.isArray(content) ? content : [];
  const text = typeof content === 'string' ? oneSpace(content) : parts.map(partText).join(' ');
  const more = JSON.stringify(rest);
  return `${role}: ${text}${more === '{}' ? '' : ` ${more}`}`;
}

const partText = (part: ContentPart): string => (isTextPart(part) ? oneSpace(part.text) : JSON.stringify(part));
