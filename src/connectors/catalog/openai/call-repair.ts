import type { JsonObject } from '@bellwether/kernel';
import type { FunctionCallDelta } from '../../contract';
import { callId, MAX_CALLS } from '../../vendor';

/** Some vendors send `{}` before the real arguments, so a beginning that may become one waits. */
const MAY_BE_EMPTY_CHARS = 302;
const MAY_BE_EMPTY_OBJECT = /^\s{0,100}\{?\s{0,100}\}?\s{0,100}$/;

/** A piece of a call as a vendor sent it: any member may be missing, shifted or repeated. */
export interface VendorCallPiece {
  readonly index: number | null;
  readonly id: string | null;
  readonly name: string | null;
  readonly arguments: string;
  readonly extraContent?: JsonObject;
}

/** One call as it grows. */
class GrowingCall {
  name = '';
  /** The vendor's id. Clients get `toldId`, which is unique. */
  id: string | null;
  toldId: string | null = null;
  /** Position among the calls that clients know. */
  position = -1;
  arguments = '';
  extraContent: JsonObject | undefined;
  /** The end of `arguments` that clients do not have yet. */
  private waiting = '';
  /** Scanner state of `isWhole`: characters of `arguments` already read, the depth there, and whether in a string. */
  private seen = 0;
  private depth = 0;
  private inText = false;

  constructor(
    id: string | null,
    readonly index: number | null,
  ) {
    this.id = id;
  }

  /** True when the arguments are a complete JSON object. Reads each character once. */
  get isWhole(): boolean {
    const text = this.arguments;
    for (; this.seen < text.length; this.seen += 1) {
      const char = text[this.seen];
      if (this.inText) {
        if (char === '\\') this.seen += 1;
        else if (char === '"') this.inText = false;
      } else if (char === '"') this.inText = true;
      else if (char === '{' || char === '[') this.depth += 1;
      else if (char === '}' || char === ']') this.depth -= 1;
    }
    return this.depth === 0 && !this.inText && text.trimEnd().endsWith('}');
  }

  /** Vendors send names whole, repeated in every fragment, as growing prefixes, or in pieces. */
  addName(name: string): void {
    if (name === this.name || this.toldId !== null) return;
    this.name = name.startsWith(this.name) ? name : this.name + name;
  }

  addArguments(text: string): void {
    // Some vendors repeat the complete arguments in a last fragment.
    if (text === '' || (text.length > 1 && text === this.arguments && this.isWhole)) return;
    const beginsAnew = !this.isTold && text.trimStart().startsWith('{') && this.isWhole;
    if (beginsAnew && this.mayBeEmpty) {
      this.arguments = '';
      this.waiting = '';
      this.seen = 0;
    }
    this.arguments += text;
    this.waiting += text;
  }

  /** The arguments that clients do not have yet; what may be an empty object waits unless `isLast`. */
  untold(isLast: boolean): string {
    if (!isLast && !this.isTold && this.mayBeEmpty) return '';
    const text = this.waiting;
    this.waiting = '';
    return text;
  }

  private get isTold(): boolean {
    return this.waiting.length < this.arguments.length;
  }

  private get mayBeEmpty(): boolean {
    return this.arguments.length <= MAY_BE_EMPTY_CHARS && MAY_BE_EMPTY_OBJECT.test(this.arguments);
  }
}

/**
 * Puts the function calls of one streamed answer into OpenAI's strict shape while they arrive: `index` counts from 0, the
 * first piece of a call has its id and whole name, each later one more of its arguments. A vendor's piece belongs to the
 * call with its id, else with its index, else to the latest. A piece with a name begins another call when that call is
 * complete, unless it repeats the call's id and name.
 */
export class CallRepair {
  private readonly all: GrowingCall[] = [];
  private readonly byId = new Map<string, GrowingCall>();
  private readonly byIndex = new Map<number, GrowingCall>();
  private readonly toldIds = new Set<string>();
  private known = 0;

  /** @param declared names of the functions that the request offers: such a name is whole as soon as it is there */
  constructor(private readonly declared: readonly string[] = []) {}

