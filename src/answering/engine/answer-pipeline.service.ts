import {
  AppError,
  type Awaitable,
  type JsonObject,
  type Source,
  after,
  isJsonObject,
  isStorableText,
  lastQuestion,
  settle,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import type { AssistantReference } from '../../assistants';
import { type ResolvedModel, fixedAnswer } from '../../connectors';
import { withinOrganization } from '../../infrastructure/database';
import { LimitReached } from '../../metering';
import {
  type PreparedPrompt,
  REPORT_LIMITS,
  type ReportCall,
  type ReportPromptPart,
  type ReportResult,
  type ReportTool,
  RunsService,
  type ShapedReport,
  cut,
  redactText,
  reportMarkdown,
  shapeReport,
} from '../../runs';
import { type FunctionSet, NO_FUNCTIONS } from '../../tools';
import { AnswerModels } from '../admission/answer-models.service';
import { type AnswerEnd, type AnswerEvent, Backpressure, type Completion, type TellAnswer } from '../completion.types';
import { withoutFunctionChoice } from '../chat-request';
import { failedAnswer, finishedAnswer } from './answer-failure';
import { AnswerImages } from './answer-images';
import { AnswerRecordBuilder } from './answer-record-builder';
import { AnswerTelemetry } from './answer-telemetry';
import { CompletionFunctions } from './completion-functions.service';
import { GroundedAnswers } from './grounded-answers.service';
import { type AnswerInProgress, ModelRequests } from './model-requests';
import { PromptPreparation, withinRunTime } from './prompt-preparation.service';

/** Members with the check's own words: kinds of verdicts and names of placeholders. */
const OWN_WORDS: ReadonlySet<string> = new Set(['checked', 'kind', 'results']);
const OWN_WORD = /^[\w-]{1,64}$/;
/** Members that quote the answer. */
const STATEMENTS: ReadonlySet<string> = new Set(['statement', 'claim']);
const MAX_DEPTH = 4;
const MAX_ITEMS = 100;

interface Told {
  /** The answer in one line. */
  readonly answer: string;
  readonly secrets: readonly string[];
}

/**
 * The findings of a check that every reader of the answer may see: figures, kinds of verdicts, and statements from the
 * answer. Reasons and quotations reveal results of tools, so they are in the report only.
 */
export function toldFindings(content: string, answer: string, secrets: readonly string[]): JsonObject {
  const found = jsonOf(content);
  return isJsonObject(found) ? membersOf(found, { answer: oneLine(answer), secrets }, 0) : {};
}

function jsonOf(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // A verdict in prose is for the report only.
    return null;
  }
}

function membersOf(object: JsonObject, told: Told, depth: number): JsonObject {
  const members: [string, unknown][] = [];
  for (const [name, value] of Object.entries(object)) {
    const shown = valueOf(name, value, told, depth);
    if (shown !== undefined) members.push([name, shown]);
  }
  return Object.fromEntries(members);
}

function valueOf(name: string, value: unknown, told: Told, depth: number): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'string') return textOf(name, value, told);
  if (depth >= MAX_DEPTH) return undefined;
  if (Array.isArray(value))
    return value
      .slice(0, MAX_ITEMS)
      .map((item: unknown) => valueOf(name, item, told, depth + 1))
      .filter((item) => item !== undefined);
  return isJsonObject(value) ? membersOf(value, told, depth + 1) : undefined;
}

