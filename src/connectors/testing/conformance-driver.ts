import { AppError, uuidv7, type FunctionCall, type Usage } from '@bellwether/kernel';
import type { Connector, FunctionCallDelta, ModelAnswer, ModelChunk, ModelRequest, ModelTarget } from '../contract';
import { iterated } from './iterated';
import type { ScriptedVendor } from './scripted-vendor.types';

export interface ConnectorCase {
  /** Made with limits under which nothing waits longer than two seconds. */
  readonly connector: () => Connector;
  readonly target: () => ModelTarget;
  /** null for a connector that asks nobody and answers a question with the question. */
  readonly vendor: ScriptedVendor | null;
  /** The answer to a question of this text, for a connector without a vendor that does not repeat the question. */
  readonly answerTo?: (text: string) => string;
  /** A model that the connector takes. */
  readonly model: string;
}

export interface Streamed {
  readonly chunks: readonly ModelChunk[];
  readonly text: string;
  readonly calls: readonly FunctionCall[];
  readonly finishReason: string | null;
  readonly usage: Usage | null;
  /** The error that ended the stream. */
  readonly error: AppError | null;
}

/** Drives one connector as the APIs do. */
export class ConformanceDriver {
  constructor(private readonly subject: ConnectorCase) {}

  get connector(): Connector {
    return this.subject.connector();
  }

  /** The scripted vendor. @throws Error for a connector that has none */
  get vendor(): ScriptedVendor {
    if (this.subject.vendor === null) throw new Error('This connector asks no vendor');
    return this.subject.vendor;
  }

  /** Makes the next call answer with this text, whatever the connector. */
  saying(text: string): ModelRequest {
    this.subject.vendor?.answers({ content: text });
    return this.request({ messages: [{ role: 'user', content: text }] });
  }

  /** The text of the answer to `saying(text)`. */
  said(text: string): string {
    return this.subject.answerTo?.(text) ?? text;
  }

  request(overrides: Partial<ModelRequest> = {}): ModelRequest {
    return { model: this.subject.model, messages: [{ role: 'user', content: 'Why?' }], params: {}, ...overrides };
  }

  async complete(request = this.request(), signal?: AbortSignal): Promise<ModelAnswer> {
    return this.connector.complete(request, this.subject.target(), this.context(signal));
  }

  /** The error of a call that must fail. */
  async failure(request = this.request(), signal?: AbortSignal): Promise<AppError> {
    const end: unknown = await this.complete(request, signal).catch((error: unknown) => error);
    if (end instanceof AppError) return end;
    throw new Error(`Expected an AppError, got ${end instanceof Error ? end.message : JSON.stringify(end)}`);
  }

  open(request = this.request(), signal?: AbortSignal): AsyncIterator<readonly ModelChunk[]> {
    const context = this.context(signal);
    return iterated((take) => this.connector.stream(request, this.subject.target(), context, take));
  }

  async stream(request = this.request(), signal?: AbortSignal, organizationId = 'a'): Promise<Streamed> {
    const chunks: ModelChunk[] = [];
    let error: AppError | null = null;
    try {
      const context = { ...this.context(signal), organizationId };
      await this.connector.stream(request, this.subject.target(), context, (batch) => void chunks.push(...batch));
    } catch (thrown) {
      if (!(thrown instanceof AppError)) throw thrown;
      error = thrown;
    }
    return {
      chunks,
      text: chunks.map(({ text }) => text).join(''),
      calls: assembled(chunks.flatMap(({ calls }) => calls ?? [])),
      finishReason: chunks.find(({ finishReason }) => finishReason !== null)?.finishReason ?? null,
      usage: chunks.find(({ usage }) => usage !== null)?.usage ?? null,
      error,
    };
  }

  private context(signal: AbortSignal = new AbortController().signal) {
    return { signal, runId: uuidv7(), emit: () => undefined };
  }
}

/** The calls that the deltas make, read as strictly as OpenAI's own client does. */
function assembled(deltas: readonly FunctionCallDelta[]): FunctionCall[] {
  const calls: { id: string; name: string; given: string }[] = [];
  for (const { index, id, name, arguments: given } of deltas) {
    const known = calls[index];
    if (known !== undefined) known.given += given;
    else if (index === calls.length && id !== null && name !== null) calls.push({ id, name, given });
    else throw new Error(`The first piece of call ${index} has no id or no name, or is out of turn`);
  }
  return calls.map(({ id, name, given }) => ({ id, type: 'function', function: { name, arguments: given } }));
}
