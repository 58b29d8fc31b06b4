import {
  AppError,
  type Awaitable,
  type Caller,
  KeyedSemaphores,
  after,
  isTeacher,
  lastQuestion,
  onFailure,
  partsBesideText,
} from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import {
  AssistantsService,
  type CallReservation,
  type RunnableAssistant,
  assertFeatures,
  switchedOff,
} from '../../assistants';
import { CallerMonitor, assertScope } from '../../auth';
import { Admission, type ReleaseSlot } from '../../infrastructure/admission';
import { CONFIG, type Config } from '../../infrastructure/config';
import { type MemoryClaim, PROMPTS } from '../../infrastructure/http';
import { Metering, type RunMeter } from '../../metering';
import { type OrganizationRuntime, OrganizationsService, VendorPseudonyms } from '../../organizations';
import {
  type ParentRun,
  type Run,
  RunBudget,
  type RunInput,
  type RunLimits,
  type RunReplay,
  RunsService,
} from '../../runs';
import type { AssistantAbility } from '../../tools';
import { type ChatRequest, assertNoClientTools } from '../chat-request';
import type { Completion, RecordedRun } from '../completion.types';
import { AnswerModels } from './answer-models.service';
import { ASSISTANT_ABILITY, type AbilityProvider } from './assistant-ability.token';
import { type AdmittedQuestion, QUESTION_RULES, type QuestionRules } from './question-rules.token';
import { StreamsInFlight } from './streams-in-flight';

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
  ): Awaitable<RunMeter> {
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

/** The assistants that are switched on, each with its own organization, which need not be the caller's. */
export async function running(
  assistants: readonly RunnableAssistant[],
  organizations: Pick<OrganizationsService, 'runtime'>,
): Promise<{ assistant: RunnableAssistant; organization: OrganizationRuntime }[]> {
  const ids = [...new Set(assistants.map(({ organizationId }) => organizationId))];
  const runtimes = new Map(await Promise.all(ids.map(async (id) => [id, await organizations.runtime(id)] as const)));
  return assistants.flatMap((assistant) => {
    const organization = runtimes.get(assistant.organizationId);
    if (organization === undefined || switchedOff(assistant.required, organization.features)) return [];
    return [{ assistant, organization }];
  });
}

const RETRY_AFTER_SECONDS = 5;

/**
 * The places of a process for completions. Nested completions need none, or they could deadlock with the completions
 * above them. Background runs have a queue instead.
 */
@Injectable()
export class CompletionSlots {
  private readonly persons: KeyedSemaphores;

  constructor(
    @Inject(CONFIG) { runs }: Config,
    private readonly admission: Admission,
    private readonly organizations: OrganizationsService,
  ) {
    this.persons = new KeyedSemaphores(runs.completions.person);
  }

  /**
   * Returns the function to call at the end of the completion; a promise only if the completion has to wait. `gone` makes
   * the signal that is aborted when the client leaves; null when the request took its place before its body was read.
   * @throws `too_many_requests`, `overloaded`, `cancelled`
   */
  enter(caller: Caller, gone: (() => AbortSignal) | null): ReleaseSlot | Promise<ReleaseSlot> {
    const leavePerson = this.enterAsPerson(caller);
    if (gone === null) return both(leavePerson, NO_PLACE);
    const leave = this.admission.tryEnter(caller.organizationId);
    return leave === null ? this.wait(caller, leavePerson, gone) : both(leavePerson, leave);
  }

  private async wait(
    { organizationId }: Caller,
    leavePerson: ReleaseSlot | null,
    gone: () => AbortSignal,
  ): Promise<ReleaseSlot> {
    try {
      const weight = await this.organizations.weight(organizationId);
      return both(leavePerson, await this.admission.enter({ organizationId, weight, gone: gone() }));
    } catch (error) {
      leavePerson?.();
      throw error;
    }
  }

  /** Null when no limit per person applies: a teacher's key without an end user may serve a whole course. */
  private enterAsPerson(caller: Caller): ReleaseSlot | null {
    const { organizationId, userId, endUser } = caller;
    if (endUser === undefined && isTeacher(caller)) return null;
    const person = `${organizationId}/${userId}/${endUser?.id ?? ''}`;
    if (this.persons.tryEnter(person)) return () => this.persons.leave(person);
    const detail = 'Too many completions are being answered; wait for one to end';
    throw new AppError('too_many_requests', detail, { retryAfter: RETRY_AFTER_SECONDS });
  }
}

function both(leavePerson: ReleaseSlot | null, leave: ReleaseSlot): ReleaseSlot {
  if (leavePerson === null) return leave;
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    leavePerson();
    leave();
  };
}

