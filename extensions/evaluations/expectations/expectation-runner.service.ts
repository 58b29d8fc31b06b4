import { AppError, type Principal, isUuid, uuidv7 } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { StructuredAnswers } from '../../../src/connectors';
import { DocumentsService } from '../../../src/knowledge-bases';
import { type RubricDocument, RubricsService, criterionShares, howToJudge } from '../../../src/rubrics';
import type { RunRecord } from '../../../src/runs';
import { dataFence } from '../../../src/tools';
import type { CheckContext, JudgeQuestion, JudgedRubric, Outcome, TestedAnswer } from '../contract';
import { ExpectationCatalogue, type StatedExpectation } from './expectation-catalogue';

interface Answered {
  readonly question: string;
  readonly text: string;
  readonly fixed: boolean;
}

export const testedAnswer = (
  { sources, passages, durationMs, costMicros }: RunRecord,
  { question, text, fixed }: Answered,
): TestedAnswer => ({
  ...{ question, answer: text, fixed, sources, passages, costMicros },
  durationMs: durationMs ?? 0,
});

const JUDGE_TIMEOUT_MS = 60_000;
const JUDGE_TOKENS = 1_000;
const FOUND_CHARS = 500;

/** The outcome of one expectation. */
export interface CheckedExpectation extends StatedExpectation, Outcome {
  /** The model that judged it; null for an exact check. */
  readonly judged_by: string | null;
}

/** Checks answers. Content is read with the rights of the assistant's owner. */
@Injectable()
export class ExpectationRunner {
  constructor(
    private readonly catalogue: ExpectationCatalogue,
    private readonly models: StructuredAnswers,
    private readonly rubrics: RubricsService,
    private readonly documents: DocumentsService,
  ) {}

  async check(
    expectation: StatedExpectation,
    answer: TestedAnswer,
    owner: Principal,
    signal: AbortSignal,
  ): Promise<CheckedExpectation> {
    let judgedBy: string | null = null;
    const judge = async <T>(question: JudgeQuestion): Promise<T> => {
      const { value, model } = await this.ask<T>(owner, question, signal);
      judgedBy = model;
      return value;
    };
    const outcome = await this.outcome(expectation, answer, this.contextFor(owner, judge), signal);
    const found = outcome.found.slice(0, FOUND_CHARS).toWellFormed();
    return { ...expectation, status: outcome.status, found, judged_by: judgedBy };
  }

  /** A judge that fails, or answers in another form, judges nothing. */
  private async outcome(
    expectation: StatedExpectation,
    answer: TestedAnswer,
    context: CheckContext,
    signal: AbortSignal,
  ): Promise<Outcome> {
    try {
      return await this.catalogue.check(expectation, answer, context);
    } catch (error) {
      if (!(error instanceof AppError) || signal.aborted) throw error;
      return { status: 'not_judged', found: error.detail };
    }
  }

  private ask<T>({ organizationId }: Principal, { instruction, material, schema }: JudgeQuestion, signal: AbortSignal) {
    const fence = dataFence('material');
    return this.models.ask<T>({
      organizationId,
      connector: 'auto',
      messages: [
        { role: 'system', content: instruction },
        { role: 'user', content: fence.around(material) },
      ],
      schema,
      name: 'verdict',
      signal,
      timeoutMs: JUDGE_TIMEOUT_MS,
      runId: uuidv7(),
      maxTokens: JUDGE_TOKENS,
    });
  }

  private contextFor(owner: Principal, judge: CheckContext['judge']): CheckContext {
    return {
      judge,
      rubric: async (id) => (isUuid(id) ? found(async () => judged(await this.rubrics.get(owner, id))) : null),
      documentExists: async (base, id) => (await found(() => this.documents.get(owner, base, id))) !== null,
    };
  }
}

/** Null when the content no longer exists, or the owner may not read it. */
async function found<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError && (error.code === 'not_found' || error.code === 'forbidden')) return null;
    throw error;
  }
}

const judged = (rubric: RubricDocument): JudgedRubric => ({
  title: rubric.title,
  instruction: howToJudge(rubric),
  criteria: criterionShares(rubric).map(({ criterion, levels, bestScore, share }) => ({
    id: criterion.id,
    name: criterion.name,
    description: criterion.description,
    share,
    bestScore,
    levels: levels.map(({ score, label, description }) => ({ score, label, description })),
  })),
});
