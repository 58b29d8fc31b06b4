import type { Response } from 'express';
import type { ModelRequest } from '../connectors';
import { addUsage, isJsonObject, type JsonObject, type Usage } from '../kernel';
import { type RoundAnswer, wantsFunctions } from '../tool-calling';
import { type AnswerWriter, type Completion, type ModelCall, sourcesOf } from './completion.types';
import { reportBody } from './report-answer';
import { wholeBody } from './whole-body';

/** The answer as one JSON body, serialised once and written past Express' own `json` (no ETag, no second copy). */
export class JsonWriter implements AnswerWriter {
  private body = '';
  /** What the model said in each round. */
  private readonly texts: string[] = [];

  constructor(
    private readonly response: Response,
    private readonly completion: Completion,
  ) {}

  begin(): void {
    /* nothing is written before the whole answer is there */
  }

  async model(call: ModelCall, request: ModelRequest): Promise<void> {
    const { facts } = this.completion;
    const answer = await call.complete(request);
    const spent = facts.usage;
    facts.usage = addUsage(spent, answer.usage);
    facts.finishReason = answer.finishReason;
    this.keep(spent === null || answer.usage === null ? answer.body : withFigures(answer.body, facts.usage));
  }

  async round(call: ModelCall, request: ModelRequest): Promise<RoundAnswer> {
    const { facts } = this.completion;
    const answer = await call.complete(request);
    const { text, calls, finishReason, usage } = answer;
    facts.usage = addUsage(facts.usage, usage);
    facts.finishReason = finishReason;
    this.texts.push(text);
    if (!wantsFunctions(calls.length, finishReason)) this.keep(wholeBody(answer.body, this.texts, facts.usage));
    return { text, calls, finishReason, usage };
  }

  report(markdown: string, model: string): void {
    const { run, facts } = this.completion;
    facts.finishReason = 'stop';
    const created = Math.floor(run.startedAt.getTime() / 1000);
    this.keep(reportBody(markdown, { id: `chatcmpl-${run.id}`, created, model }));
  }

  end(): void {
    if (this.response.destroyed) return;
    this.response.writeHead(200, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(this.body),
    });
    // A text, not bytes: Node puts it behind the header and writes to the socket once.
    this.response.end(this.body);
  }

  fail(): boolean {
    return false;
  }

  private keep(body: object): void {
    const { run, facts } = this.completion;
    this.body = JSON.stringify({ ...body, run_id: run.id, sources: sourcesOf(facts) });
  }
}

/** The figures of the whole run, its tools included; what else the vendor tells of its own stays. */
const withFigures = (body: JsonObject, usage: Usage | null): JsonObject => ({
  ...body,
  usage: { ...(isJsonObject(body['usage']) ? body['usage'] : {}), ...usage },
});
