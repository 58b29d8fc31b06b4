import { Injectable } from '@nestjs/common';
import { AssistantsService } from '../assistants';
import { AppError, type Caller } from '../kernel';
import { OrganizationsService } from '../organizations';
import { RunsService } from '../runs';
import type { ChatRequest } from './chat-request';
import type { Completion } from './completion.types';
import { isSwitchedOff } from './feature-switches';
import { secretsOf } from './organization-secrets';
import { StreamsInFlight } from './streams-in-flight';

/** Everything that is checked before a run exists; what fails here answers with a status of its own. */
@Injectable()
export class CompletionOpening {
  constructor(
    private readonly assistants: AssistantsService,
    private readonly organizations: OrganizationsService,
    private readonly runs: RunsService,
    private readonly inFlight: StreamsInFlight,
  ) {}

  /** @throws `not_found`, `feature_disabled`, `server_shutdown`. */
  async open(caller: Caller, assistantId: number, request: ChatRequest): Promise<Completion> {
    const assistant = await this.assistants.runnable(caller, assistantId);
    const organization = await this.organizations.runtime(assistant.organizationId);
    if (isSwitchedOff(assistant, organization))
      throw new AppError('feature_disabled', 'Multi-tool assistants are switched off in this organization');
    const { document } = assistant;
    const secrets = secretsOf(organization);
    this.inFlight.assertOpen();
    // From here on nothing may throw: an opened run that nobody ends would hold up the shutdown.
    const run = this.runs.open({
      assistant: {
        id: assistant.id,
        name: assistant.name,
        organizationId: assistant.organizationId,
        ownerId: assistant.ownerId,
        type: document.type,
      },
      caller,
      strategy: document.type === 'multi_tool' ? document.orchestrator : null,
      stream: request.stream,
    });
    return {
      run,
      leave: this.inFlight.enter(run),
      assistant,
      request,
      wantsReport: (request.verbose || document.verbose) && assistant.access !== 'use',
      secrets,
      facts: {
        connector: null,
        model: null,
        prepared: null,
        preparedMs: null,
        firstTokenMs: null,
        finishReason: null,
        usage: null,
        warnings: [],
      },
    };
  }
}
