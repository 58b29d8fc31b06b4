import { AppError, type Caller, type Problem, invalid, isJsonObject } from '@bellwether/kernel';
import type { LambAssistant, LambSource } from '@bellwether/lamb-reader';
import { Injectable } from '@nestjs/common';
import { UnrecordedPrompts } from '../../../src/answering';
import { ImportedAssistantChecks } from '../../../src/assistants';
import { parseMetadata } from '../../../src/assistants/definition';
import { AcrossOrganizations } from '../../../src/infrastructure/database';
import { ERROR_STATUS } from '../../../src/infrastructure/http';
import { OutboundClient } from '../../../src/infrastructure/outbound';
import type { PreparedPrompt } from '../../../src/runs';
import { slugHere } from '../organization-settings';
import { OriginRepository, type Origins } from '../origin.repository';
import { type ComparedAssistant, type PromptMessage, comparePrompts } from './compare-prompts';
import { LambClient, type LambRefusal } from './lamb-client';
import { RehearsalState, RehearsalStopped } from './rehearsal-report';
import type {
  Comparison,
  RehearsalOptions,
  RehearsalReport,
  RehearsedAssistant,
  RehearsedPair,
  RehearsedQuestion,
} from './rehearsal.types';

/** About the course in general, so that every assistant can be asked. */
const NEUTRAL_QUESTIONS: readonly string[] = [
  'What can you help me with?',
  'What are the most important topics of this course?',
  'Explain one of them with an example.',
];

const MAX_QUESTION_CHARS = 20_000;
const MAX_PROBLEMS = 20;

function questionIn(line: string): RehearsedQuestion | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return 'is not JSON';
  }
  if (!isJsonObject(parsed)) return 'is not a JSON object';
  const { assistant, question } = parsed;
  if (typeof assistant !== 'number' || !Number.isSafeInteger(assistant) || assistant < 1)
    return 'assistant must be the id of an assistant in LAMB';
  if (typeof question !== 'string' || question.trim() === '') return 'question must be a text that is not empty';
  if (question.length > MAX_QUESTION_CHARS) return `question must have at most ${MAX_QUESTION_CHARS} characters`;
  return { assistant, text: question.toWellFormed() };
}

/**
 * Reads JSON lines `{"assistant": 12, "question": "…"}`.
 * @throws {AppError} `validation_failed` with the lines that are wrong
 */
export function readQuestions(text: string): readonly RehearsedQuestion[] {
  const questions: RehearsedQuestion[] = [];
  const problems: Problem[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === '') continue;
    const read = questionIn(line);
    if (typeof read !== 'string') questions.push(read);
    else if (problems.length < MAX_PROBLEMS) problems.push({ path: `line ${index + 1}`, message: read });
  }
  if (problems.length > 0) throw invalid(problems, 'The file of questions cannot be read; nothing was asked');
  if (questions.length === 0) throw invalid([{ path: '--questions', message: 'holds no question' }]);
  return questions;
}

interface Imported extends RehearsedAssistant {
  readonly organizationId: string;
  readonly row: LambAssistant;
}

/** Asks a running LAMB and this service the same questions and compares their prompts. Writes nothing but its state file. */
@Injectable()
export class LambRehearsal {
  constructor(
    private readonly origins: OriginRepository,
    private readonly imported: ImportedAssistantChecks,
    private readonly prompts: UnrecordedPrompts,
    private readonly outbound: OutboundClient,
  ) {}

  /**
   * Continues from the state file. What stops it is told in the report.
   * @throws {AppError} `conflict` for a foreign state file
   */
  @AcrossOrganizations('import')
  async run(source: LambSource, options: RehearsalOptions): Promise<RehearsalReport> {
    const { address, sourceName } = options;
    const state = new RehearsalState(options.stateFile, { address, source: sourceName });
    const assistants = await this.assistantsOf(source, options);
    const questions = questionsFor(assistants, options.questions);
    const stopped = await this.askAll(questions, assistants, state, options);
    const pairs = questions.flatMap((question) => state.find(question) ?? []);
    return {
      address,
      source: sourceName,
      startedAt: state.startedAt,
      finishedAt: new Date().toISOString(),
      assistants: assistants.map(({ origin, id, name, organization }) => ({ origin, id, name, organization })),
      pairs,
      open: questions.length - pairs.length,
      stopped,
    };
  }

