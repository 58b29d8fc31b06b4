import { Injectable } from '@nestjs/common';
import { Observable } from 'rxjs';
import { fixedAnswer, type ResolvedModel } from '../../connectors';
import { lastQuestion } from '../../kernel';
import { LimitReached } from '../../metering';
import { type PreparedPrompt, reportMarkdown, RunsService, shapeReport } from '../../runs';
import { type FunctionSet, NO_FUNCTIONS } from '../../tools';
import { AnswerModels } from '../admission/answer-models.service';
import { CLIENT_GONE } from '../admission/streams-in-flight';
import type { AnswerEnd, AnswerEvent, TellAnswer } from '../completion/answer-event.types';
import { Backpressure } from '../completion/backpressure';
import type { Completion } from '../completion/completion.types';
import { reportForAdministrator } from '../disclosure/run-report-view';
import { withoutFunctionChoice } from '../request/client-tools';
import { modelId } from '../request/model-id';
import { checkAnswer } from './answer-checks';
import { failedAnswer } from './answer-failure';
import { AnswerImages } from './answer-images';
import { AnswerLedger } from './answer-ledger';
import { AnswerWatch } from './answer-watch';
import { CompletionFunctions } from './completion-functions.service';
import { MaterialOnly } from './material-only.service';
import { type AnswerInProgress, ModelRequests } from './model-requests';
import { PromptPreparation } from './prompt-preparation.service';
import { withinRunTime } from './run-deadline';
import { runLogSink } from './run-log.sink';
import { withinOrganization } from '../../infrastructure/database';

/** `finish_reason` of a run that only filled the prompt. */
const PROMPT_ONLY = 'prompt';

/** Answers an opened completion. Sinks subscribe to its events; it knows no client. */
@Injectable()
export class AnswerPipeline {
  constructor(
    private readonly preparation: PromptPreparation,
    private readonly models: AnswerModels,
    private readonly functions: CompletionFunctions,
    private readonly images: AnswerImages,
    private readonly material: MaterialOnly,
    private readonly runs: RunsService,
    private readonly watch: AnswerWatch,
  ) {}

  /**
   * Answers once, on subscription. Unsubscribing early cancels the run, which closes the vendor's connection. A failure is
   * the event `failed`, never an error of the observable.
   */
  answer(completion: Completion, pressure = new Backpressure()): Observable<AnswerEvent> {
    return new Observable((reader) => {
      const { run } = completion;
      const keep = runLogSink(completion, this.runs);
      const tell: TellAnswer = (event) => {
        keep(event);
        reader.next(event);
      };
      const answer = { completion, ledger: new AnswerLedger(completion), pressure, tell };
      this.watch
        .within(completion, () => this.settle(answer, () => this.produce(answer)))
        .then(
          () => reader.complete(),
          (error: unknown) => reader.error(error),
        );
      return () => {
        if (!run.isClosed) run.abort(CLIENT_GONE);
      };
    });
  }

  /** Fills the prompt and asks no model. @throws AppError */
  async prompt(completion: Completion): Promise<Pick<AnswerLedger, 'prepared' | 'sources'>> {
    const ledger = new AnswerLedger(completion);
    const keep = runLogSink(completion, this.runs);
    const tell: TellAnswer = (event) => {
      keep(event);
      if (event.type === 'failed') throw event.error;
    };
    const answer = { completion, ledger, tell, pressure: new Backpressure() };
    const fill = async (): Promise<void> => {
      const functions = await this.offer(completion, ledger, null);
      await this.preparation.prepare(completion, ledger, functions);
      ledger.finishReason = PROMPT_ONLY;
    };
    await this.watch.within(completion, () => this.settle(answer, fill));
    return ledger;
  }

  private async settle({ completion, ledger, tell }: AnswerInProgress, work: () => Promise<void>): Promise<void> {
    let end: AnswerEnd;
    try {
      // The content is that of the assistant's organization, whoever asks.
      await withinOrganization(completion.assistant.organizationId, () => withinRunTime(completion, work));
      completion.run.signal.throwIfAborted();
      end = { type: 'finished', record: ledger.record({ status: 'completed' }) };
    } catch (error) {
      end = failedAnswer(completion, ledger, error);
    }
    const settled = completion.meter.settle({ failed: end.type !== 'finished' });
    if (settled !== null) await settled;
    this.watch.ended(completion, end);
    try {
      tell(end);
    } finally {
      completion.leave();
    }
  }

