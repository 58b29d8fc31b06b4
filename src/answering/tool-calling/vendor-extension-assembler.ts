import type { FunctionCall, JsonObject } from '@bellwether/kernel';
import type { EchoedMembers } from '../../connectors';

/** Characters of thoughts that go back with a message; what is beyond them is cut off. */
const REASONING_LIMIT = 500_000;
/** Characters of one `extra_content` as JSON; a longer one is left out, since part of a signature is worth nothing. */
const EXTRA_LIMIT = 200_000;
/** Characters of `extra_content` of all calls of a message together. */
const EXTRA_OF_CALLS_LIMIT = 1_000_000;

const sizeOf = (extra: JsonObject): number => JSON.stringify(extra).length;

/** Pieces of one `extra_content` as one; a piece that makes it too long is left out. */
export function mergedExtra(known: JsonObject | null, piece: JsonObject): JsonObject | null {
  const merged = { ...known, ...piece };
  return sizeOf(merged) <= EXTRA_LIMIT ? merged : known;
}

/** Puts the members that a vendor demands back together from their pieces, within limits. */
export class VendorExtensionAssembler {
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
