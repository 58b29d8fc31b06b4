import {
  type JsonObject,
  type Source,
  type StampedRunEvent,
  type ToolRef,
  type Usage,
  isJsonObject,
} from '@bellwether/kernel';
import type { AnswerEvent, Completion, ProgressMode } from '../answering';
import type { ModelChunk } from '../connectors';
import { openAiError } from '../infrastructure/http';
import { commentFrame, dataFrame } from '../infrastructure/sse';

/** Members of every chunk of one answer. */
interface ChunkIdentity {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
}

/** Identity of chunks that this service makes itself. */
export const ownIdentity = ({ run }: Pick<Completion, 'run'>, model: string): ChunkIdentity => ({
  id: `chatcmpl-${run.id}`,
  created: Math.floor(run.startedAt.getTime() / 1000),
  model,
});

/** Members that this service adds to OpenAI's shapes, as a JSON fragment without braces. */
export const extensionJson = (runId: string, sources: readonly Source[]): string =>
  `"run_id":${JSON.stringify(runId)},"sources":${JSON.stringify(sources)}`;

/** Appends the fragment to a JSON object without parsing it. */
export function spliced(json: string, fragment: string): string {
  const end = json.lastIndexOf('}');
  const head = json.slice(0, end).trimEnd();
  return `${head}${head.endsWith('{') ? '' : ','}${fragment}}`;
}

const EMPTY_CHOICES = /"choices"\s*:\s*\[\s*\]/;

/** The last chunk of a stream with usage: it has no choices. */
const isUsageOnly = (chunk: ModelChunk): boolean =>
  chunk.usage !== null && chunk.text === '' && chunk.finishReason === null && EMPTY_CHOICES.test(chunk.data);

interface ChunkFraming {
  /** The vendor is always asked for usage. The client gets it on request. */
  readonly includeUsage: boolean;
  readonly extension: string;
}

/** Vendor chunks pass unchanged, except the one with the finish reason, which gets the extension. */
export function chunkFrame(chunk: ModelChunk, { includeUsage, extension }: ChunkFraming): string {
  if (chunk.finishReason !== null) return dataFrame(spliced(chunk.data, extension));
  if (chunk.usage !== null && !includeUsage && isUsageOnly(chunk)) return '';
  return dataFrame(chunk.data);
}

const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** A report as an ordinary completion. */
export const reportBody = (markdown: string, { id, created, model }: ChunkIdentity): object => ({
  id,
  object: 'chat.completion',
  created,
  model,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: markdown, refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: NO_USAGE,
});

/** A report as the frames of an ordinary stream, without the end mark. */
function reportFrames(
  markdown: string,
  { id, created, model }: ChunkIdentity,
  extension: string,
  includeUsage: boolean,
): string {
  const chunk = (choices: readonly object[], more: object = {}): string =>
    JSON.stringify({ id, object: 'chat.completion.chunk', created, model, choices, ...more });
  const delta = (content: object, finish_reason: string | null): string =>
    chunk([{ index: 0, delta: content, logprobs: null, finish_reason }]);
  return [
    dataFrame(delta({ role: 'assistant', content: markdown }, null)),
    dataFrame(spliced(delta({}, 'stop'), extension)),
    includeUsage ? dataFrame(chunk([], { usage: NO_USAGE })) : '',
  ].join('');
}

/** Removes members that only the vendor needs back. */
export function withoutThoughts(message: JsonObject): JsonObject {
  const { reasoning_content: _reasoning, extra_content: _extra, ...rest } = message;
  return rest;
}

/** A chunk for callers who may not see the whole prompt, which thoughts quote. */
function chunkWithoutThoughts(chunk: ModelChunk): ModelChunk {
  if (chunk.echoed === undefined) return chunk;
  const data: unknown = JSON.parse(chunk.data);
  if (!isJsonObject(data) || !Array.isArray(data['choices'])) return chunk;
  const choices = (data['choices'] as unknown[]).map((choice) =>
    isJsonObject(choice) && isJsonObject(choice['delta'])
      ? { ...choice, delta: withoutThoughts(choice['delta']) }
      : choice,
  );
  return { ...chunk, data: JSON.stringify({ ...data, choices }) };
}

const BREAK = '\n\n';

const parsed = (data: string): JsonObject => {
  const value: unknown = JSON.parse(data);
  return isJsonObject(value) ? value : {};
};

const textMember = (chunk: JsonObject, name: string): string | null => {
  const value = chunk[name];
  return typeof value === 'string' ? value : null;
};

interface RoundEnd {
  /** Functions run next, so the client does not get the finish reason. */
  readonly callsFollow: boolean;
  /** Added to the last chunk. */
  readonly extension: string;
}

