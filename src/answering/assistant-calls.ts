import { AppError, type Caller, type ErrorCode } from '@bellwether/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { AssistantsService, type CallQuestion, type Refusal, REFUSALS, type RunnableAssistant } from '../assistants';
import { AuditLog } from '../infrastructure/audit';
import { type AssistantAbility, type AssistantReply, citedReply, ToolFailure, withoutMarks } from '../tools';
import type { AbilityProvider } from './admission/assistant-ability.token';
import type { Completion } from './completion.types';
import { questionRequest, HeadlessCompletions } from './headless-completions.service';

/** Failures that only the called assistant's organization can repair. */
const MISCONFIGURED: ReadonlySet<ErrorCode> = new Set([
  'connector_not_configured',
  'secret_unavailable',
  'upstream_auth',
]);

/** Limits of the called assistant's organization: the calling run goes on. */
const LIMITS: ReadonlySet<ErrorCode> = new Set(['quota_exceeded', 'rate_limited']);
const LATE: ReadonlySet<ErrorCode> = new Set(['upstream_timeout', 'tool_loop.timeout']);

/**
 * Runs assistants for other assistants. Fresh rows decide every call. The nested run shares the caller's budget, deadline
 * and signal. The model gets our own words for a failure, never the target's.
 */
@Injectable()
export class AssistantCalls implements AbilityProvider {
  private readonly logger = new Logger('AssistantCalls');

  constructor(
    private readonly quiet: HeadlessCompletions,
    private readonly assistants: AssistantsService,
    private readonly audit: AuditLog,
  ) {}

  /** null inside a nested run, which calls nobody (row B5). */
  abilityFor(completion: Completion): AssistantAbility | null {
    return completion.depth > 0 ? null : this.abilityOf(completion);
  }

  abilityOf(completion: Completion): AssistantAbility {
    return {
      offer: (id) => this.offer(completion, id),
      run: (id, query, signal) => this.run(completion, id, query, signal),
    };
  }

  private async offer(completion: Completion, id: number): ReturnType<AssistantAbility['offer']> {
    const answer = await this.assistants.mayOffer(questionOf(completion, id));
    if (!answer.allowed) return null;
    const { name, description } = answer.target;
    return { name, description: description === '' ? null : description };
  }

  private async run(completion: Completion, id: number, query: string, signal: AbortSignal): Promise<AssistantReply> {
    const { run, depth, budget } = completion;
    const answer = await this.assistants.mayCall(questionOf(completion, id));
    if (!answer.allowed) throw await this.refused(completion, id, answer.row);
    let hasRun = false;
    try {
      if (!answer.answerable) throw new ToolFailure('tool.failed', 'target_misconfigured');
      if (budget.isSpent) throw new ToolFailure('tool.limit', 'budget_spent');
      if (!budget.takeCall(`assistant:${id}`)) throw new ToolFailure('tool.limit', 'call_limit_reached');
      const parent = {
        runId: run.id,
        depth: depth + 1,
        budget,
        mayGoOn: (now: Caller) => this.mayGoOn(completion, id, now),
      };
      const reply = await this.quiet.answer({
        caller: run.input.caller,
        assistantId: id,
        assistant: answer.target,
        request: questionRequest(query),
        signal,
        parent,
        // A failed run has spent its tokens as well.
        onEnded: ({ usage }) => {
          hasRun = true;
          budget.spend(usage);
        },
      });
      if (reply.text.trim() === '') throw new ToolFailure('tool.failed', 'the assistant gave no answer');
      return { ...replyOf(answer.target, reply, answer.callerMayUse), usage: reply.usage };
    } catch (error) {
      throw this.failureOf(error, run.id);
    } finally {
      if (!hasRun) await answer.reservation?.giveBack();
    }
  }

  private async mayGoOn(completion: Completion, id: number, caller: Caller): Promise<boolean> {
    return (await this.assistants.mayOffer({ ...questionOf(completion, id), caller })).allowed;
  }

  /** The log names the reason for administrators. The model does not learn it. */
  private async refused({ assistant, run, depth }: Completion, id: number, row: Refusal): Promise<ToolFailure> {
    const facts = { row, reason: REFUSALS[row], assistant_id: assistant.id, run_id: run.id };
    if (row === 'B5')
      this.logger.error({ msg: 'a nested run tried to call an assistant', depth, target: id, ...facts });
    try {
      await this.audit.record({
        caller: run.input.caller,
        organizationId: assistant.organizationId,
        action: 'assistant.call_denied',
        target: { type: 'assistant', id },
        after: facts,
      });
    } catch {
      // The call is refused even without the audit entry.
      this.logger.error({ msg: 'a denied call is missing in the audit log', target: id, ...facts });
    }
    if (row === 'E4') return new ToolFailure('tool.limit', 'quota_exceeded');
    return new ToolFailure('tool.unavailable', 'tool_unavailable');
  }

  private failureOf(error: unknown, runId: string): ToolFailure {
    if (error instanceof ToolFailure) return error;
    if (!(error instanceof AppError)) {
      const cause = error instanceof Error ? (error.stack ?? error.name) : typeof error;
      this.logger.error({ msg: 'a nested run broke', run_id: runId, cause });
      return new ToolFailure('tool.failed', FAILED);
    }
    if (LIMITS.has(error.code)) return new ToolFailure('tool.limit', 'quota_exceeded');
    if (error.code === 'cancelled') return new ToolFailure('tool.cancelled', 'cancelled');
    if (LATE.has(error.code)) return new ToolFailure('tool.timeout', 'the assistant took longer than it may');
    return new ToolFailure('tool.failed', MISCONFIGURED.has(error.code) ? 'target_misconfigured' : FAILED);
  }
}

const FAILED = 'the assistant could not answer';

/** Callers who may not use the target get its answer without sources. */
function replyOf(
  { document }: RunnableAssistant,
  { text, sources }: Pick<AssistantReply, 'text' | 'sources'>,
  mayUse: boolean,
): Omit<AssistantReply, 'usage'> {
  const cited = citedReply(text, sources);
  const shown = mayUse ? sources : [];
  if (cited.citations.length === 0 || !numbersSources(document)) return { text, sources: shown };
  return mayUse ? { ...cited, sources } : { text: withoutMarks(text, sources), sources: shown };
}

const numbersSources = ({ pipeline }: RunnableAssistant['document']): boolean =>
  pipeline.some(({ enabled, config }) => enabled && config.sources_in_prompt === 'numbered');

const questionOf = ({ assistant: calling, run, depth }: Completion, targetId: number): CallQuestion => ({
  calling,
  caller: run.input.caller,
  targetId,
  depth,
});
