import { type PlanSummary, type SourcePassage, type StampedRunEvent, isJsonObject } from '@bellwether/kernel';
import { type ReceiptValues, sha256 } from './receipts';
import {
  type KeptTexts,
  type StatedRun,
  figureValues,
  materialValues,
  questionValue,
  textValues,
} from './receipt-values';
import { reportMessage } from './report-markdown';
import type { ReportMessage, ShapedReport } from './report.types';
import { REPORT_LIMITS, redactText } from './shape-report';
import {
  type Recording,
  type RunEnding,
  type RunFacts,
  type RunRecord,
  UNKEPT_REASONS,
  type UnkeptReason,
} from './run.types';

const VERSION = 1;
/** Characters of a line. The texts of longer conversations, with pictures, are not kept. */
const MOST_CHARS = 2_000_000;

type StoredReport = Omit<ShapedReport, 'sources' | 'messages'> & {
  /** Absent when they are the messages of the prompt. */
  readonly messages?: readonly ReportMessage[];
};

/** An ended run as it is stored: one JSON text, from which record, report, recording and receipt are built. */
export interface RunLine {
  readonly v: typeof VERSION;
  /** 128 random bits, base64url: part salts of receipts come from it. */
  readonly salt: string;
  readonly run: StatedRun;
  /** Milliseconds since the start of the run, and the event without its stamp. Empty for a run with an event log. */
  readonly events: readonly (readonly [ms: number, event: object])[];
  readonly report: StoredReport | null;
  readonly passages: readonly SourcePassage[];
  readonly plan: PlanSummary | null;
  /** Question, prompt and answer, or why they are not kept; null for a run that was refused or lost. */
  readonly texts: KeptTexts | UnkeptReason | null;
  /** Parts of the receipt that cannot be made from `run` and `texts`. */
  readonly values: ReceiptValues;
}

/** The text that is stored. It is made once, unless the line may not hold the texts of the run. */
export function lineText(record: RunRecord, salt: string): string {
  const { ending } = record;
  const facts = ending?.facts;
  if (ending === undefined || facts === undefined) return JSON.stringify(lineOf(record, salt, null));
  const texts = keptTexts(facts, ending.question);
  if (typeof texts === 'string') return JSON.stringify(lineOf(record, salt, texts));
  const text = JSON.stringify(lineOf(record, salt, texts));
  const reason = refusalOf(text, texts, ending.secrets);
  return reason === null ? text : JSON.stringify(lineOf(record, salt, reason));
}

function keptTexts(facts: RunFacts, question: string): KeptTexts | UnkeptReason {
  const { request, instruction, definition, prompt, fixed, functions, answer } = facts;
  if (prompt === null) return 'no_prompt';
  return { request, instruction, definition, prompt, fixed, functions, answer, question };
}

/** A redacted prompt would not be the prompt. Other members of the line may name an address with a password. */
function refusalOf(line: string, texts: KeptTexts, secrets: readonly string[]): UnkeptReason | null {
  if (line.length > MOST_CHARS) return 'too_large';
  const written = secrets.map((secret) => JSON.stringify(secret).slice(1, -1));
  if (redactText(line, written) === line) return null;
  const text = JSON.stringify(texts);
  return redactText(text, written) === text ? null : 'secret';
}

function lineOf(record: RunRecord, salt: string, texts: RunLine['texts']): RunLine {
  const { ending, passages, plan, background } = record;
  const kept = typeof texts === 'object' ? texts : null;
  return {
    v: VERSION,
    salt,
    run: statedOf(record),
    events: background ? [] : storedEvents(record),
    report: record.report === null ? null : storedReport(record.report, kept),
    passages,
    plan,
    texts,
    values: valuesBeside(kept, ending),
  };
}

function valuesBeside(kept: KeptTexts | null, ending: RunEnding | undefined): ReceiptValues {
  if (ending === undefined) return {};
  const { facts, question } = ending;
  if (facts === undefined) return questionValue(question);
  const material = materialValues(facts);
  return kept === null ? { ...material, ...textValues(facts), ...questionValue(question) } : material;
}

const statedOf = (record: RunRecord): StatedRun => ({
  id: record.id,
  organizationId: record.organizationId,
  parentRunId: record.parentRunId,
  userId: record.userId,
  credentialId: record.credentialId,
  assistantId: record.assistantId,
  assistantName: record.assistantName,
  assistantType: record.assistantType,
  assistantVersion: record.assistantVersion,
  strategy: record.strategy,
  connector: record.connector,
  model: record.model,
  status: record.status,
  finishReason: record.finishReason,
  errorCode: record.errorCode,
  createdAt: record.createdAt,
  finishedAt: record.finishedAt,
  usage: record.usage,
  costMicros: record.costMicros,
  draft: record.draft,
  replay: record.replay,
});

