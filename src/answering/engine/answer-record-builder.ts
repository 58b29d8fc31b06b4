import {
  type JsonObject,
  type Source,
  type SourcePassage,
  type Usage,
  type VendorFailure,
  addUsage,
  sourceIdentity,
} from '@bellwether/kernel';
import type { ModelChunk, ResolvedModel } from '../../connectors';
import {
  type PreparedPrompt,
  type RecordedCall,
  type ReportResult,
  type RunFacts,
  type RunOutcome,
  type RunReport,
  sourceNumbers,
} from '../../runs';
import { type FunctionOutcome, type FunctionSet, writeNumbers } from '../../tools';
import { type Completion, joinedTexts } from '../completion.types';

/** Capability of functions that read the asker's personal data, which reports must not show to editors. */
const PERSONAL = 'personal_data';

const reportCall = (personal: ReadonlySet<string>) => (outcome: FunctionOutcome) => ({
  index: outcome.call.index,
  round: outcome.call.round,
  name: outcome.name,
  plugin: outcome.plugin,
  status: outcome.status,
  arguments: outcome.call.arguments,
  duration_ms: outcome.duration_ms,
  preview: personal.has(outcome.plugin) ? '' : outcome.content,
  ...(outcome.status === 'completed'
    ? { chars: outcome.chars, cached: outcome.cached, ...sourceNumbers(outcome.sources) }
    : { chars: 0, cached: false, code: outcome.code }),
});

/** Names of plugins whose results are about the asker. */
const personalOf = ({ functions }: FunctionSet): ReadonlySet<string> =>
  new Set(
    functions
      .filter(({ plugin }) => plugin.definition.capabilities.includes(PERSONAL))
      .map(({ plugin }) => plugin.definition.name),
  );

/** Facts of the run that are known after the preparation. */
export interface LateFacts {
  readonly warnings: readonly string[];
  /** Null for assistants without functions. */
  readonly functions: FunctionSet | null;
  /** Function calls in order. */
  readonly calls: readonly FunctionOutcome[];
  readonly callSources: readonly Source[];
  /** Results of the tools that checked the answer. */
  readonly checks: readonly ReportResult[];
}

/** Adds late warnings, functions, calls and checks to the report of the preparation. */
export function completeReport(report: RunReport, facts: LateFacts): RunReport {
  const { warnings, functions, calls, callSources, checks } = facts;
  if (warnings.length === 0 && functions === null && checks.length === 0) return report;
  return {
    ...report,
    warnings: [...report.warnings, ...warnings],
    results: [...report.results, ...checks],
    ...(functions === null
      ? {}
      : {
          sources: [...report.sources, ...callSources],
          functions: functions.functions.map(({ declaration, plugin }) => ({
            name: declaration.name,
            plugin: plugin.definition.name,
          })),
          calls: calls.map(reportCall(personalOf(functions))),
        }),
  };
}

/**
 * Numbers the sources of functions within the run. Sources are equal when they are the same passage of the same place,
 * whichever tool found them. A known source keeps its number; a new one gets the next number.
 */
export class RunSources {
  private readonly added: Source[] = [];

  constructor(private readonly ofPrompt: readonly Source[]) {}

  /** Sources of functions that are not in the prompt. */
  get ofCalls(): readonly Source[] {
    return this.added;
  }

  get all(): readonly Source[] {
    return this.added.length === 0 ? this.ofPrompt : [...this.ofPrompt, ...this.added];
  }

  /** Returns the found sources with their numbers. */
  add(found: readonly Source[]): readonly Source[] {
    if (found.length === 0) return found;
    const known = new Map<string, number[]>();
    for (const [place, source] of this.all.entries()) numbersOf(known, source).push(source.n ?? place + 1);
    const seen = new Map<string, number[]>();
    return found.map((source) => {
      const numbers = numbersOf(known, source);
      const earlier = numbersOf(seen, source);
      const n = numbers[earlier.length] ?? this.all.length + 1;
      if (numbers.length === earlier.length) {
        numbers.push(n);
        this.added.push({ ...source, n });
      }
      earlier.push(n);
      return { ...source, n };
    });
  }

  /** The outcome with the run's numbers in its citations. */
  numbered(outcome: FunctionOutcome): FunctionOutcome {
    if (outcome.status !== 'completed') return outcome;
    const sources = this.add(outcome.sources);
    const content = writeNumbers(outcome.content, outcome.citations ?? [], sources);
    return { ...outcome, sources, content, citations: [] };
  }
}

function numbersOf(numbers: Map<string, number[]>, source: Source): number[] {
  const identity = sourceIdentity(source);
  const list = numbers.get(identity) ?? [];
  numbers.set(identity, list);
  return list;
}

interface Known {
  readonly prepared: PreparedPrompt | null;
  readonly calls: readonly FunctionOutcome[];
  readonly checks: readonly ReportResult[];
  readonly functions: FunctionSet | null;
  readonly fixed: string | null;
  readonly answer: string;
}

/** Question, prompt, tool results and answer of a run, for its recording and its receipt. */
function runFacts({ request, assistant, instruction, definition, recorded }: Completion, known: Known): RunFacts {
  const { prepared, calls, checks, functions, fixed, answer } = known;
  const personal = functions === null ? new Set<string>() : personalOf(functions);
  return {
    request: { messages: request.messages, params: storedParams(request.params) },
    instruction,
    // The definition of a repetition with recorded results is only its frame.
    definition: recorded === null ? definition : recorded.recording.definition,
    document: assistant.document,
    prompt: prepared?.messages ?? null,
    fixed,
    functions:
      functions === null
        ? null
        : { declarations: functions.declarations, calls: calls.map((outcome) => recordedCall(outcome, personal)) },
    passages: prepared?.passages ?? [],
    results: prepared?.report.results ?? [],
    checks,
    answer: fixed ?? answer,
  };
}

/** A replay asks for itself how usage is told. */
const storedParams = ({ stream_options: _options, ...params }: JsonObject): JsonObject => params;

const recordedCall = (outcome: FunctionOutcome, personal: ReadonlySet<string>): RecordedCall => ({
  round: outcome.call.round,
  name: outcome.name,
  plugin: outcome.plugin,
  status: outcome.status,
  arguments: outcome.call.arguments,
  content: personal.has(outcome.plugin) ? null : outcome.content,
  sources: outcome.status === 'completed' ? outcome.sources : [],
});

/** The facts of one answer for its record. Only the pipeline writes them. */
export class AnswerRecordBuilder {
  prepared: PreparedPrompt | null = null;
  /** Usage of all model requests of the run, including those of its tools. */
  usage: Usage | null = null;
  finishReason: string | null = null;
  /** The answer that needed no model. */
  fixed: string | null = null;
  /** Offered functions; null for assistants without functions. */
  functions: FunctionSet | null = null;
  private readonly requested: string[] = [];
  /** Pieces of the last text that are not joined yet. */
  private pieces: string[] = [];
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

  /** Texts of the model, one per request. */
  get texts(): string[] {
    const { pieces, requested } = this;
    if (pieces.length > 0) requested.push((requested.pop() ?? '') + pieces.join(''));
    this.pieces = [];
    return requested;
  }

  /** Begins the text of one more streamed request. */
  beginText(): void {
    this.texts.push('');
  }

  /** Chunks of the request that began last. */
  receive(chunks: readonly ModelChunk[]): void {
    this.firstToken();
    for (const { text } of chunks) if (text !== '') this.pieces.push(text);
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