/**
 * Joins the chunks of several model requests to one answer with one id, one finish reason and no function calls. The text
 * of each request is a paragraph.
 */
export class RoundFraming {
  /** Identity of the first written chunk; later chunks get its id. */
  private head: (ChunkIdentity & { readonly json: string }) | null = null;
  private written = false;
  private breakDue = false;
  private ownId: string | null = null;
  private isFirstOfRound = true;

  /** @param showsThoughts for callers who may see the whole prompt, which thoughts quote */
  constructor(
    private readonly own: ChunkIdentity,
    private readonly showsThoughts: boolean,
  ) {}

  begin(): void {
    this.ownId = null;
    this.isFirstOfRound = true;
    this.breakDue = this.written;
  }

  frameOf(given: ModelChunk, { callsFollow, extension }: RoundEnd): string {
    const chunk = this.showsThoughts ? given : chunkWithoutThoughts(given);
    if (chunk.finishReason !== null) return callsFollow ? this.said(chunk) : this.last(chunk, extension);
    if (chunk.calls !== undefined) return this.said(chunk);
    if (this.head === null) return this.first(chunk);
    return chunk.text === '' ? this.silent(chunk) : this.paragraph(chunk) + dataFrame(this.underOneId(chunk.data));
  }

  /** OpenAI's usage chunk with the sum of all requests. */
  usageFrame(usage: Usage): string {
    const { id, created, model } = this.head ?? this.own;
    return dataFrame(JSON.stringify({ id, object: 'chat.completion.chunk', created, model, choices: [], usage }));
  }

  private last(chunk: ModelChunk, extension: string): string {
    const { usage: _usage, choices, ...rest } = parsed(chunk.data);
    const whole = { ...rest, ...(this.head === null ? {} : { id: this.head.id }), choices: withoutCalls(choices) };
    return this.paragraph(chunk) + dataFrame(spliced(JSON.stringify(whole), extension));
  }

  /** The client's first chunk passes unchanged. */
  private first(chunk: ModelChunk): string {
    this.know(parsed(chunk.data));
    this.written ||= chunk.text !== '';
    return dataFrame(chunk.data);
  }

  /** A role is told once; whatever else a chunk without text says (thoughts, a refusal) is passed on. */
  private silent(chunk: ModelChunk): string {
    const { choices, ...rest } = parsed(chunk.data);
    const [choice] = Array.isArray(choices) ? (choices as unknown[]) : [];
    if (!isJsonObject(choice) || !isJsonObject(choice['delta'])) return '';
    const { role: _role, content: _content, ...delta } = choice['delta'];
    if (Object.keys(delta).length === 0) return '';
    const id = this.head?.id ?? textMember(rest, 'id') ?? '';
    return dataFrame(JSON.stringify({ ...rest, id, choices: [{ ...choice, delta }] }));
  }

  /** The text of a chunk that also carries calls, or ends a round with calls. */
  private said(chunk: ModelChunk): string {
    if (chunk.text === '') return '';
    if (this.head === null) this.know(parsed(chunk.data));
    return this.paragraph(chunk) + this.contentFrame(chunk.text);
  }

  private paragraph({ text }: ModelChunk): string {
    if (text === '') return '';
    const due = this.breakDue;
    this.breakDue = false;
    this.written = true;
    return due ? this.contentFrame(BREAK) : '';
  }

  private contentFrame(content: string): string {
    const choices = [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }];
    const { id, created, model } = this.head ?? this.own;
    return dataFrame(JSON.stringify({ id, object: 'chat.completion.chunk', created, model, choices }));
  }

  private know(chunk: JsonObject): void {
    const id = textMember(chunk, 'id') ?? this.own.id;
    const created = typeof chunk['created'] === 'number' ? chunk['created'] : this.own.created;
    this.head = { id, created, model: textMember(chunk, 'model') ?? this.own.model, json: JSON.stringify(id) };
    this.ownId = null;
    this.isFirstOfRound = false;
  }

  /** Replaces the id of later requests as text: chunks are not parsed. */
  private underOneId(data: string): string {
    if (this.isFirstOfRound) {
      this.isFirstOfRound = false;
      const own = textMember(parsed(data), 'id');
      this.ownId = own === null || own === this.head?.id ? null : JSON.stringify(own);
    }
    const { ownId, head } = this;
    if (ownId === null || head === null) return data;
    const at = data.indexOf(ownId);
    return at === -1 ? data : data.slice(0, at) + head.json + data.slice(at + ownId.length);
  }
}

function withoutCalls(choices: unknown): unknown {
  if (!Array.isArray(choices)) return choices;
  return choices.map((choice: unknown) => {
    if (!isJsonObject(choice) || !isJsonObject(choice['delta'])) return choice;
    const { tool_calls: _calls, ...delta } = choice['delta'];
    return { ...choice, delta };
  });
}

