import { Inject, Injectable } from '@nestjs/common';
import { AssistantsService, type RunnableAssistant } from '../assistants';
import { AppError, type Caller } from '../kernel';
import { OrganizationsService } from '../organizations';
import { CONFIG, type Config } from '../platform/config';
import { type ParentRun, type Run, RunBudget, type RunInput, type RunLimits, RunsService } from '../runs';
import type { AssistantAbility } from '../tools';
import { AssistantAbilities } from './assistant-abilities';
import type { ChatRequest } from './chat-request';
import { assertNoClientTools } from './client-tools';
import type { Completion, CompletionFacts } from './completion.types';
import { switchedOff } from './feature-switches';
import { secretsOf } from './organization-secrets';
import { StreamsInFlight } from './streams-in-flight';

/** ACCESS.md E5. */
const CALLS_PER_TARGET = 8;

export interface OpeningInput {
  readonly caller: Caller;
  /** An assistant as it was decided upon, or the id of one that the caller must be allowed to use. */
  readonly assistant: RunnableAssistant | number;
  readonly request: ChatRequest;
  readonly parent?: ParentRun | null;
  /** A run that waited for its turn and is there already; without it one is opened. */
  readonly run?: Run;
}

interface Admitted {
  readonly assistant: RunnableAssistant;
  /** Values that must not appear in a report. */
  readonly secrets: readonly string[];
}

/** Everything that is checked before a run exists; what fails here answers with a status of its own. */
@Injectable()
export class CompletionOpening {
  private readonly limits: RunLimits;

  constructor(
    private readonly assistants: AssistantsService,
    private readonly organizations: OrganizationsService,
    private readonly runs: RunsService,
    private readonly inFlight: StreamsInFlight,
    private readonly abilities: AssistantAbilities,
    @Inject(CONFIG) { tools }: Config,
  ) {
    this.limits = { timeoutMs: tools.runTimeoutMs, tokens: tools.runTokens, callsPerTarget: CALLS_PER_TARGET };
  }

  /** @throws `not_found`, `feature_disabled`, `validation_failed`, `server_shutdown`. */
  async open(input: OpeningInput): Promise<Completion> {
    const admitted = await this.admit(input);
    this.assertOpenFor(input);
    // From here on nothing may throw: an opened run that nobody ends would hold up the shutdown.
    return this.enter(input, admitted);
  }

  /** What `open` would open a run with, for one that begins later. @throws as `open` */
  async runInput(input: OpeningInput): Promise<RunInput> {
    const { assistant } = await this.admit(input);
    this.assertOpenFor(input);
    return runInputOf(input, assistant);
  }

  private async admit({ caller, assistant: wanted, request }: OpeningInput): Promise<Admitted> {
    const assistant = typeof wanted === 'number' ? await this.assistants.runnable(caller, wanted) : wanted;
    const organization = await this.organizations.runtime(assistant.organizationId);
    const off = switchedOff(assistant, organization);
    if (off !== null) throw new AppError('feature_disabled', `${off} are switched off in this organization`);
    if (assistant.document.functions.length > 0) assertNoClientTools(request);
    return { assistant, secrets: secretsOf(organization) };
  }

  /** A run that goes on may still call its assistants while the others drain. */
  private assertOpenFor({ parent }: OpeningInput): void {
    if (!parent) this.inFlight.assertOpen();
  }

  private enter(input: OpeningInput, { assistant, secrets }: Admitted): Completion {
    const { request, parent } = input;
    const { document } = assistant;
    const opening = runInputOf(input, assistant);
    const run = input.run ?? this.runs.open(opening);
    input.run?.admit(opening);
    const { abilities } = this;
    let ability: AssistantAbility | null | undefined;
    const completion: Completion = {
      run,
      leave: this.inFlight.enter(run),
      assistant,
      request,
      wantsReport: !parent && (request.verbose || document.verbose) && assistant.access !== 'use',
      secrets,
      depth: parent?.depth ?? 0,
      budget: parent?.budget ?? new RunBudget(this.limits, run.startedMono),
      get assistants() {
        ability = ability === undefined ? abilities.abilityFor(completion) : ability;
        return ability;
      },
      facts: noFacts(),
    };
    return completion;
  }
}

function runInputOf({ caller, request, parent }: OpeningInput, assistant: RunnableAssistant): RunInput {
  const { id, name, organizationId, ownerId, document } = assistant;
  return {
    assistant: { id, name, organizationId, ownerId, type: document.type },
    caller,
    strategy: document.type === 'multi_tool' ? document.orchestrator : null,
    stream: request.stream,
    parentRunId: parent?.runId ?? null,
  };
}

const noFacts = (): CompletionFacts => ({
  connector: null,
  model: null,
  prepared: null,
  preparedMs: null,
  firstTokenMs: null,
  finishReason: null,
  usage: null,
  warnings: [],
  functions: null,
  calls: [],
  callSources: [],
  checks: [],
});
