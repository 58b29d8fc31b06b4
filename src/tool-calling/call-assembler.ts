import { callId, type FunctionCallDelta, MAX_CALLS } from '../connectors';
import type { FunctionCall, JsonObject } from '../kernel';
import { ARGUMENTS_LIMIT } from '../tools';
import { mergedExtra } from './echo-keeper';

/** Some vendors send `{}` before the real arguments. */
const EMPTY_OBJECT = /^\s*\{\s*\}\s*$/;

/** One call as it grows. */
class GrowingCall {
  name = '';
  arguments = '';
  extraContent: JsonObject | null = null;
  /** Scanner state of `isWhole`: characters of `arguments` already read, the depth there, and whether in a string. */
  private seen = 0;
  private depth = 0;
  private inText = false;

  constructor(
    public id: string | null,
    readonly index: number | null,
  ) {}

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
    if (name === this.name) return;
    this.name = name.startsWith(this.name) ? name : this.name + name;
  }

  /** Keeps one character beyond the limit, so that the length check fails later. */
  addArguments(text: string): void {
    if (text === '' || this.arguments.length > ARGUMENTS_LIMIT) return;
    // Some vendors repeat the complete arguments in a last fragment.
    if (text.length > 1 && text === this.arguments && this.isWhole) return;
    if (text.trimStart().startsWith('{') && EMPTY_OBJECT.test(this.arguments)) this.clear();
    this.arguments += text.slice(0, ARGUMENTS_LIMIT + 1 - this.arguments.length);
  }

  private clear(): void {
    this.arguments = '';
    this.seen = 0;
    this.depth = 0;
    this.inText = false;
  }
}

/**
 * Assembles an answer's function calls from streamed fragments, in the order of their first fragments. A fragment belongs
 * to the call with its id, else with its index, else to the latest. A fragment with a name begins another call when that
 * call is complete, unless it repeats the call's id and name.
 */
export class CallAssembler {
  private readonly all: GrowingCall[] = [];
  private readonly byId = new Map<string, GrowingCall>();
  private readonly byIndex = new Map<number, GrowingCall>();

  add(delta: FunctionCallDelta): void {
    const call = this.callOf(delta);
    if (call === undefined) return;
    if (call.id === null && delta.id) {
      call.id = delta.id;
      this.byId.set(delta.id, call);
    }
    if (delta.name !== null && delta.name !== '') call.addName(delta.name);
    call.addArguments(delta.arguments);
    if (delta.extraContent !== undefined) {
      call.extraContent = mergedExtra(call.extraContent, delta.extraContent);
    }
  }

  /** All calls with a name, each with a unique id. */
  finish(): FunctionCall[] {
    const taken = new Set<string>();
    return this.all
      .filter(({ name }) => name !== '')
      .map((call) => {
        const id = call.id === null || taken.has(call.id) ? callId() : call.id;
        taken.add(id);
        const plain = { id, type: 'function', function: { name: call.name, arguments: call.arguments } } as const;
        return call.extraContent === null ? plain : { ...plain, extra_content: call.extraContent };
      });
  }

  private callOf(delta: FunctionCallDelta): GrowingCall | undefined {
    const known = this.known(delta);
    return known === undefined || beginsAnother(known, delta) ? this.begin(delta) : known;
  }

  private known({ id, index }: FunctionCallDelta): GrowingCall | undefined {
    if (id !== null && id !== '') return this.byId.get(id) ?? this.nameless(index);
    if (index === null) return this.all.at(-1);
    return this.byIndex.get(index) ?? this.all.at(-1);
  }

  /** The call of this index if it has no id yet: some vendors send the id late. */
  private nameless(index: number | null): GrowingCall | undefined {
    const call = index === null ? undefined : this.byIndex.get(index);
    return call?.id === null ? call : undefined;
  }

  private begin({ id, index }: FunctionCallDelta): GrowingCall | undefined {
    if (this.all.length >= MAX_CALLS) return undefined;
    const call = new GrowingCall(id === '' ? null : id, index);
    this.all.push(call);
    if (call.id !== null) this.byId.set(call.id, call);
    if (index !== null) this.byIndex.set(index, call);
    return call;
  }
}

/** Some vendors begin the next call under an old index or none, or give all calls the same id. */
function beginsAnother(call: GrowingCall, { id, index, name, arguments: text }: FunctionCallDelta): boolean {
  if (!isGiven(name)) return false;
  if (isGiven(id)) {
    if (id === call.id && name === call.name) return false;
  } else if (index !== null && call.index !== null && index !== call.index) return true;
  return (text.trim() === '' ? name !== call.name : text !== call.arguments) && call.isWhole;
}

const isGiven = (text: string | null): text is string => text !== null && text !== '';
