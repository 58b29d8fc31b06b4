import type { ModelChunk, ResolvedModel } from '../../connectors';
import { addUsage, type Source, type SourcePassage, type Usage, type VendorFailure } from '../../kernel';
import type { PreparedPrompt, ReportResult, RunFacts, RunOutcome, RunReport } from '../../runs';
import type { FunctionOutcome, FunctionSet } from '../../tools';
import type { Completion } from '../completion/completion.types';
import { joinedTexts } from '../completion/joined-texts';
import { completeReport } from '../functions/report-calls';
import { RunSources } from '../functions/run-sources';
import { runFacts } from '../replay/run-facts';

/** The facts of one answer for its record. Only the pipeline writes them. */
export class AnswerLedger {
  prepared: PreparedPrompt | null = null;
  /** Usage of all model requests of the run, including those of its tools. */
  usage: Usage | null = null;
  finishReason: string | null = null;
  /** The answer that needed no model. */
  fixed: string | null = null;
  /** Texts of the model, one per request. */
  readonly texts: string[] = [];
  /** Offered functions; null for assistants without functions. */
  functions: FunctionSet | null = null;
  private connector: string | null = null;
  private model: string | null = null;
  private preparedMs: number | null = null;
  private firstTokenMs: number | null = null;
  private readonly warnings: string[] = [];
  private readonly calls: FunctionOutcome[] = [];
  private found = new RunSources([]);
  private readonly checks: ReportResult[] = [];
  private unprepared: RunReport | null = null;

  constructor(private readonly completion: Completion) {}

  get vendor(): { readonly connector: string | null; readonly model: string | null } {
    return { connector: this.connector, model: this.model };
  }

  /** Sources for the caller and the record. */
  get sources(): readonly Source[] {
    return this.completion.hidesSources ? [] : this.found.all;
  }

  /** Texts for connectors that quote; without numbers where the caller may not see the sources. */
  get passages(): readonly SourcePassage[] {
    const found = this.prepared?.passages ?? [];
    return this.completion.hidesSources ? found.map((passage) => ({ ...passage, n: null })) : found;
  }

  resolved({ connector, model }: ResolvedModel): void {
    this.connector = connector.definition.name;
    this.model = model;
  }

  warn(code: string, message: string): void {
    this.warnings.push(message);
    this.completion.run.emit({ type: 'warning', code, message });
  }

  /** Adds tokens of tools and checks. Only the outermost run charges the budget; it includes its nested runs. */
  spend(usage: Usage | null | undefined): void {
    this.usage = addUsage(this.usage, usage);
    if (this.completion.depth === 0) this.completion.budget.spend(usage);
  }

  ready(prepared: PreparedPrompt): void {
    this.prepared = prepared;
    this.found = new RunSources(prepared.sources);
    this.preparedMs = this.elapsed();
  }

  /** The report of a run whose prompt could not be filled. */
  failedEarly(report: RunReport): void {
    this.unprepared = report;
  }

  /** The first call counts. */
  firstToken(): void {
    this.firstTokenMs ??= this.elapsed();
  }

  /** Begins the text of one more streamed request. */
  beginText(): void {
    this.texts.push('');
  }

  /** Chunks of the request that began last. */
  receive(chunks: readonly ModelChunk[]): void {
    this.firstToken();
    const last = this.texts.length - 1;
    for (const { text } of chunks) this.texts[last] = (this.texts[last] ?? '') + text;
  }

  /** The outcomes of a round, with the run's citation numbers. */
  numbered(outcomes: readonly FunctionOutcome[]): readonly FunctionOutcome[] {
    return outcomes.map((outcome) => this.found.numbered(outcome));
  }

  /** The tool loop counts the budget of functions itself. */
  called(outcomes: readonly FunctionOutcome[]): void {
    for (const outcome of outcomes) {
      this.calls.push(outcome);
      this.usage = addUsage(this.usage, outcome.usage);
      if (outcome.status !== 'completed') continue;
      for (const message of outcome.warnings) this.warn('tool.degraded', message);
    }
  }

  checked(results: readonly ReportResult[]): void {
    this.checks.push(...results);
  }

  get report(): RunReport | null {
    const { prepared, unprepared, warnings, functions, calls, checks } = this;
    const report = prepared?.report ?? unprepared;
    if (report === null) return null;
    return completeReport(report, { warnings, functions, calls, callSources: this.found.ofCalls, checks });
  }

  record(ending: Pick<RunOutcome, 'status' | 'errorCode' | 'message'>, vendor?: VendorFailure): RunOutcome {
    const { report, usage, finishReason, connector, model, preparedMs, firstTokenMs, sources } = this;
    const passages = this.completion.hidesSources ? [] : this.passages;
    return {
      ...ending,
      costMicros: this.completion.meter.costMicros,
      ...{ connector, model, finishReason, usage, preparedMs, firstTokenMs, sources, passages },
      report: report === null || vendor === undefined ? report : { ...report, vendor_failure: vendor },
      secrets: this.completion.secrets,
      facts: this.facts,
    };
  }

  private get facts(): RunFacts {
    const { completion, prepared, calls, checks, functions, fixed, texts } = this;
    return runFacts(completion, { prepared, calls, checks, functions, fixed, answer: joinedTexts(texts) });
  }

  private elapsed(): number {
    return performance.now() - this.completion.run.startedMono;
  }
}