  private async produce(answer: AnswerInProgress): Promise<void> {
    const { completion, ledger, tell } = answer;
    const resolved = completion.wantsReport ? null : await this.resolve(completion);
    const model = this.begin(answer, resolved);
    const functions = await this.offer(completion, ledger, resolved);
    const prepared = await this.preparation.prepare(completion, ledger, functions);
    const asksModel = resolved !== null && functions.isEmpty;
    const fixed = asksModel ? await this.fixedAnswer(completion, prepared) : null;
    ledger.fixed = fixed;
    tell({ type: 'sources', sources: fixed === null ? ledger.sources : [] });
    if (resolved === null) return this.report(answer, model);
    if (fixed === null) await this.ask(answer, resolved, functions);
    else await this.say(answer, resolved, fixed);
  }

  private async fixedAnswer(completion: Completion, prepared: PreparedPrompt): Promise<string | null> {
    const { recorded } = completion;
    return recorded === null ? this.material.fixedAnswer(completion, prepared) : recorded.recording.fixed;
  }

  /** Tells which model answers; without one, what stands for it in a report. */
  private begin(answer: AnswerInProgress, resolved: ResolvedModel | null): string {
    const { completion, ledger, tell } = answer;
    const { assistant, meter } = completion;
    if (resolved !== null) this.answersWith(answer, resolved);
    const model = resolved?.model ?? assistant.document.llm ?? modelId(assistant.id);
    tell({ type: 'begun', model });
    for (const { code, message } of resolved?.warnings ?? []) ledger.warn(code, message);
    if (meter.cheaper !== null) {
      ledger.warn('limit.fast_model', `The limit "${meter.cheaper.rule.id}" is reached: ${model} answers`);
    }
    return model;
  }

  /** Answers without a model. */
  private async say(answer: AnswerInProgress, { model, ...resolved }: ResolvedModel, text: string): Promise<void> {
    const { ledger, completion, tell } = answer;
    const connector = fixedAnswer(text);
    const requests = new ModelRequests(answer, { ...resolved, connector, model }, this.images);
    await requests.single({ model, messages: [], params: completion.request.params });
    ledger.firstToken();
    tell({ type: 'answered', usage: ledger.usage });
  }

  private answersWith({ completion: { meter }, ledger }: AnswerInProgress, resolved: ResolvedModel): void {
    const { provider, model } = resolved;
    ledger.resolved(resolved);
    meter.answersWith({ provider: provider ?? '', model });
  }

  private async ask(answer: AnswerInProgress, resolved: ResolvedModel, functions: FunctionSet): Promise<void> {
    const { completion, ledger, tell } = answer;
    const { request, run } = completion;
    const { model, connector } = resolved;
    run.emit({ type: 'llm.started', connector: connector.definition.name, model });
    const messages = ledger.prepared?.messages ?? [];
    // The assistant's functions replace the client's, and with them its `tool_choice`.
    const params = ledger.functions?.isEmpty === true ? withoutFunctionChoice(request.params) : request.params;
    const requests = new ModelRequests(answer, resolved, this.images);
    const material = { question: lastQuestion(request.messages), passages: ledger.passages };
    if (functions.isEmpty) await requests.single({ model, messages, params, material });
    else await this.functions.rounds(answer, functions, { model, messages, params }, requests);
    ledger.firstToken();
    tell({ type: 'answered', usage: ledger.usage });
    await checkAnswer(completion, ledger, requests.text);
  }

  private report({ completion, ledger, tell }: AnswerInProgress, model: string): void {
    const { report } = ledger;
    if (report === null) return;
    const shaped = shapeReport(report, completion.secrets);
    const shown = completion.assistant.disclosure === 'whole' ? shaped : reportForAdministrator(shaped);
    ledger.finishReason = 'stop';
    tell({ type: 'report', markdown: reportMarkdown(shown), model });
  }

  private async resolve({ assistant, meter: { cheaper } }: Completion): Promise<ResolvedModel> {
    if (cheaper === null) return this.models.resolve(assistant);
    const resolved = await this.models.cheaper(assistant);
    if (resolved === null) throw new LimitReached(cheaper);
    return resolved;
  }

  private async offer(
    completion: Completion,
    ledger: AnswerLedger,
    resolved: ResolvedModel | null,
  ): Promise<FunctionSet> {
    const { functions, warnings } = await this.functions.offer(completion, resolved);
    ledger.functions = functions;
    for (const { code, message } of warnings) ledger.warn(code, message);
    return functions ?? NO_FUNCTIONS;
  }
}