  add(pieces: readonly VendorCallPiece[]): FunctionCallDelta[] {
    return pieces.flatMap((piece) => {
      const call = this.callOf(piece);
      if (call === undefined) return [];
      if (call.id === null && piece.id) {
        call.id = piece.id;
        this.byId.set(piece.id, call);
      }
      if (piece.name) call.addName(piece.name);
      call.addArguments(piece.arguments);
      return this.told(call, false, piece.extraContent);
    });
  }

  /** The pieces that waited for more. Calls without a name are none. */
  finish(): FunctionCallDelta[] {
    return this.all.flatMap((call) => this.told(call, true));
  }

  private told(call: GrowingCall, isLast: boolean, extra?: JsonObject): FunctionCallDelta[] {
    if (extra !== undefined) call.extraContent = { ...call.extraContent, ...extra };
    if (call.toldId === null && !(isLast ? call.name !== '' : this.isNameWhole(call))) return [];
    const isFirst = call.toldId === null;
    // Calls keep their order: an earlier one is told first, as far as it has come.
    const earlier = isFirst ? this.all.slice(0, this.all.indexOf(call)) : [];
    const before = earlier.filter(({ toldId, name }) => toldId === null && name !== '');
    const pieces = before.map((each) => this.piece(each, isLast));
    const untold = call.untold(isLast);
    const piece = isFirst ? this.first(call, untold) : this.next(call, untold, extra);
    return piece === null ? pieces : [...pieces, piece];
  }

  private piece(call: GrowingCall, isLast: boolean): FunctionCallDelta {
    return this.first(call, call.untold(isLast));
  }

  private first(call: GrowingCall, text: string): FunctionCallDelta {
    call.toldId = call.id === null || this.toldIds.has(call.id) ? callId() : call.id;
    this.toldIds.add(call.toldId);
    call.position = this.known++;
    const { position: index, toldId: id, name, extraContent } = call;
    return { index, id, name, arguments: text, ...(extraContent === undefined ? {} : { extraContent }) };
  }

  private next({ position }: GrowingCall, text: string, extra: JsonObject | undefined): FunctionCallDelta | null {
    if (text === '' && extra === undefined) return null;
    const extraContent = extra === undefined ? {} : { extraContent: extra };
    return { index: position, id: null, name: null, arguments: text, ...extraContent };
  }

  private isNameWhole({ name, arguments: text }: GrowingCall): boolean {
    if (name === '') return false;
    if (text.trim() !== '') return true;
    return this.declared.includes(name) && !this.declared.some((each) => each !== name && each.startsWith(name));
  }

  private callOf(piece: VendorCallPiece): GrowingCall | undefined {
    const known = this.knownCall(piece);
    return known === undefined || beginsAnother(known, piece) ? this.begin(piece) : known;
  }

  private knownCall({ id, index }: VendorCallPiece): GrowingCall | undefined {
    if (id !== null && id !== '') return this.byId.get(id) ?? this.nameless(index);
    if (index === null) return this.all.at(-1);
    return this.byIndex.get(index) ?? this.all.at(-1);
  }

  /** The call of this index if it has no id yet: some vendors send the id late. */
  private nameless(index: number | null): GrowingCall | undefined {
    const call = index === null ? undefined : this.byIndex.get(index);
    return call?.id === null ? call : undefined;
  }

  private begin({ id, index }: VendorCallPiece): GrowingCall | undefined {
    if (this.all.length >= MAX_CALLS) return undefined;
    const call = new GrowingCall(id === '' ? null : id, index);
    this.all.push(call);
    if (call.id !== null) this.byId.set(call.id, call);
    if (index !== null) this.byIndex.set(index, call);
    return call;
  }
}

/** Some vendors begin the next call under an old index or none, or give all calls the same id. */
function beginsAnother(call: GrowingCall, { id, index, name, arguments: text }: VendorCallPiece): boolean {
  if (!isGiven(name)) return false;
  if (isGiven(id)) {
    if (id === call.id && name === call.name) return false;
  } else if (index !== null && call.index !== null && index !== call.index) return true;
  return (text.trim() === '' ? name !== call.name : text !== call.arguments) && call.isWhole;
}

const isGiven = (text: string | null): text is string => text !== null && text !== '';
