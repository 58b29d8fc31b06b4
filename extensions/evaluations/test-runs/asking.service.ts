import { type ChatMessage, type Principal, orNull } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { BackgroundCompletions } from '../../../src/answering';
import { AssistantHistory, AssistantsService } from '../../../src/assistants';
import { CallerRenewal } from '../../../src/auth';
import { type RunRecord, RunsService } from '../../../src/runs';
import type { TestedAnswer } from '../contract';
import { ExpectationRunner, testedAnswer } from '../expectations/expectation-runner.service';
import { stateOf } from './result-state';
import type { AskedTurn, TestRefusal, TestResultEntity } from './test-result.entity';
import { TestResultRepository } from './test-result.repository';
import type { TestRunEntity } from './test-run.entity';

/** Asks the questions of a test as background runs of the person who started the tests, and checks the answers. */
@Injectable()
export class TestAsking {
  constructor(
    private readonly results: TestResultRepository,
    private readonly background: BackgroundCompletions,
    private readonly callers: CallerRenewal,
    private readonly history: AssistantHistory,
    private readonly assistants: AssistantsService,
    private readonly runs: RunsService,
    private readonly expectations: ExpectationRunner,
  ) {}

  /** Asks the next question of a test. @throws AppError */
  async ask({ caller, assistantId, assistantVersion, organizationId }: TestRunEntity, result: TestResultEntity) {
    const renewed = await this.callers.renew(caller);
    const version = await this.history.version(renewed, assistantId, assistantVersion);
    const { name, description, system_prompt, prompt_template, metadata, RAG_collections, RAG_Top_k } = version;
    const definition = { name, description, system_prompt, prompt_template, metadata, RAG_collections, RAG_Top_k };
    const body = { assistant_id: assistantId, definition, messages: messagesOf(result) };
    await this.background.startDraft(renewed, body, async (runId, tx) => {
      await this.results.within(organizationId, tx).update(result.id, { state: 'running', runId });
    });
  }

  /** Checks an answer when its run has ended. A test with further questions waits again. */
  async settle(testRun: TestRunEntity, result: TestResultEntity, signal: AbortSignal): Promise<void> {
    const { runId } = result;
    if (runId === null) return;
    const { organizationId } = testRun;
    const scope = this.results.within(organizationId);
    const record = await this.runs.find(organizationId, runId);
    const owner = await this.ownerOf(testRun);
    if (record?.status !== 'completed' || owner === null) {
      const refusal = owner === null ? UNREACHABLE : unanswered(record);
      await scope.update(result.id, { state: 'not_asked', runId: null, refusal });
      return;
    }
    const { question = '', expectations = [] } = result.turns[result.asked.length] ?? {};
    const answer = await this.answer(record, question);
    const outcomes = await Promise.all(
      expectations.map((each) => this.expectations.check(each, answer, owner, signal)),
    );
    const { answer: text, durationMs: duration_ms, costMicros: cost_micros } = answer;
    const asked: AskedTurn[] = [...result.asked, { run_id: runId, answer: text, duration_ms, cost_micros, outcomes }];
    const state = asked.length < result.turns.length ? 'waiting' : stateOf(asked);
    await scope.update(result.id, { state, asked, runId: null });
  }

  /** Null when the assistant is deleted, or the person who started the tests may no longer use it. */
  private ownerOf({ caller, assistantId }: TestRunEntity): Promise<Principal | null> {
    return orNull('not_found', async () => (await this.assistants.newest(caller, assistantId)).owner);
  }

  private async answer(record: RunRecord, question: string): Promise<TestedAnswer> {
    const recording = await this.runs.recording(record);
    if (typeof recording !== 'string')
      return testedAnswer(record, { question, text: recording.answer, fixed: recording.fixed !== null });
    return testedAnswer(record, { question, text: (await this.runs.answer(record)) ?? '', fixed: false });
  }
}

const UNREACHABLE: TestRefusal = { code: 'not_found', detail: 'Assistant not found', problems: [] };

const unanswered = (record: RunRecord | null): TestRefusal => ({
  code: record?.errorCode ?? record?.status ?? 'not_found',
  detail: 'The question was not answered',
  problems: [],
});

/** The conversation so far and the next question. */
function messagesOf({ turns, asked }: TestResultEntity): ChatMessage[] {
  const earlier = asked.flatMap(({ answer }, index): ChatMessage[] => [
    { role: 'user', content: turns[index]?.question ?? '' },
    { role: 'assistant', content: answer },
  ]);
  return [...earlier, { role: 'user', content: turns[asked.length]?.question ?? '' }];
}