interface WatchedCompletion {
  readonly run: Run;
  readonly caller: Caller;
  readonly assistant: RunnableAssistant;
  readonly parent: ParentRun | null;
  /** @throws AppError when the caller may not use the assistant any more */
  readonly assertUsable: (caller: Caller) => Promise<void>;
}

interface CompletionHold {
  /** @throws AppError when the caller has lost access */
  assertAllowed(): Promise<void>;
  leave(): void;
}

/** Registers open completions for the shutdown, and aborts a completion whose caller loses access. */
@Injectable()
export class OpenCompletions {
  constructor(
    private readonly inFlight: StreamsInFlight,
    private readonly callers: CallerMonitor,
  ) {}

  /** @throws `server_shutdown` once the service drains */
  assertOpen(): void {
    this.inFlight.assertOpen();
  }

  enter({ run, caller, assistant, parent, assertUsable }: WatchedCompletion): CompletionHold {
    const leave = this.inFlight.enter(run);
    const watch = this.callers.watch({
      caller,
      organizationIds: [caller.organizationId, assistant.organizationId],
      subject: `assistant/${assistant.id}/${assistant.draft ? 'draft' : ''}/${parent?.runId ?? ''}`,
      check: async (now) => {
        assertScope(now, 'chat');
        // A nested run depends on the rights of the calling assistant's owner, which `mayGoOn` checks.
        if (parent === null) await assertUsable(now);
        else if (!(await parent.mayGoOn(now))) throw new AppError('not_found', 'Assistant not found');
      },
      end: ({ code }) => run.abort(code),
    });
    return {
      assertAllowed: () => watch.assert(),
      leave: () => {
        watch.leave();
        leave();
      },
    };
  }
}

/**
 * The organization's secrets, which reports redact. A secret that cannot be decrypted is in no report, and must not stop
 * assistants that do not use it.
 */
function secretsOf({ providers, knowledgeBase, moodle, mcpServers }: OrganizationRuntime): readonly string[] {
  const reads = [
    ...[...providers.values()].map((provider) => () => provider.apiKey),
    () => knowledgeBase?.apiToken ?? null,
    () => moodle?.token ?? null,
    ...[...mcpServers.values()].map((server) => () => server.token),
  ];
  return reads.map(opened).filter((secret) => secret !== null);
}

function opened(read: () => string | null): string | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError && error.code === 'secret_unavailable') return null;
    throw error;
  }
}

/** Calls of one target in one run (E5 in docs/reference/access-rules.md). */
const CALLS_PER_TARGET = 8;
const NO_PLACE: ReleaseSlot = () => undefined;

export interface OpeningInput {
  readonly caller: Caller;
  /** An admitted assistant, or the id of one that the caller must be allowed to use. */
  readonly assistant: RunnableAssistant | number;
  readonly request: ChatRequest;
  readonly parent?: ParentRun | null;
  /** The run of a background completion; without it a run is opened. */
  readonly run?: Run;
  /** The activity of a course in whose conversation the question is asked. */
  readonly activityId?: string | null;
  /** A rule to be tried, which replaces that of the course. */
  readonly instruction?: string;
  /** The body of a definition that is not saved. */
  readonly definition?: unknown;
  /** The run that is repeated, and its recorded results where they are used. */
  readonly replay?: { readonly run: RunReplay; readonly recorded: RecordedRun | null };
  /** Makes the signal that is aborted when the client leaves; absent when the request has its place already. */
  readonly gone?: () => AbortSignal;
}

interface Admitted {
  readonly assistant: RunnableAssistant;
  readonly payer: OrganizationRuntime;
  readonly instruction: string | null;
  /** Values that must not appear in a report. */
  readonly secrets: readonly string[];
}