  /** The sentence that tells what stopped it; null at the end. */
  private async askAll(
    questions: readonly RehearsedQuestion[],
    assistants: readonly Imported[],
    state: RehearsalState,
    options: RehearsalOptions,
  ): Promise<string | null> {
    const lamb = new LambClient(this.outbound, options);
    const byOrigin = new Map(assistants.map((each) => [each.origin, each]));
    for (const [done, question] of questions.entries()) {
      const assistant = byOrigin.get(question.assistant);
      if (assistant === undefined || state.find(question) !== null) continue;
      options.progress.report({ done, total: questions.length, text: `questions compared` });
      try {
        state.add(await this.compared(lamb, assistant, question, options.signal));
      } catch (error) {
        if (options.signal.aborted) return 'It was interrupted.';
        if (error instanceof RehearsalStopped) return `${error.message}.`;
        throw error;
      }
    }
    return null;
  }

  private async compared(
    lamb: LambClient,
    assistant: Imported,
    { text }: RehearsedQuestion,
    signal: AbortSignal,
  ): Promise<RehearsedPair> {
    const there = await lamb.prompt(assistant.origin, text);
    const here = await this.promptHere(assistant, text, signal);
    return { assistant: assistant.origin, question: text, ...comparison(there, here, assistant.row) };
  }

  private async promptHere(assistant: Imported, text: string, signal: AbortSignal): Promise<PreparedPrompt | AppError> {
    const { organizationId, id, organization } = assistant;
    try {
      const owner = id === null ? null : await this.imported.ownerOf(organizationId, id);
      if (owner === null || id === null) return new AppError('not_found', 'It is not here any more');
      return await this.prompts.prompt(callerAs(organizationId, organization, owner), id, text, signal);
    } catch (error) {
      if (error instanceof AppError && error.code !== 'cancelled' && ERROR_STATUS[error.code] !== 500) return error;
      throw error;
    }
  }

  private async assistantsOf(source: LambSource, options: RehearsalOptions): Promise<readonly Imported[]> {
    const found: Imported[] = [];
    for (const organization of source.organizations) {
      if (options.organization !== null && organization.slug !== options.organization) continue;
      const known = await this.origins.organization(options.sourceName, String(organization.id));
      const origins = known === null ? null : await this.origins.all(known.organizationId, options.sourceName);
      const rows = source.assistants.filter((row) => row.organizationId === organization.id && !row.deleted);
      const place = { organization: slugHere(organization, undefined), organizationId: known?.organizationId ?? '' };
      found.push(
        ...rows.map((row) => ({ origin: row.id, id: localIdOf(row, origins), name: row.name, ...place, row })),
      );
    }
    return found;
  }
}

function localIdOf({ id }: LambAssistant, origins: Origins | null): number | null {
  const localId = origins?.find('assistant', String(id))?.localId;
  return localId === undefined ? null : Number(localId);
}

/** Given questions of imported assistants, or the neutral ones for each. Equal ones once. */
function questionsFor(
  assistants: readonly Imported[],
  given: readonly RehearsedQuestion[] | null,
): readonly RehearsedQuestion[] {
  const imported = new Set(assistants.filter(({ id }) => id !== null).map(({ origin }) => origin));
  const wanted = given ?? [...imported].flatMap((assistant) => NEUTRAL_QUESTIONS.map((text) => ({ assistant, text })));
  const distinct = new Map(wanted.map((question) => [`${question.assistant} ${question.text}`, question]));
  return [...distinct.values()].filter(({ assistant }) => imported.has(assistant));
}

const callerAs = (organizationId: string, organizationSlug: string, userId: string): Caller => ({
  organizationId,
  organizationSlug,
  userId,
  kind: 'system',
  credentialId: null,
  role: 'teacher',
  systemAdmin: false,
  scopes: ['chat'],
  assistantIds: null,
});

function comparison(
  there: readonly PromptMessage[] | LambRefusal,
  here: PreparedPrompt | AppError,
  row: LambAssistant,
): Comparison {
  const reasons = [
    ...('refused' in there ? [{ code: 'lamb', message: `LAMB refused it: HTTP ${there.refused}` }] : []),
    ...(here instanceof AppError ? [{ code: here.code, message: `Refused here: ${here.detail}` }] : []),
  ];
  if ('refused' in there)
    return { outcome: here instanceof AppError ? 'refused_both' : 'refused_there', reasons, diff: [] };
  if (here instanceof AppError) return { outcome: 'refused_here', reasons, diff: [] };
  return comparePrompts(there, here, comparedAssistant(row));
}

function comparedAssistant({ metadata, ragTopK }: LambAssistant): ComparedAssistant {
  const parsed = parseMetadata(metadata);
  const textAt = (key: string): string => {
    const value: unknown = parsed.ok ? parsed.metadata[key] : null;
    return typeof value === 'string' ? value : '';
  };
  return { rag: textAt('rag_processor'), prompt: textAt('prompt_processor'), topK: ragTopK ?? 3 };
}