function storedEvents({ createdAt, events }: RunRecord): RunLine['events'] {
  const begun = Date.parse(createdAt);
  return events.map(({ run_id: _run, seq: _seq, at, ...event }) => [Date.parse(at) - begun, event]);
}

/** Prompts without cut or image parts are in `texts` already. */
function storedReport(report: ShapedReport, kept: KeptTexts | null): StoredReport {
  const { sources: _sources, messages, ...rest } = report;
  const isPrompt =
    kept !== null &&
    messages.length === kept.prompt.length &&
    messages.every(({ role, content }, at) => role === kept.prompt[at]?.role && content === kept.prompt[at].content);
  return isPrompt ? rest : { ...rest, messages };
}

/** The record of a row with what its line holds. Events have the bytes that live readers got. */
export function withLine(record: RunRecord, line: RunLine): RunRecord {
  const { report, passages, plan } = line;
  const begun = Date.parse(line.run.createdAt);
  const events = line.events.map(
    ([ms, event], at) =>
      ({ run_id: record.id, seq: at + 1, at: new Date(begun + ms).toISOString(), ...event }) as StampedRunEvent,
  );
  return { ...record, events, passages, plan, report: report === null ? null : shownReport(record, line, report) };
}

function shownReport({ sources }: RunRecord, { texts }: RunLine, report: StoredReport): ShapedReport {
  const prompt = typeof texts === 'object' && texts !== null ? texts.prompt : [];
  const { messages = prompt.map(reportMessage), ...rest } = report;
  return { ...rest, sources: sources.slice(0, REPORT_LIMITS.sources), messages };
}

/** The recording, or why there is none. */
export function recordingOf({ texts }: RunLine): Recording | UnkeptReason | 'deleted' {
  if (texts === null) return 'deleted';
  if (typeof texts === 'string') return texts;
  const { question: _question, ...recording } = texts;
  return recording;
}

/** The recording in a row of an earlier release. `deleted`: by retention, or there was none. */
export function readRecording(text: string | null): Recording | UnkeptReason | 'deleted' {
  if (text === null) return 'deleted';
  const read: unknown = JSON.parse(text);
  if (!isJsonObject(read) || read['v'] !== VERSION) return 'deleted';
  const { v: _version, unkept: reason, ...recording } = read;
  return UNKEPT_REASONS.find((known) => known === reason) ?? (recording as unknown as Recording);
}

/** All parts of the receipt of a run. */
const valuesOf = ({ run, texts, values }: RunLine): ReceiptValues => ({
  ...figureValues(run),
  ...(typeof texts === 'object' && texts !== null ? { ...textValues(texts), ...questionValue(texts.question) } : {}),
  ...values,
});

/** Contents of a receipt. Retention keeps them when it deletes the texts. */
export interface Proof {
  readonly salt: string;
  readonly values: ReceiptValues;
}

export const proofOf = (line: RunLine): Proof => ({ salt: line.salt, values: valuesOf(line) });

/** The receipt of a line whose texts were deleted: signed before, so it is not believed on the word of its row. */
export interface KeptReceipt extends Proof {
  readonly issuer: string | null;
  readonly signature: string;
  readonly keyId: string;
  /** Signature of a seal that had none: the receipt covers it, and another key would give another one. */
  readonly seal?: { readonly signature: string; readonly key_id: string };
}

/** An entry of a segment. `leaf`: the digest of the line as it was sealed. */
export type SegmentEntry =
  { readonly leaf: string; readonly line: RunLine } | { readonly leaf: string; readonly receipt: KeptReceipt | null };

const DELETED = /^\{"deleted":"([\w-]{43})"/;

/** An entry without the texts of the run; null leaves the digest alone. */
export const deletedEntry = (leaf: string, receipt: KeptReceipt | null): string =>
  JSON.stringify({ deleted: leaf, receipt });

export const leafOf = (entry: string): string => DELETED.exec(entry)?.[1] ?? sha256(entry);

export function readEntry(entry: string): SegmentEntry {
  const leaf = leafOf(entry);
  const read = JSON.parse(entry) as RunLine & { readonly deleted?: string; readonly receipt: KeptReceipt | null };
  return read.deleted === undefined ? { leaf, line: read } : { leaf, receipt: read.receipt };
}
