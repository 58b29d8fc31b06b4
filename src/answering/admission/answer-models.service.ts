import { AppError, type Awaitable, after, onFailure } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import type { RunnableAssistant } from '../../assistants';
import { ConnectorsService, type ResolvedModel } from '../../connectors';
import { expectedTokens, promptTokens } from '../../metering';
import type { ChatRequest } from '../chat-request';

export interface ExpectedAnswer {
  readonly provider: string;
  readonly model: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** A model that cannot be resolved, or has no vendor, costs nothing. */
const FREE: ExpectedAnswer = { provider: '', model: '', promptTokens: 0, completionTokens: 0 };

/** The model that answers for an assistant. */
@Injectable()
export class AnswerModels {
  constructor(private readonly connectors: ConnectorsService) {}

  /** @throws AppError `connector_not_configured`, `secret_unavailable` */
  resolve({ organizationId, document }: RunnableAssistant): Awaitable<ResolvedModel> {
    const { connector, llm, functions } = document;
    return this.connectors.resolve(organizationId, { connector, llm, callsFunctions: functions.length > 0 });
  }

  /** The `fast_model` of the same provider; null without one. @throws as `resolve` */
  async cheaper({ organizationId, document }: RunnableAssistant): Promise<ResolvedModel | null> {
    const { connector, llm } = document;
    return this.connectors.fast(organizationId, { connector, llm });
  }

  /** A first estimate, before tools have filled the prompt; null when there is no cheaper model. */
  estimate(
    assistant: RunnableAssistant,
    { messages, params }: ChatRequest,
    cheaper: boolean,
  ): Awaitable<ExpectedAnswer | null> {
    const resolve = (): Awaitable<ResolvedModel | null | undefined> =>
      cheaper ? this.cheaper(assistant) : this.resolve(assistant);
    const resolved = onFailure(resolve, (error) => {
      // The answer itself will report it.
      if (error instanceof AppError) return undefined;
      throw error;
    });
    return after(resolved, (found) => {
      if (found === null) return null;
      if (found === undefined || found.provider === null) return FREE;
      const { provider, model } = found;
      return { provider, model, promptTokens: promptTokens(messages), completionTokens: expectedTokens(params) };
    });
  }
}
