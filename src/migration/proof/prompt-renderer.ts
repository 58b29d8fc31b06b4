import {
  type AssistantDocument,
  definitionDocument,
  type RewriteSubject,
  type RunJob,
  slotGrammar,
  type ToolVocabulary,
} from '../../assistants';
import { ClassicPipeline } from '../../classic';
import { AppError, type Caller, type ChatMessage, type ContentPart, isTextPart } from '../../kernel';
import { MultiToolPipeline } from '../../multi-tool';
import { Orchestrator, type StrategyCatalogue } from '../../orchestrators';
import type { Config } from '../../platform/config';
import { ProcessorCatalogue, processorPlugins } from '../../processors';
import { type CompiledTemplate, compileTemplate, USER_INPUT } from '../../templates';
import { ToolCatalogue, ToolInvoker, toolPlugins } from '../../tools';
import { estimateUnits, MOST_UNITS } from './proof-budget';
import { PROOF_ROOMS } from './proof-rooms';
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

/** What one recorded input comes to. */
export interface Rendering {
  /** What the model would be sent, white space made one space. */
  readonly prompt: string;
  /** What the client would be told of the sources. */
  readonly sources: string;
  /** Some tool found nothing because it failed. */
  readonly failed: boolean;
}

/** A definition ready to be rendered. */
export interface Renderable {
  readonly document: AssistantDocument;
  /** How often content stands in the template. */
  readonly slots: number;
  /** How long a rendering is at most, in UTF-16 units. */
  readonly units: number;
  /** null where it is longer than a proof may be. */
  render(input: RecordedInput): Promise<Rendering | null>;
  /** With a mark in place of each content: whoever leaves out the white space around marks compares all other. */
  renderMarked(input: RecordedInput): Promise<Rendering | null>;
}

/** Of private use. */
const MARK = '\uE000';
const AROUND_MARKS = /(?: ?\uE000)+ ?/g;

/** The pipelines of both types with all their processors, tools and strategies, over rooms that spell out what they are asked. */
export class PromptRenderer {
  private readonly tools = new ToolCatalogue(toolPlugins(PROOF_ROOMS));
  private readonly classic: ClassicPipeline;
  private readonly multiTool: MultiToolPipeline;
  private readonly signal = new AbortController().signal;

  constructor(
    strategies: StrategyCatalogue,
    config: Config,
    private readonly vocabulary: ToolVocabulary,
  ) {
    const calm: Config = { ...config, tools: { ...config.tools, cacheEnabled: false, maxRetries: 0 } };
    const { tools } = this;
    const invoker = new ToolInvoker(tools, calm);
    const { prompt, rag } = processorPlugins(PROOF_ROOMS);
    this.classic = new ClassicPipeline(new ProcessorCatalogue(prompt, rag), invoker);
    this.multiTool = new MultiToolPipeline(new Orchestrator(strategies, tools, invoker, calm));
  }

  open({ id, definition }: Pick<RewriteSubject, 'id' | 'definition'>): Renderable {
    const document = definitionDocument(definition, this.vocabulary);
    const assistant = assistantOf(id, document, this.vocabulary);
    const { compiled } = assistant;
    return {
      document,
      slots: compiled.slots.length,
      units: estimateUnits(document, compiled, (plugin) => this.tools.find(plugin)?.caching?.results === true),
      render: (input) => this.rendering(assistant, input),
      renderMarked: async (input) => {
        const template = marked(compiled);
        const rendering = await this.rendering(assistantOf(id, { ...document, template }, this.vocabulary), input);
        return rendering && { ...rendering, prompt: rendering.prompt.replace(AROUND_MARKS, MARK) };
      },
    };
  }

  private async rendering(
    assistant: RunJob['assistant'],
    { rooms, messages }: RecordedInput,
  ): Promise<Rendering | null> {
    const principal = { organizationId: rooms, userId: 'owner' };
    const job: RunJob = {
      assistant: { ...assistant, organizationId: rooms, owner: principal },
      caller: { ...CALLER, organizationId: rooms },
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

/** A plan is a model's or a heuristic's; which tools it may choose from is proved by the documents themselves. */
const withoutPlans = (document: AssistantDocument): AssistantDocument =>
  document.orchestrator === 'planned' ? { ...document, orchestrator: 'sequential', orchestratorOptions: {} } : document;

function assistantOf(id: number, stored: AssistantDocument, vocabulary: ToolVocabulary): RunJob['assistant'] {
  const document = withoutPlans(stored);
  return {
    id,
    name: '',
    description: '',
    version: 1,
    organizationId: '',
    ownerId: 'owner',
    owner: { organizationId: '', userId: 'owner' },
    published: false,
    access: 'use',
    document,
    compiled: compileTemplate(document.template, slotGrammar(document, vocabulary)),
  };
}

const marked = ({ segments }: CompiledTemplate): string =>
  segments
    .map((segment) =>
      segment.kind === 'literal' ? segment.text : segment.slot.name === USER_INPUT ? '{user_input}' : MARK,
    )
    .join('');

/** A space that stands alone is passed over: most do. */
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
