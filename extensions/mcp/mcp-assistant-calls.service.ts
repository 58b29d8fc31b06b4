import {
  type AppError,
  type Caller,
  type ChatMessage,
  type Source,
  type StampedRunEvent,
  isJsonObject,
  isTextPart,
} from '@bellwether/kernel';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type {
  CallToolResult,
  GetPromptResult,
  ServerNotification,
  ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { Injectable, Logger } from '@nestjs/common';
import { type Completion, HeadlessCompletions, questionRequest, toldEvent } from '../../src/answering';
import { ERROR_STATUS, toAppError } from '../../src/infrastructure/http';
import { Signals } from '../../src/infrastructure/signals';
import { redactText } from '../../src/runs';
import { McpCatalogue, type McpVisitor, unknown } from './mcp-catalogue.service';
import { RPC, RpcError } from './rpc.errors';

/** Between replicas; payload: a client's key and, unless all of its calls end, the id of a request. */
const CANCEL = 'mcp.cancel';

type RequestId = string | number;

/** The client of a request: a session id is a client's own label and means nothing without the caller it came from. */
export interface McpClient {
  readonly caller: Pick<Caller, 'organizationId' | 'userId' | 'credentialId'>;
  /** From `Mcp-Session-Id`; '' for clients that send none. */
  readonly session: string;
}

const clientKey = ({ caller, session }: McpClient): string =>
  JSON.stringify([caller.organizationId, caller.userId, caller.credentialId, session]);

/**
 * Calls that are being answered, so that a cancellation, which is a request of its own, finds them on any replica. This is
 * the only state of the MCP API. A client can cancel its own calls only.
 */
@Injectable()
export class CallsInFlight {
  private readonly clients = new Map<string, Map<RequestId, Set<() => void>>>();

  constructor(private readonly signals: Signals) {
    signals.on(CANCEL, (payload) => this.heard(payload));
  }

  /** Returns what to call when the answer has ended. */
  enter(client: McpClient, request: RequestId, stop: () => void): () => void {
    const key = clientKey(client);
    const calls = this.clients.get(key) ?? new Map<RequestId, Set<() => void>>();
    this.clients.set(key, calls);
    const stops = calls.get(request) ?? new Set();
    calls.set(request, stops.add(stop));
    return () => {
      stops.delete(stop);
      if (stops.size === 0 && calls.get(request) === stops) calls.delete(request);
      if (calls.size === 0 && this.clients.get(key) === calls) this.clients.delete(key);
    };
  }

  cancel(client: McpClient, request: RequestId): void {
    this.signals.publish(CANCEL, JSON.stringify({ client: clientKey(client), request }));
  }

  cancelAll(client: McpClient): void {
    this.signals.publish(CANCEL, JSON.stringify({ client: clientKey(client) }));
  }

  private heard(payload: string): void {
    const said: unknown = JSON.parse(payload);
    if (!isJsonObject(said)) return;
    const calls = this.clients.get(String(said['client']));
    if (calls === undefined) return;
    const ended = 'request' in said ? [calls.get(said['request'] as RequestId) ?? new Set()] : [...calls.values()];
    for (const stop of ended.flatMap((stops) => [...stops])) stop();
  }

  get size(): number {
    return [...this.clients.values()].reduce((sum, calls) => sum + calls.size, 0);
  }
}

/** The SDK's second argument to a request handler. */
type CallExtra = Pick<RequestHandlerExtra<ServerRequest, ServerNotification>, 'signal' | '_meta' | 'sendNotification'>;

/** Clients measure their patience from the last word. */
const HEARTBEAT_MS = 10_000;
/** Tools may tell of every step; a client needs to see that something moves. */
const CHATTY_MS = 100;
const CHATTY: ReadonlySet<string> = new Set(['tool.progress', 'run.progress', 'tool.retry']);

/**
 * Tells a client that asked for it how its call goes on (MCP specification, "Progress"). The texts are those of the
 * completions' progress: names and figures, never contents.
 */
class Progress {
  private readonly token: string | number | undefined;
  private unfollow = (): void => undefined;
  private heartbeat: NodeJS.Timeout | null = null;
  private sent = 0;
  private lastChatty = -Infinity;

  constructor(private readonly extra: CallExtra) {
    this.token = extra._meta?.progressToken;
  }

  follow(completion: Completion): void {
    if (this.token === undefined) return;
    this.unfollow = completion.run.follow((event) => this.tell(toldEvent(completion, event)));
    this.heartbeat = setInterval(() => this.send('The assistant is working'), HEARTBEAT_MS);
  }

  end(): void {
    this.unfollow();
    if (this.heartbeat !== null) clearInterval(this.heartbeat);
  }

  private tell(event: StampedRunEvent): void {
    if (CHATTY.has(event.type)) {
      const now = performance.now();
      if (now - this.lastChatty < CHATTY_MS) return;
      this.lastChatty = now;
    }
    const message = textOf(event);
    if (message !== null) this.send(message);
  }

  private send(message: string): void {
    const { token } = this;
    if (token === undefined) return;
    this.sent += 1;
    const params = { progressToken: token, progress: this.sent, message };
    // A client that left hears nothing; its call ends by the closed connection.
    this.extra.sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
  }
}

function textOf(event: StampedRunEvent): string | null {
  if (event.type === 'llm.started') return 'The model is asked';
  if (event.type === 'run.failed' || event.type === 'warning') return null;
  return 'message' in event ? event.message : null;
}

/** The answer, then, as a part of its own, where it is from. */
function answerContent({ text, sources }: { text: string; sources: readonly Source[] }): CallToolResult['content'] {
  const answer = { type: 'text', text: text.toWellFormed() } as const;
  if (sources.length === 0) return [answer];
  return [answer, { type: 'text', text: `Sources:\n${sources.map(lineOf).join('\n').toWellFormed()}` }];
}

function lineOf(source: Source, index: number): string {
  const number = `[${source.n ?? index + 1}]`;
  if (source.type === 'file') return `${number} ${source.path}`;
  if (source.type === 'rubric') return `${number} ${source.title}`;
  const page = source.page === undefined ? '' : `, p. ${source.page}`;
  // Without a public URL links are relative, and a client of this API has nothing to resolve them against.
  const url = /^https?:\/\//.test(source.url) ? ` ${source.url}` : '';
  return `${number} ${source.title}${page}${url}`;
}

/** MCP knows no system messages: they come first, as what the user says. Pictures are named, not sent. */
function promptMessages(
  messages: readonly ChatMessage[],
  redact: (text: string) => string,
): GetPromptResult['messages'] {
  return messages.map(({ role, content }) => ({
    role: role === 'assistant' ? 'assistant' : 'user',
    content: { type: 'text', text: redact(plain(content)).toWellFormed() },
  }));
}

function plain(content: ChatMessage['content']): string {
  if (content === null || content === undefined || typeof content === 'string') return content ?? '';
  return content.map((part) => (isTextPart(part) ? part.text : `[${part.type}]`)).join('\n');
}

/** Arguments that a client may send. */
type Arguments = Readonly<Record<string, unknown>> | undefined;

/** Runs assistants for `tools/call` and `prompts/get`: the same runs, rights and records as over HTTP. */
@Injectable()
export class McpAssistantCalls {
  private readonly logger = new Logger('Mcp');

  constructor(
    private readonly catalogue: McpCatalogue,
    private readonly answers: HeadlessCompletions,
  ) {}

  /** A failure of the run is a result with `isError`, so that the client's model can continue. @throws RpcError */
  async tool(visitor: McpVisitor, name: string, args: Arguments, extra: CallExtra): Promise<CallToolResult> {
    const { id } = await this.catalogue.tool(visitor, name);
    const query = queryOf(args);
    if (query === null) return failed('The argument `query` must be a text that is not empty; there are no others.');
    const progress = new Progress(extra);
    try {
      const answer = await this.answers.answer({
        caller: visitor.caller,
        assistantId: id,
        request: questionRequest(query),
        signal: extra.signal,
        onOpened: (completion) => progress.follow(completion),
      });
      return { content: answerContent(answer), _meta: metaOf(answer) };
    } catch (error) {
      const { code } = this.known(error);
      if (code === 'not_found') throw unknown('tool', name);
      return failed(`The assistant could not answer (${code}).`);
    } finally {
      progress.end();
    }
  }

  /** The messages that the model would get, filled by the assistant's own pipeline; no model is asked. @throws RpcError */
  async prompt(visitor: McpVisitor, name: string, args: Arguments, extra: CallExtra): Promise<GetPromptResult> {
    const { id, description } = await this.catalogue.prompt(visitor, name);
    const query = queryOf(args);
    if (query === null) throw new RpcError(RPC.invalidParams, 'The argument `query` is required');
    const progress = new Progress(extra);
    let secrets: readonly string[] = [];
    try {
      const { messages } = await this.answers.prompt({
        caller: visitor.caller,
        assistantId: id,
        request: questionRequest(query),
        signal: extra.signal,
        onOpened: (completion) => {
          secrets = completion.secrets;
          progress.follow(completion);
        },
      });
      return { description, messages: promptMessages(messages, (text) => redactText(text, secrets)) };
    } catch (error) {
      const { code } = this.known(error);
      if (code === 'not_found') throw unknown('prompt', name);
      throw new RpcError(RPC.internal, `The prompt could not be filled (${code})`);
    } finally {
      progress.end();
    }
  }

  private known(error: unknown): AppError {
    const known = toAppError(error);
    if (ERROR_STATUS[known.code] >= 500) this.logger.error({ msg: 'call over MCP failed', code: known.code });
    return known;
  }
}

/** Null for anything but one text called `query`. */
function queryOf(args: Arguments): string | null {
  const names = Object.keys(args ?? {});
  const query = args?.['query'];
  if (names.length !== 1 || typeof query !== 'string' || query.trim() === '') return null;
  return query.toWellFormed();
}

const failed = (text: string): CallToolResult => ({ isError: true, content: [{ type: 'text', text }] });

/** Metadata for programs; models read the text. */
const metaOf = ({
  runId,
  sources,
  usage,
}: Awaited<ReturnType<HeadlessCompletions['answer']>>): CallToolResult['_meta'] => ({
  'bellwether/run_id': runId,
  'bellwether/sources': sources,
  ...(usage === null ? {} : { 'bellwether/usage': usage }),
});