type Frame = (event: StampedRunEvent, identity: ChunkIdentity) => string;

const comment: Frame = (event) =>
  'message' in event && event.type !== 'run.failed' ? commentFrame(event.message) : '';

/** Progress events. Deltas, sources, usage and the end are in the answer's own chunks. */
const isProgress = ({ type }: StampedRunEvent): boolean =>
  type.startsWith('tool.') ||
  ['run.progress', 'warning', 'prompt.ready', 'llm.started', 'llm.tool_call', 'plan.ready', 'answer.checked'].includes(
    type,
  );

const chunk: Frame = (event, { id, created, model }) =>
  isProgress(event)
    ? dataFrame(JSON.stringify({ id, object: 'chat.completion.chunk', created, model, choices: [], progress: event }))
    : '';

const statusFrame = (status: string, tool: string, message: string): string =>
  dataFrame(JSON.stringify({ type: 'status', status, tool, message }));

/** Functions have the name that the model uses. */
const nameOf = ({ call, plugin }: ToolRef): string => call?.name ?? plugin;

/** Frames of the progress mode `status` (docs/reference/events.md). */
const status: Frame = (event) => {
  if (event.type === 'tool.started') return statusFrame('tool_call', nameOf(event), `🔧 Calling ${nameOf(event)}...`);
  if (event.type === 'tool.completed')
    return statusFrame('tool_complete', nameOf(event), `✅ ${nameOf(event)} completed`);
  if (event.type === 'tool.failed') return statusFrame('tool_error', nameOf(event), `❌ ${nameOf(event)} failed`);
  return '';
};

const FRAMES: Readonly<Record<ProgressMode, Frame>> = { comment, chunk, status, off: () => '' };

/** Frames of events in the client's progress mode; '' for none. */
export const progressFrame = (mode: ProgressMode): Frame => FRAMES[mode];

const DONE = dataFrame('[DONE]');

const endFrame = (event: Extract<AnswerEvent, { type: 'finished' | 'failed' }>): string =>
  event.type === 'finished' ? DONE : dataFrame(JSON.stringify(openAiError(event.error)));

/** Turns the events of one answer into frames of OpenAI's stream; '' for none. */
export class StreamFrames {
  private identity: ChunkIdentity | null = null;
  private extension: string;
  private rounds: RoundFraming | null = null;
  private readonly progress: ReturnType<typeof progressFrame>;

  constructor(private readonly completion: Completion) {
    this.extension = extensionJson(completion.run.id, []);
    this.progress = progressFrame(completion.request.progress);
  }

  of(event: AnswerEvent): string {
    return event.type === 'delta' ? this.delta(event) : this.other(event);
  }

  private other(event: Exclude<AnswerEvent, { type: 'delta' }>): string {
    switch (event.type) {
      case 'progress':
        return this.told(event.event);
      case 'begun':
        return this.begin(event.model);
      case 'sources':
        this.extension = extensionJson(this.completion.run.id, event.sources);
        return '';
      case 'round':
        this.rounds ??= new RoundFraming(this.ownIdentity(), this.completion.assistant.disclosure === 'whole');
        this.rounds.begin();
        return '';
      case 'report':
        return reportFrames(event.markdown, this.ownIdentity(), this.extension, this.completion.request.includeUsage);
      case 'answered':
        return this.usage(event);
      case 'finished':
      case 'failed':
        return endFrame(event);
      case 'message':
      case 'tool_calls':
        return '';
    }
  }

  private begin(model: string): string {
    this.identity = ownIdentity(this.completion, model);
    return '';
  }

  /** One socket read of the vendor becomes one write to the client. */
  private delta({ chunks, callsFollow }: Extract<AnswerEvent, { type: 'delta' }>): string {
    const { rounds, extension } = this;
    const { includeUsage } = this.completion.request;
    let frames = '';
    if (rounds === null) for (const chunk of chunks) frames += chunkFrame(chunk, { includeUsage, extension });
    else for (const chunk of chunks) frames += rounds.frameOf(chunk, { callsFollow, extension });
    return frames;
  }

  /** A usage chunk with the sum of all rounds. Without rounds, the vendor's own usage chunk was already forwarded. */
  private usage({ usage }: Extract<AnswerEvent, { type: 'answered' }>): string {
    if (this.rounds === null || usage === null || !this.completion.request.includeUsage) return '';
    return this.rounds.usageFrame(usage);
  }

  private told(event: StampedRunEvent): string {
    return this.identity === null ? '' : this.progress(event, this.identity);
  }

  private ownIdentity(): ChunkIdentity {
    return this.identity ?? ownIdentity(this.completion, '');
  }
}
