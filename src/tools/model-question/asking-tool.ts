import type { JsonObject } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { StructuredAnswers, type StructuredQuestion } from '../../connectors';
import type { Tool, ToolCaching, ToolContext, ToolDefinition, ToolInput, ToolOutput } from '../contract';

type Question = Pick<StructuredQuestion, 'messages' | 'schema' | 'name' | 'maxTokens'>;

/** A tool that asks the organization's fast model one question about earlier results. */
@Injectable()
export abstract class AskingTool<Config = JsonObject> implements Tool<Config> {
  abstract readonly definition: ToolDefinition;
  readonly timeoutMs = 60_000;
  /** The connector retries. */
  readonly retries = 0;
  readonly caching: ToolCaching<Config> = { results: true };

  constructor(@Inject(StructuredAnswers) private readonly answers: Pick<StructuredAnswers, 'ask' | 'hostFor'>) {}

  abstract run(config: Config, input: ToolInput, context: ToolContext): Promise<ToolOutput>;

  target(_: Config, { owner, connector }: Pick<ToolContext, 'owner' | 'connector'>): Promise<string | null> {
    return this.answers.hostFor({ organizationId: owner.organizationId, connector });
  }

  protected ask<T>(context: ToolContext, question: Question): ReturnType<typeof this.answers.ask<T>> {
    const { owner, connector, signal, runId, remainingMs: timeoutMs } = context;
    return this.answers.ask<T>({
      organizationId: owner.organizationId,
      connector,
      signal,
      runId,
      timeoutMs,
      ...question,
    });
  }
}