/** The resources that a completion holds until it leaves. */
interface Held {
  readonly leave: () => void;
  readonly prompt: MemoryClaim;
  readonly meter: RunMeter;
}

/** @throws `unsupported_content`: a part that is dropped in silence would be answered as if it had been read. */
function assertTextOnly({ messages }: ChatRequest): void {
  const problems = partsBesideText(messages);
  if (problems.length === 0) return;
  throw new AppError(
    'unsupported_content',
    'This assistant reads text only. Send text, or set capabilities.vision in its metadata',
    { problems },
  );
}

/** Admits completions: all checks before a run exists. Failures become HTTP statuses. */
@Injectable()
export class CompletionOpening {
  private readonly limits: RunLimits;

  constructor(
    private readonly assistants: AssistantsService,
    private readonly organizations: OrganizationsService,
    private readonly runs: RunsService,
    private readonly opened: OpenCompletions,
    @Inject(ASSISTANT_ABILITY) private readonly abilities: AbilityProvider,
    private readonly slots: CompletionSlots,
    private readonly meters: CompletionMeters,
    @Inject(QUESTION_RULES) private readonly rules: QuestionRules,
    @Inject(CONFIG) { tools }: Config,
  ) {
    this.limits = { timeoutMs: tools.runTimeoutMs, tokens: tools.runTokens, callsPerTarget: CALLS_PER_TARGET };
  }

  /** @throws `not_found`, `feature_disabled`, `activity_closed`, `agreement_required`, `validation_failed`, `server_shutdown`, `too_many_requests`, `overloaded`, `cancelled`, `rate_limited`, `quota_exceeded`. */
  open(input: OpeningInput): Awaitable<Completion> {
    this.assertOpenFor(input);
    return after(this.permit(input), (leavePlace) =>
      onFailure(
        () => this.openAt(leavePlace, input),
        (error) => {
          leavePlace();
          throw error;
        },
      ),
    );
  }

  private openAt(leavePlace: ReleaseSlot, input: OpeningInput): Awaitable<Completion> {
    return after(this.admit(input), (admitted) => {
      // The service may have begun to drain in the meantime.
      this.assertOpenFor(input);
      return after(this.take(input, admitted), (meter) => {
        const prompt = PROMPTS.claim(admitted.assistant.organizationId);
        const leave = (): void => {
          leavePlace();
          prompt.release();
        };
        // Nothing may throw from here on: an open run without an end would block the shutdown.
        return this.enter(input, admitted, { leave, prompt, meter });
      });
    });
  }

  /** The input of a background run, after the checks of `open`. @throws as `open` */
  async runInput(input: OpeningInput): Promise<RunInput> {
    const { assistant, payer } = await this.admit(input);
    this.assertOpenFor(input);
    // Only asked: the run takes its part when it begins.
    (await this.meters.open(input, assistant, payer)).giveBack();
    return runInputOf(input, assistant);
  }

  private admit(input: OpeningInput): Awaitable<Admitted> {
    const { caller, assistant: wanted } = input;
    const found = typeof wanted === 'number' ? this.assistants.runnable(caller, wanted) : wanted;
    return after(found, (assistant) =>
      after(this.organizations.runtime(assistant.organizationId), (payer) => {
        this.assertAnswerable(input, assistant, payer);
        const instruction = input.instruction ?? this.rules.admit(questionOf(input, assistant));
        return after(instruction, (rule) => ({ assistant, payer, instruction: rule, secrets: secretsOf(payer) }));
      }),
    );
  }

  private assertAnswerable({ request }: OpeningInput, assistant: RunnableAssistant, payer: OrganizationRuntime): void {
    assertFeatures(assistant.required, payer.features);
    if (assistant.document.functions.length > 0) assertNoClientTools(request);
    if (!assistant.document.capabilities.vision) assertTextOnly(request);
  }

