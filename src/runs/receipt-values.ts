import { type ReceiptValues, canonicalJson, sha256 } from './receipts';
import type { ReportResult } from './report.types';
import type { Recording, RunFacts, RunRecord } from './run.types';

/** Parameters that change an answer and hold no text of a person. */
const PARAMETERS = [
  'temperature',
  'top_p',
  'n',
  'max_tokens',
  'max_completion_tokens',
  'presence_penalty',
  'frequency_penalty',
  'seed',
  'reasoning_effort',
] as const;

const textOf = (text: string): object => ({ sha256: sha256(text), chars: text.length });

/**
 * Value as it is stored: JSON text such as `1e999` is read as a number that JSON cannot hold, and would lose the run's
 * record.
 */
const stored = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** Digest of a value as it is stored. */
function digestOf(value: unknown): string {
  try {
    return sha256(canonicalJson(value));
  } catch (error) {
    if (error instanceof RangeError) return sha256(canonicalJson(stored(value)));
    throw error;
  }
}

/** Runs of one version share its document. */
const settings = new WeakMap<object, string>();

function settingsDigest(document: unknown): string {
  if (typeof document !== 'object' || document === null) return digestOf(document);
  const known = settings.get(document) ?? digestOf(document);
  settings.set(document, known);
  return known;
}

/** The figures of a run that a receipt states. */
export type StatedRun = Pick<
  RunRecord,
  | 'id'
  | 'organizationId'
  | 'parentRunId'
  | 'userId'
  | 'credentialId'
  | 'assistantId'
  | 'assistantName'
  | 'assistantType'
  | 'assistantVersion'
  | 'strategy'
  | 'connector'
  | 'model'
  | 'status'
  | 'finishReason'
  | 'errorCode'
  | 'createdAt'
  | 'finishedAt'
  | 'usage'
  | 'costMicros'
  | 'draft'
  | 'replay'
>;

/** Parts about the figures of a run. Absent values make no part. */
export const figureValues = (run: StatedRun): ReceiptValues => ({
  run: {
    id: run.id,
    organization_id: run.organizationId,
    parent_run_id: run.parentRunId,
    status: run.status,
    finish_reason: run.finishReason,
    error_code: run.errorCode,
    created_at: run.createdAt,
    finished_at: run.finishedAt,
    draft: run.draft,
  },
  asker: { user_id: run.userId, credential_id: run.credentialId },
  assistant: {
    id: run.assistantId,
    name: run.assistantName,
    type: run.assistantType,
    version: run.assistantVersion,
    strategy: run.strategy,
  },
  model: { connector: run.connector, model: run.model },
  usage: run.usage ?? undefined,
  cost: run.costMicros === null ? undefined : { micros: run.costMicros },
  replay: run.replay ?? undefined,
});

export const questionValue = (question: string): ReceiptValues => ({ question: textOf(question) });

/** Parts about the texts of a run: hashes in their place. */
export const textValues = (
  facts: Pick<RunFacts, 'request' | 'prompt' | 'functions' | 'fixed' | 'answer'>,
): ReceiptValues => ({
  parameters: Object.fromEntries(
    PARAMETERS.filter((name) => facts.request.params[name] !== undefined).map((name) => [
      name,
      stored(facts.request.params[name]),
    ]),
  ),
  prompt: facts.prompt === null ? undefined : promptOf(facts.prompt),
  functions: facts.functions?.calls.map(({ round, name, plugin, status, content, ...call }) => ({
    ...{ round, name, plugin, status },
    arguments: textOf(call.arguments),
    result: content === null ? null : textOf(content),
  })),
  answer: { ...textOf(facts.answer), from_model: facts.fixed === null },
});

/** Parts about what a recording does not hold whole: settings, tools, passages and checks. */
export const materialValues = (facts: RunFacts): ReceiptValues => ({
  settings: { sha256: settingsDigest(facts.document) },
  tools: facts.results.map(resultOf),
  passages: facts.passages.map(({ n, title, text }) => ({ n, title, ...textOf(text) })),
  checks: facts.checks.map(resultOf),
});

const promptOf = (messages: readonly unknown[]): object => ({
  messages: messages.length,
  sha256: digestOf(messages),
});

const resultOf = ({ index, plugin, placeholder, status, code, preview }: ReportResult): object => ({
  index,
  plugin,
  placeholder,
  status,
  ...(code === undefined ? {} : { code }),
  ...textOf(preview),
});

/** The recording of a run with its whole question. */
export type KeptTexts = Recording & { readonly question: string };
