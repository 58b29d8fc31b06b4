import { canonicalJson, type ReceiptValues, sha256 } from '../receipts';
import type { ReportResult } from '../report/report.types';
import type { RunRecord } from '../run/run.types';
import type { RunFacts } from '../run/run-facts.types';

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

/** As it is stored: JSON text such as `1e999` is read as a number that JSON cannot hold, and would lose the run's record. */
const stored = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** Of a value as it is stored. */
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

/** The parts of a run's receipt: hashes in the place of texts. `facts` are absent for a run that was refused or lost. */
export const receiptValues = (record: RunRecord, facts: RunFacts | undefined, question: string): ReceiptValues => ({
  run: {
    id: record.id,
    organization_id: record.organizationId,
    parent_run_id: record.parentRunId,
    status: record.status,
    finish_reason: record.finishReason,
    error_code: record.errorCode,
    created_at: record.createdAt,
    finished_at: record.finishedAt,
    draft: record.draft,
  },
  asker: { user_id: record.userId, credential_id: record.credentialId },
  question: textOf(question),
  assistant: {
    id: record.assistantId,
    name: record.assistantName,
    type: record.assistantType,
    version: record.assistantVersion,
    strategy: record.strategy,
  },
  model: { connector: record.connector, model: record.model },
  usage: record.usage ?? undefined,
  cost: record.costMicros === null ? undefined : { micros: record.costMicros },
  replay: record.replay ?? undefined,
  ...(facts === undefined ? {} : factValues(facts)),
});

const factValues = (facts: RunFacts): ReceiptValues => ({
  settings: { sha256: settingsDigest(facts.document) },
  parameters: Object.fromEntries(
    PARAMETERS.filter((name) => facts.request.params[name] !== undefined).map((name) => [
      name,
      stored(facts.request.params[name]),
    ]),
  ),
  prompt: facts.prompt === null ? undefined : promptOf(facts.prompt),
  tools: facts.results.map(resultOf),
  functions: facts.functions?.calls.map(({ round, name, plugin, status, content, ...call }) => ({
    ...{ round, name, plugin, status },
    arguments: textOf(call.arguments),
    result: content === null ? null : textOf(content),
  })),
  passages: facts.passages.map(({ n, title, text }) => ({ n, title, ...textOf(text) })),
  checks: facts.checks.map(resultOf),
  answer: { ...textOf(facts.answer), from_model: facts.fixed === null },
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
