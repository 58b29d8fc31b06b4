import { Injectable, Logger } from '@nestjs/common';
import type { CallToolResult, GetPromptResult } from '@modelcontextprotocol/sdk/types.js';
import { questionRequest, QuietAnswers, toldEvents } from '../../src/answering';
import { type AppError } from '../../src/kernel';
import { ERROR_STATUS, toAppError } from '../../src/infrastructure/http';
import { redactText } from '../../src/runs';
import { answerContent, promptMessages } from './answer-content';
import type { CallExtra } from './call-extra.types';
import { McpCatalogue, type McpVisitor, unknown } from './mcp-catalogue.service';
import { Progress } from './progress';
import { RPC, RpcError } from './rpc.errors';

/** Arguments that a client may send. */
type Arguments = Readonly<Record<string, unknown>> | undefined;

/** Runs assistants for `tools/call` and `prompts/get`: the same runs, rights and records as over HTTP. */
@Injectable()
export class AssistantCalls {
  private readonly logger = new Logger('Mcp');

  constructor(
    private readonly catalogue: McpCatalogue,
    private readonly answers: QuietAnswers,
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
        onOpened: (completion) => progress.follow(toldEvents(completion)),
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
          progress.follow(toldEvents(completion));
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

/** For programs; models read the text. */
const metaOf = ({ runId, sources, usage }: Awaited<ReturnType<QuietAnswers['answer']>>): CallToolResult['_meta'] => ({
  'bellwether/run_id': runId,
  'bellwether/sources': sources,
  ...(usage === null ? {} : { 'bellwether/usage': usage }),
});