function textOf(name: string, text: string, { answer, secrets }: Told): string | undefined {
  const isTold = OWN_WORDS.has(name) ? OWN_WORD.test(text) : STATEMENTS.has(name) && answer.includes(oneLine(text));
  return isTold ? redactText(text, secrets) : undefined;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();

/** A tool without its settings. */
const bareTool = ({ index, plugin, placeholder, enabled }: ReportTool): ReportTool => ({
  index,
  plugin,
  placeholder,
  enabled,
  config: null,
});

const bareResult = ({ query: _query, message: _message, ...result }: ReportResult): ReportResult => ({
  ...result,
  preview: '',
});

const bareCall = (call: ReportCall): ReportCall => ({ ...call, arguments: '', preview: '' });

/**
 * A report for askers who may not edit the assistant: names, outcomes, durations, and the sources that they saw. It shows
 * neither the definition nor the results of tools.
 */
export function reportForAsker(report: ShapedReport, sources: readonly Source[]): ShapedReport {
  return {
    created_at: report.created_at,
    orchestrator: report.orchestrator,
    assistant: report.assistant,
    request: report.request,
    tools: report.tools.map(bareTool),
    results: report.results.map(bareResult),
    sources: sources.slice(0, report.sources.length),
    messages: [],
    warnings: [],
    ...(report.functions === undefined ? {} : { functions: report.functions }),
    ...(report.calls === undefined ? {} : { calls: report.calls.map(bareCall) }),
    totals: { sources: report.totals.sources, messages: report.totals.messages },
  };
}

const previewedPart = (part: ReportPromptPart): ReportPromptPart =>
  part.index === undefined ? part : { ...part, text: cut(part.text, REPORT_LIMITS.preview) };

/** A report for administrators who do not edit the assistant: results of tools, which may be private, are cut to previews. */
export const reportForAdministrator = (report: ShapedReport): ShapedReport =>
  report.prompt === undefined ? report : { ...report, prompt: report.prompt.map(previewedPart) };

const MODEL_ID = /^(?:lamb_)?assistant\.([1-9]\d{0,9})$/;
const EXACT = /^assistant\.([1-9]\d{0,9})$/;
const OF_LAMB = /^(?:lamb_assistant\.)?([1-9]\d{0,9})$/;
const ALIAS = /^lamb:([a-z0-9][a-z0-9._-]{0,62})\.([1-9]\d{0,9})$/;
const NAMED = /^LAMB:/;
const MAX_LENGTH = 256;
/** Ids are `integer` columns. */
const MAX_ID = 2_147_483_647;

/** Model name of an assistant for clients. */
export const modelId = (assistantId: number): string => `lamb_assistant.${assistantId}`;

/** Model name that never means an imported assistant of this number. */
export const exactModelId = (assistantId: number): string => `assistant.${assistantId}`;

export const modelNotFound = (model: string): AppError =>
  new AppError('model_not_found', `The model '${model.slice(0, 100)}' does not exist or you do not have access to it`);

/** Id of the assistant behind `lamb_assistant.{id}` or `assistant.{id}`. @throws `model_not_found`. */
export function assistantIdOf(model: string): number {
  return inRange(Number(MODEL_ID.exec(model)?.[1] ?? 0), model);
}

function inRange(id: number, model: string): number {
  if (id < 1 || id > MAX_ID) throw modelNotFound(model);
  return id;
}

/**
 * Readings of a model's name: `assistant.{id}` is an id, `lamb_assistant.{number}` an id or the number of an imported
 * assistant, `lamb:{source}.{number}` that number at one source, `LAMB:{name}` a name. A plain number or name is
 * accepted too. @throws `model_not_found` for a text that is none of them
 */
export function readModelName(model: string): number | readonly AssistantReference[] {
  const exact = EXACT.exec(model);
  if (exact !== null) return assistantIdOf(model);
  const [, source, there] = ALIAS.exec(model) ?? [];
  if (source !== undefined) return [{ kind: 'alias', source, number: inRange(Number(there), model) }];
  const number = OF_LAMB.exec(model)?.[1];
  const name: AssistantReference = { kind: 'name', name: model.replace(NAMED, '') };
  if (number === undefined) {
    if (name.name === '' || model.length > MAX_LENGTH || !isStorableText(model)) throw modelNotFound(model);
    return [name];
  }
  const numbered: AssistantReference = { kind: 'number', number: inRange(Number(number), model) };
  return number === model ? [numbered, name] : [numbered];
}

/**
 * Runs the assistant's check tools on the finished answer. The record gets their results; the caller gets events with
 * `toldFindings`. Never rejects.
 */
export function checkAnswer({ run, secrets }: Completion, builder: AnswerRecordBuilder, text: string): Awaitable<void> {
  const { prepared } = builder;
  if (prepared?.afterAnswer === undefined || run.signal.aborted) return;
  return prepared.afterAnswer(text).then(({ results, usage }) => {
    builder.spend(usage);
    builder.checked(results);
    for (const result of results) {
      if (result.status !== 'completed' || result.preview === '') continue;
      const { index, plugin, placeholder } = result;
      const message = `🔎 Checked the answer: ${plugin}`;
      const told = toldFindings(result.preview, text, secrets);
      run.emit({ type: 'answer.checked', index, plugin, placeholder, result: told, message });
    }
  });
}

/** Records the run at the end of its answer, before the client's reader: a client that reads the end finds the record. */
const runLogSink =
  ({ run }: Completion, runs: RunsService) =>
  (event: AnswerEvent): void => {
    if (event.type === 'finished' || event.type === 'failed') runs.finish(run, event.record);
  };

/** `finish_reason` of a run that only filled the prompt. */
const PROMPT_ONLY = 'prompt';

/** Answers an opened completion. It tells the events of the answer and knows no client. */
@Injectable()
export class AnswerPipeline {
  constructor(
    private readonly preparation: PromptPreparation,
    private readonly models: AnswerModels,
    private readonly functions: CompletionFunctions,
    private readonly images: AnswerImages,
    private readonly material: GroundedAnswers,
    private readonly runs: RunsService,
    private readonly telemetry: AnswerTelemetry,
  ) {}

  /**
   * Tells the events of the answer to `reader` and resolves after the last one. A failure is the event `failed`. To leave
   * early, a reader aborts the run, which closes the vendor's connection.
   */
  answer(completion: Completion, reader: TellAnswer, pressure = new Backpressure()): Awaitable<void> {
    const keep = runLogSink(completion, this.runs);
    const tell: TellAnswer = (event) => {
      keep(event);
      reader(event);
    };
    const answer = { completion, builder: new AnswerRecordBuilder(completion), pressure, tell };
    return this.telemetry.within(completion, () => this.settle(answer, () => this.produce(answer)));
  }

  /** Fills the prompt and asks no model. @throws AppError */
  async prompt(completion: Completion): Promise<Pick<AnswerRecordBuilder, 'prepared' | 'sources'>> {
    const builder = new AnswerRecordBuilder(completion);
    const keep = runLogSink(completion, this.runs);
    const tell: TellAnswer = (event) => {
      keep(event);
      if (event.type === 'failed') throw event.error;
    };
    const answer = { completion, builder, tell, pressure: new Backpressure() };
    const fill = async (): Promise<void> => {
      const functions = await this.offer(completion, builder, null);
      await this.preparation.prepare(completion, builder, functions);
      builder.finishReason = PROMPT_ONLY;
    };
    await this.telemetry.within(completion, () => this.settle(answer, fill));
    return builder;
  }

  private settle(answer: AnswerInProgress, work: () => Awaitable<void>): Awaitable<void> {
    const { completion, builder } = answer;
    return settle(
      // The content is that of the assistant's organization, whoever asks.
      () => withinOrganization(completion.assistant.organizationId, () => withinRunTime(completion, work)),
      () => this.end(answer, finishedAnswer(completion, builder)),
      (error) => this.end(answer, failedAnswer(completion, builder, error)),
    );
  }

  private end({ completion, tell }: AnswerInProgress, end: AnswerEnd): void {
    completion.meter.settle({ failed: end.type !== 'finished' });
    this.telemetry.ended(completion, end);
    try {
      tell(end);
    } finally {
      completion.leave();
    }
  }

  private produce(answer: AnswerInProgress): Awaitable<void> {
    const { completion, builder } = answer;
    return after(completion.wantsReport ? null : this.resolve(completion), (resolved) => {
      const model = this.begin(answer, resolved);
      return after(this.offer(completion, builder, resolved), (functions) =>
        after(this.preparation.prepare(completion, builder, functions), (prepared) => {
          const asksModel = resolved !== null && functions.isEmpty;
          return after(asksModel ? this.fixedAnswer(completion, prepared) : null, (fixed) => {
            this.prepared(answer, fixed);
            if (resolved === null) return this.report(answer, model);
            return fixed === null ? this.ask(answer, resolved, functions) : this.say(answer, resolved, fixed);
          });
        }),
      );
    });
  }

  private prepared({ builder, tell }: AnswerInProgress, fixed: string | null): void {
    builder.fixed = fixed;
    tell({ type: 'sources', sources: fixed === null ? builder.sources : [] });
  }

  private fixedAnswer(completion: Completion, prepared: PreparedPrompt): Awaitable<string | null> {
    const { recorded } = completion;
    return recorded === null ? this.material.fixedAnswer(completion, prepared) : recorded.recording.fixed;
  }

  /** Tells which model answers; without one, what stands for it in a report. */
  private begin(answer: AnswerInProgress, resolved: ResolvedModel | null): string {
    const { completion, builder, tell } = answer;
    const { assistant, meter } = completion;
    if (resolved !== null) this.answersWith(answer, resolved);
    const model = resolved?.model ?? assistant.document.llm ?? modelId(assistant.id);
    tell({ type: 'begun', model });
    for (const { code, message } of resolved?.warnings ?? []) builder.warn(code, message);
    if (meter.cheaper !== null) {
      builder.warn('limit.fast_model', `The limit "${meter.cheaper.rule.id}" is reached: ${model} answers`);
    }
    return model;
  }

  /** Answers without a model. */
  private say(answer: AnswerInProgress, { model, ...resolved }: ResolvedModel, text: string): Awaitable<void> {
    const { builder, completion, tell } = answer;
    const connector = fixedAnswer(text);
    const requests = new ModelRequests(answer, { ...resolved, connector, model }, this.images);
    return after(requests.single({ model, messages: [], params: completion.request.params }), () => {
      builder.firstToken();
      tell({ type: 'answered', usage: builder.usage });
    });
  }

  private answersWith({ completion: { meter }, builder }: AnswerInProgress, resolved: ResolvedModel): void {
    const { provider, model } = resolved;
    builder.resolved(resolved);
    meter.answersWith({ provider: provider ?? '', model });
  }

  private ask(answer: AnswerInProgress, resolved: ResolvedModel, functions: FunctionSet): Awaitable<void> {
    const { completion, builder, tell } = answer;
    const { request, run } = completion;
    const { model, connector } = resolved;
    run.emit({ type: 'llm.started', connector: connector.definition.name, model });
    const messages = builder.prepared?.messages ?? [];
    // The assistant's functions replace the client's, and with them its `tool_choice`.
    const params = builder.functions?.isEmpty === true ? withoutFunctionChoice(request.params) : request.params;
    const requests = new ModelRequests(answer, resolved, this.images);
    const material = { question: lastQuestion(request.messages), passages: builder.passages };
    const asked = functions.isEmpty
      ? requests.single({ model, messages, params, material })
      : this.functions.rounds(answer, functions, { model, messages, params }, requests);
    return after(asked, () => {
      builder.firstToken();
      tell({ type: 'answered', usage: builder.usage });
      return checkAnswer(completion, builder, requests.text);
    });
  }

  private report({ completion, builder, tell }: AnswerInProgress, model: string): void {
    const { report } = builder;
    if (report === null) return;
    const shaped = shapeReport(report, completion.secrets);
    const shown = completion.assistant.disclosure === 'whole' ? shaped : reportForAdministrator(shaped);
    builder.finishReason = 'stop';
    tell({ type: 'report', markdown: reportMarkdown(shown), model });
  }

  private resolve({ assistant, meter: { cheaper } }: Completion): Awaitable<ResolvedModel> {
    if (cheaper === null) return this.models.resolve(assistant);
    return this.models.cheaper(assistant).then((resolved) => {
      if (resolved === null) throw new LimitReached(cheaper);
      return resolved;
    });
  }

  private offer(
    completion: Completion,
    builder: AnswerRecordBuilder,
    resolved: ResolvedModel | null,
  ): Awaitable<FunctionSet> {
    return after(this.functions.offer(completion, resolved), ({ functions, warnings }) => {
      builder.functions = functions;
      for (const { code, message } of warnings) builder.warn(code, message);
      return functions ?? NO_FUNCTIONS;
    });
  }
}
