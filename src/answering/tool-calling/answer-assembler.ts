import type { FunctionCall, JsonObject } from '@bellwether/kernel';
import type { EchoedMembers, FunctionCallDelta, ModelChunk } from '../../connectors';
import { ARGUMENTS_LIMIT } from '../../tools';

/** Characters of thoughts that go back with a message; what is beyond them is cut off. */
const REASONING_LIMIT = 500_000;
/** Characters of one `extra_content` as JSON; a longer one is left out, since part of a signature is worth nothing. */
const EXTRA_LIMIT = 200_000;
/** Characters of `extra_content` of all calls of a message together. */
const EXTRA_OF_CALLS_LIMIT = 1_000_000;

const sizeOf = (extra: JsonObject): number => JSON.stringify(extra).length;

/** Pieces of one `extra_content` as one; a piece that makes it too long is left out. */
function mergedExtra(known: JsonObject | null, piece: JsonObject): JsonObject | null {
  const merged = { ...known, ...piece };
  return sizeOf(merged) <= EXTRA_LIMIT ? merged : known;
}

/** Puts the members that a vendor demands back together from their pieces, within limits. */
class VendorExtensionAssembler {
  private reasoning: string | null = null;
  private extra: JsonObject | null = null;

  add({ reasoning_content: reasoning, extra_content: extra }: EchoedMembers): void {
    if (reasoning !== undefined) {
      const kept = this.reasoning ?? '';
      this.reasoning = kept + reasoning.slice(0, REASONING_LIMIT - kept.length);
    }
    if (extra !== undefined) this.extra = mergedExtra(this.extra, extra);
  }

  get members(): EchoedMembers {
    return {
      ...(this.reasoning === null ? {} : { reasoning_content: this.reasoning.toWellFormed() }),
      ...(this.extra === null ? {} : { extra_content: this.extra }),
    };
  }
}

/** The members of a whole answer, within the same limits. */
export function keptMembers(echoed: EchoedMembers | undefined): EchoedMembers {
  const assembler = new VendorExtensionAssembler();
  if (echoed !== undefined) assembler.add(echoed);
  return assembler.members;
}

/** `extra_content` of each call as it goes back, in call order. */
export function keptExtras(calls: readonly FunctionCall[]): readonly (JsonObject | undefined)[] {
  let left = EXTRA_OF_CALLS_LIMIT;
  return calls.map(({ extra_content: extra }) => {
    const size = extra === undefined ? 0 : sizeOf(extra);
    if (size > Math.min(left, EXTRA_LIMIT)) return undefined;
    left -= size;
    return extra;
  });
}

interface GrowingCall {
  readonly id: string;
  readonly name: string;
  arguments: string;
  extraContent: JsonObject | null;
}

/** The answer to one model request, assembled from the chunks of its stream. */
export class AnswerAssembler {
  text = '';
  private readonly growing = new Map<number, GrowingCall>();
  private readonly echo = new VendorExtensionAssembler();

  add({ text, calls, echoed }: ModelChunk): void {
    this.text += text;
    for (const delta of calls ?? []) this.addCall(delta);
    if (echoed !== undefined) this.echo.add(echoed);
  }

  get calls(): readonly FunctionCall[] {
    return [...this.growing.values()].map(({ id, name, arguments: given, extraContent }) => {
      const plain = { id, type: 'function', function: { name, arguments: given } } as const;
      return extraContent === null ? plain : { ...plain, extra_content: extraContent };
    });
  }

  get echoed(): EchoedMembers {
    return this.echo.members;
  }

  /** Keeps one character of the arguments beyond the limit, so that the length check fails later. */
  private addCall({ index, id, name, arguments: text, extraContent }: FunctionCallDelta): void {
    const call = this.growing.get(index) ?? { id: id ?? '', name: name ?? '', arguments: '', extraContent: null };
    this.growing.set(index, call);
    call.arguments += text.slice(0, Math.max(0, ARGUMENTS_LIMIT + 1 - call.arguments.length));
    if (extraContent !== undefined) call.extraContent = mergedExtra(call.extraContent, extraContent);
  }
}
