import { isJsonObject, type JsonObject } from '@bellwether/kernel';
import type { FunctionCallDelta } from '../../contract';
import { finishReasonOf, functionsIn, type ThoughtSplitter, type VendorCall } from '../../vendor';
import { CallRepair, type VendorCallPiece } from './call-repair';
import { entriesOf, pieceOf } from './function-calls';

/** A choice of a chunk after the filling of `strictChunk`. */
export interface ChunkChoice extends JsonObject {
  readonly index: number;
  readonly delta: JsonObject;
  readonly finish_reason: string | null;
}

const NO_CALLS: readonly FunctionCallDelta[] = [];

/** Characters that an empty entry counts for, so that a vendor cannot send them without end. */
const CALL_WEIGHT = 4;

/**
 * Puts the deltas of one choice into the shape that OpenAI's clients rely on: the first tells the role, function calls come
 * in strict pieces, thoughts stand apart from the text, and a finish reason is one of OpenAI's.
 */
export class ChoiceRepair {
  /** Pieces of calls in the last choice. */
  calls = NO_CALLS;
  /** Size of the calls that the vendor sent with the last choice, in characters. */
  sentChars = 0;
  private hasRole = false;
  private repair: CallRepair | null = null;
  private readonly asksOldCalls: boolean;

  constructor(
    private readonly request: VendorCall['request'],
    private readonly thoughts: ThoughtSplitter,
  ) {
    // Clients of the API before `tools` get `function_call`, as they asked.
    this.asksOldCalls = Array.isArray(request.params['functions']);
  }

  /** The choice itself where nothing is to change. */
  of(choice: ChunkChoice): ChunkChoice {
    this.calls = NO_CALLS;
    this.sentChars = 0;
    const reason = choice.finish_reason;
    const withCalls = this.withCalls(choice.delta, reason !== null);
    const delta = this.withRole(this.withoutThoughts(withCalls, reason !== null));
    const finish = reason === null ? null : finishReasonOf(reason, this.repair !== null, this.asksOldCalls);
    return delta === choice.delta && finish === reason ? choice : { ...choice, delta, finish_reason: finish };
  }

  private withRole(delta: JsonObject): JsonObject {
    if (this.hasRole) return delta;
    this.hasRole = true;
    return delta['role'] === 'assistant' ? delta : { ...delta, role: 'assistant' };
  }

  private withoutThoughts(delta: JsonObject, isLast: boolean): JsonObject {
    const { content } = delta;
    const given = typeof content === 'string' ? content : '';
    if (given === '' && !isLast) return delta;
    const added = this.thoughts.add(given);
    const rest = isLast ? this.thoughts.finish() : { text: '', thoughts: '' };
    const text = added.text + rest.text;
    const thoughts = added.thoughts + rest.thoughts;
    if (text === given && thoughts === '') return delta;
    const reasoning = typeof delta['reasoning_content'] === 'string' ? delta['reasoning_content'] : '';
    return { ...delta, content: text, ...(thoughts === '' ? {} : { reasoning_content: reasoning + thoughts }) };
  }

  private withCalls(delta: JsonObject, isLast: boolean): JsonObject {
    const entries = this.entriesIn(delta);
    if (entries === null && (this.repair === null || !isLast)) return delta;
    const custom = this.read(entries ?? [], isLast);
    if (custom.length === 0 && isStrict(delta['tool_calls'], this.calls)) return delta;
    const { tool_calls: _calls, function_call: _old, ...rest } = delta;
    const strict = [...custom, ...this.calls.map(entryOf)];
    return strict.length === 0 ? rest : { ...rest, tool_calls: strict };
  }

  /** Sets `calls` and `sentChars`. Gives the entries that pass as they are. */
  private read(entries: readonly JsonObject[], isLast: boolean): readonly JsonObject[] {
    const pieces = entries.map(pieceOf);
    this.sentChars = pieces.reduce((sum, piece) => sum + sizeOf(piece), 0);
    const own = pieces.filter((piece) => piece !== null);
    if (own.length > 0) this.repair ??= new CallRepair(functionsIn(this.request.params).map(({ name }) => name));
    if (this.repair !== null) this.calls = [...this.repair.add(own), ...(isLast ? this.repair.finish() : NO_CALLS)];
    return entries.filter((_, at) => pieces[at] === null);
  }

  /** Null without calls. */
  private entriesIn({ tool_calls: calls, function_call: old }: JsonObject): readonly JsonObject[] | null {
    if (isJsonObject(old) && !this.asksOldCalls) return [{ index: 0, function: old }];
    return calls === undefined || calls === null ? null : entriesOf(calls);
  }
}

function entryOf({ index, id, name, arguments: text, extraContent }: FunctionCallDelta): JsonObject {
  const extra = extraContent === undefined ? {} : { extra_content: extraContent };
  if (id === null) return { index, function: { arguments: text }, ...extra };
  return { index, id, type: 'function', function: { name, arguments: text }, ...extra };
}

const sizeOf = (piece: VendorCallPiece | null): number =>
  CALL_WEIGHT + (piece?.name?.length ?? 0) + (piece?.arguments.length ?? 0);

/** True when the vendor's entries say the same in the strict shape, so that they pass as they are. */
const isStrict = (sent: unknown, pieces: readonly FunctionCallDelta[]): boolean =>
  Array.isArray(sent) && sent.length === pieces.length && pieces.every((piece, at) => says(sent[at], piece));

function says(entry: unknown, { index, id, name, arguments: text }: FunctionCallDelta): boolean {
  const called = isJsonObject(entry) ? entry['function'] : undefined;
  if (!isJsonObject(entry) || !isJsonObject(called) || entry['index'] !== index) return false;
  if ((called['arguments'] ?? '') !== text) return false;
  if (id === null) return isEmpty(entry['id']) && isEmpty(called['name']);
  return entry['id'] === id && entry['type'] === 'function' && called['name'] === name;
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';
