import { isJsonObject } from '@bellwether/kernel';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../infrastructure/config';
import { isDatabaseUnavailable } from '../infrastructure/database';
import {
  type Receipt,
  ReceiptKeys,
  type ReceiptValues,
  type SignedReceipt,
  canonicalJson,
  makeReceipt,
  sha256,
} from './receipts';
import type { ReportResult } from './report.types';
import { redactText } from './shape-report';
import { type Recording, type RunFacts, type RunRecord, UNKEPT_REASONS, type UnkeptReason } from './run.types';

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

/** Characters of the JSON text. Longer conversations with pictures are not kept. */
const MOST_CHARS = 2_000_000;
const VERSION = 1;

/** JSON text for the column: as text, members keep their order, and with it the bytes of a prompt. */
export function recordingText(facts: RunFacts, secrets: readonly string[]): string {
  const { request, instruction, definition, prompt, fixed, functions, answer } = facts;
  if (prompt === null) return unkept('no_prompt');
  const recording: Recording = { request, instruction, definition, prompt, fixed, functions, answer };
  const text = JSON.stringify({ v: VERSION, ...recording });
  if (text.length > MOST_CHARS) return unkept('too_large');
  // A redacted prompt would not be the prompt.
  return redactText(text, secrets) === text ? text : unkept('secret');
}

const unkept = (reason: UnkeptReason): string => JSON.stringify({ v: VERSION, unkept: reason });

/** The recording, or why there is none. `deleted`: by retention, or the run is of an earlier release. */
export function readRecording(text: string | null): Recording | UnkeptReason | 'deleted' {
  if (text === null) return 'deleted';
  const read: unknown = JSON.parse(text);
  if (!isJsonObject(read) || read['v'] !== VERSION) return 'deleted';
  const { v: _version, unkept: reason, ...recording } = read;
  return UNKEPT_REASONS.find((known) => known === reason) ?? (recording as unknown as Recording);
}

/** A receipt whose key could not be read when the run ended. */
export interface UnsignedReceipt {
  readonly receipt: Receipt;
  readonly signature: null;
  readonly key_id: null;
}

/** Makes what is stored with the record of an ended run: the recording for replays, and the signed receipt. */
@Injectable()
export class RunReceipts {
  private readonly logger = new Logger('Runs');
  private readonly issuer: string | null;

  constructor(
    private readonly keys: ReceiptKeys,
    @Inject(CONFIG) { http }: Config,
  ) {
    this.issuer = http.publicUrl ?? null;
  }

  /** The record as it is written. @throws when the database does not answer */
  async complete(record: RunRecord): Promise<RunRecord> {
    const { ending, ...rest } = record;
    if (ending === undefined) return record;
    const { facts, question, secrets } = ending;
    const receipt = makeReceipt({
      runId: record.id,
      issuer: this.issuer,
      values: receiptValues(record, facts, question),
    });
    const recording = facts === undefined ? null : recordingText(facts, secrets);
    return { ...rest, recording, receipt: JSON.stringify(await this.signed(receipt)) };
  }

  /** Signs a receipt that could not be signed before. @throws AppError `secret_unavailable` */
  async signLater({ receipt }: UnsignedReceipt): Promise<SignedReceipt> {
    return this.keys.sign(receipt);
  }

  private async signed(receipt: Receipt): Promise<SignedReceipt | UnsignedReceipt> {
    try {
      return await this.keys.sign(receipt);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      this.logger.warn({ msg: 'a receipt could not be signed', run_id: receipt.run_id, err: error });
      return { receipt, signature: null, key_id: null };
    }
  }
}
