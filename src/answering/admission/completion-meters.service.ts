import type { Caller } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import type { RunnableAssistant } from '../../assistants';
import { Metering, type RunMeter } from '../../metering';
import { type OrganizationRuntime, VendorPseudonyms } from '../../organizations';
import type { ParentRun } from '../../runs';
import type { ChatRequest } from '../chat-request';
import { AnswerModels } from './answer-models.service';

interface MeteredCompletion {
  readonly caller: Caller;
  readonly request: ChatRequest;
  readonly parent?: ParentRun | null;
}

/** Opens the meter of a completion: reserves what the payer's rules count. */
@Injectable()
export class CompletionMeters {
  constructor(
    private readonly metering: Metering,
    private readonly models: AnswerModels,
    private readonly pseudonyms: VendorPseudonyms,
  ) {}

  /** @throws AppError `rate_limited`, `quota_exceeded` */
  open(
    { caller, request, parent }: MeteredCompletion,
    assistant: RunnableAssistant,
    payer: OrganizationRuntime,
  ): Promise<RunMeter> {
    return this.metering.open({
      caller,
      assistant,
      payer,
      stream: request.stream,
      nested: parent !== undefined && parent !== null,
      mayEdit: assistant.access !== 'use' || assistant.disclosure !== 'none',
      estimate: (cheaper) => this.models.estimate(assistant, request, cheaper),
    });
  }

  /** Model calls of the run find the meter, and the person, until the returned function is called. */
  bind(runId: string, meter: RunMeter, caller: Caller): () => void {
    this.metering.bind(runId, meter);
    this.pseudonyms.bind(runId, caller);
    return () => {
      this.metering.release(runId);
      this.pseudonyms.release(runId);
    };
  }
}
