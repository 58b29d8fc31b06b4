import type { ModelChunk } from '../../connectors';
import { isJsonObject, type JsonObject, type Usage } from '../../kernel';
import { dataFrame } from '../../infrastructure/sse';
import { spliced } from './chunk-frames';
import type { ChunkIdentity } from './chunk-identity';
import { chunkWithoutThoughts } from './hidden-thoughts';

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