  /**
   * Counts a question from another organization in the quotas of the assistant's organization. Calls between assistants
   * were counted by `CallTargets`. @throws `too_many_requests`
   */
  private async reserve(
    { caller }: OpeningInput,
    { assistant, payer }: Pick<Admitted, 'assistant' | 'payer'>,
  ): Promise<CallReservation> {
    const traffic = { payer, targetId: assistant.id, callerOrganizationId: caller.organizationId };
    const reservation = await this.assistants.reserveCall(traffic);
    if (reservation !== null) return reservation;
    throw new AppError(
      'too_many_requests',
      'The quota of the organization that owns this assistant is spent; ask again later',
    );
  }

  /** Takes what the rules of the payer count, or nothing. */
  private take(input: OpeningInput, admitted: Pick<Admitted, 'assistant' | 'payer'>): Awaitable<RunMeter> {
    const { assistant, payer } = admitted;
    const isOwn = assistant.organizationId === input.caller.organizationId;
    return input.parent || isOwn ? this.meters.open(input, assistant, payer) : this.takeForeign(input, admitted);
  }

  private async takeForeign(input: OpeningInput, admitted: Pick<Admitted, 'assistant' | 'payer'>): Promise<RunMeter> {
    const reservation = await this.reserve(input, admitted);
    try {
      return await this.meters.open(input, admitted.assistant, admitted.payer);
    } catch (error) {
      await reservation.giveBack();
      throw error;
    }
  }

  /** Nested and background runs need no permit: their parent or the queue limits them. */
  private permit({ caller, parent, run, gone }: OpeningInput): Awaitable<ReleaseSlot> {
    return parent || run ? NO_PLACE : this.slots.enter(caller, gone ?? null);
  }

  /** Nested runs are admitted while the service drains. */
  private assertOpenFor({ parent }: OpeningInput): void {
    if (!parent) this.opened.assertOpen();
  }

  private enter(input: OpeningInput, { assistant, instruction, secrets }: Admitted, held: Held): Completion {
    const { caller, request, parent = null } = input;
    const { document } = assistant;
    const opening = runInputOf(input, assistant);
    const run = input.run ?? this.runs.open(opening);
    input.run?.admit(opening);
    const { abilities } = this;
    const unbind = this.meters.bind(run.id, held.meter, caller);
    const assertUsable = (now: Caller): Promise<void> => this.assistants.assertUsable(now, assistant);
    const hold = this.opened.enter({ run, caller, assistant, parent, assertUsable });
    let ability: AssistantAbility | null | undefined;
    const completion: Completion = {
      run,
      leave: () => {
        held.leave();
        hold.leave();
        unbind();
      },
      promptMemory: held.prompt,
      meter: held.meter,
      assertAllowed: () => hold.assertAllowed(),
      assistant,
      request,
      instruction,
      ...givenBy(input),
      wantsReport: !parent && (request.verbose || document.verbose) && assistant.disclosure !== 'none',
      secrets,
      budget: parent?.budget ?? new RunBudget(this.limits, run.startedMono),
      get assistants() {
        ability = ability === undefined ? abilities.abilityFor(completion) : ability;
        return ability;
      },
      hidesSources: !parent && assistant.organizationId !== caller.organizationId,
    };
    return completion;
  }
}

const questionOf = ({ caller, activityId, parent }: OpeningInput, { id }: RunnableAssistant): AdmittedQuestion => ({
  caller,
  assistantId: id,
  activityId: activityId ?? null,
  isNested: Boolean(parent),
});

const givenBy = ({ definition = null, replay, parent = null }: OpeningInput) => ({
  definition,
  recorded: replay?.recorded ?? null,
  depth: parent?.depth ?? 0,
});

function runInputOf(
  { caller, request, parent, activityId, replay }: OpeningInput,
  assistant: RunnableAssistant,
): RunInput {
  const { id, name, organizationId, ownerId, document, version } = assistant;
  return {
    assistant: { id, name, organizationId, ownerId, type: document.type, version },
    caller,
    strategy: document.type === 'multi_tool' ? document.orchestrator : null,
    stream: request.stream,
    parentRunId: parent?.runId ?? null,
    draft: assistant.draft,
    ...(activityId && { activityId }),
    question: lastQuestion(request.messages),
    ...(replay && { replay: replay.run }),
  };
}
