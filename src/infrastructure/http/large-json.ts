import { AppError, type Awaitable, invalid } from '@bellwether/kernel';
import { setImmediate as nextTurn } from 'node:timers/promises';

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const WHITESPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);

interface Container {
  readonly isObject: boolean;
  items: number;
  /** Id of the names so far, in their order. */
  shape: number;
}

const tooComplex = (detail: string): AppError => new AppError('body_too_complex', detail);

/**
 * Counts the values of a JSON text on its bytes, before it is parsed: `JSON.parse` of 25 MB of `{},` blocks the event
 * loop for seconds. Bytes may arrive in pieces. Malformed text is counted exactly up to its first error, where
 * `JSON.parse` stops.
 */
export class JsonScanner {
  private readonly open: Container[] = [];
  private readonly shapes = new Map<string, number>();
  private values = 0;
  private valuesBesideMessages = 0;
  private isInString = false;
  /** The string so far ends with an odd number of backslashes. */
  private isEscaped = false;
  private isNameNext = false;
  /** Source text of the member name being read; null in any other string. */
  private name: string | null = null;
  private isInMessages = false;

  constructor(private readonly limits: JsonLimits) {}

  /** @throws {AppError} `body_too_complex` */
  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) at = this.isInString ? this.readString(bytes, at) : this.readStructure(bytes, at);
  }

  /** Reads up to the next string and returns its offset. */
  private readStructure(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      switch (byte) {
        case QUOTE:
          this.beginString();
          return at + 1;
        case COMMA:
          this.nextItem();
          break;
        case OPEN_OBJECT:
        case OPEN_ARRAY:
          this.beginContainer(byte === OPEN_OBJECT);
          break;
        case CLOSE_OBJECT:
        case CLOSE_ARRAY:
          this.open.pop();
          this.isNameNext = false;
          break;
        default:
          if (this.open.at(-1)?.items === 0 && !WHITESPACE.has(byte)) this.count();
      }
    }
    return bytes.length;
  }

  /** Reads up to the end of the string or the bytes and returns the offset. */
  private readString(bytes: Buffer, from: number): number {
    const quote = bytes.indexOf(QUOTE, from);
    const end = quote === -1 ? bytes.length : quote;
    let start = end;
    while (start > from && bytes[start - 1] === BACKSLASH) start--;
    const isOdd = (end - start) % 2 === 1;
    // Continues a run of backslashes of the previous piece.
    this.isEscaped = start === from ? isOdd !== this.isEscaped : isOdd;
    if (this.name !== null) this.name = nameWith(this.name, bytes, from, end);
    if (quote === -1) return end;
    if (this.isEscaped) {
      this.isEscaped = false;
      if (this.name !== null) this.name += '"';
    } else this.endString();
    return quote + 1;
  }

  private beginString(): void {
    this.isInString = true;
    this.isEscaped = false;
    if (this.open.at(-1)?.items === 0) this.count();
    this.name = this.isNameNext ? '' : null;
    this.isNameNext = false;
  }

  private endString(): void {
    this.isInString = false;
    if (this.name === null) return;
    if (this.open.length === 1) this.isInMessages = this.name === 'messages';
    this.addName(this.name);
    this.name = null;
  }

  private addName(name: string): void {
    const object = this.open.at(-1);
    if (object === undefined) return;
    const step = `${object.shape}:${name}`;
    let shape = this.shapes.get(step);
    if (shape === undefined) {
      shape = this.shapes.size + 1;
      if (shape > this.limits.shapes)
        throw tooComplex(`The objects have more than ${this.limits.shapes} different lists of member names`);
      this.shapes.set(step, shape);
    }
    object.shape = shape;
  }

  private beginContainer(isObject: boolean): void {
    if (this.open.at(-1)?.items === 0) this.count();
    this.open.push({ isObject, items: 0, shape: 0 });
    this.isNameNext = isObject;
    // `count` limits the depth of well-formed text; this check bounds `open` for malformed text.
    if (this.open.length > this.limits.depth + 1) throw this.tooDeep();
  }

  private nextItem(): void {
    const container = this.open.at(-1);
    if (container === undefined) return;
    if (this.open.length === 1) this.isInMessages = false;
    this.count();
    this.isNameNext = container.isObject;
  }

  private count(): void {
    const { limits } = this;
    const container = this.open.at(-1);
    if (container === undefined) return;
    if (this.open.length > limits.depth) throw this.tooDeep();
    container.items += 1;
    if (container.isObject && container.items > limits.members)
      throw tooComplex(`An object holds more than ${limits.members} members`);
    if (!container.isObject && container.items > limits.arrayLength)
      throw tooComplex(`An array holds more than ${limits.arrayLength} items`);
    if (++this.values > limits.values) throw tooComplex(`The body holds more than ${limits.values} values`);
    if (!this.isInMessages && ++this.valuesBesideMessages > limits.valuesBesideMessages)
      throw tooComplex(`The body holds more than ${limits.valuesBesideMessages} values outside messages`);
  }

  private tooDeep(): AppError {
    return tooComplex(`The body nests deeper than ${this.limits.depth} levels`);
  }
}

function nameWith(name: string, bytes: Buffer, from: number, end: number): string {
  if (name.length + end - from > MOST_NAME_BYTES)
    throw tooComplex(`The name of a member has more than ${MOST_NAME_BYTES} bytes`);
  return name + bytes.toString('latin1', from, end);
}

/** Applies the limits of a body to a JSON text inside one. @throws {AppError} `validation_failed` */
export function assertHouseJson(text: string, path: string): void {
  try {
    new JsonScanner(HOUSE_LIMITS).push(Buffer.from(text, 'utf8'));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw invalid([{ path, message: error.detail }]);
  }
}

/** Limits of one JSON body, measured: no accepted body stalls the event loop or overflows the stack. */
export interface JsonLimits {
  readonly depth: number;
  readonly values: number;
  readonly arrayLength: number;
  /** Members of one object. */
  readonly members: number;
  /** Values outside the top-level member `messages`. */
  readonly valuesBesideMessages: number;
  /**
   * Object shapes (V8's hidden classes): each new ordered list of member names is one. 200,000 objects of one shape parse
   * in 15 ms; as many members in new shapes take 600 ms.
   */
  readonly shapes: number;
}

export const HOUSE_LIMITS: JsonLimits = {
  depth: 32,
  values: 20_000,
  arrayLength: 2_000,
  members: 200,
  valuesBesideMessages: 20_000,
  shapes: 10_000,
};

/** Bytes of one member name in any body: shapes bound the number of names, not their length. */
const MOST_NAME_BYTES = 1_024;

/** Conversations are long lists of small messages. */
export const CHAT_LIMITS: JsonLimits = {
  depth: 32,
  values: 200_000,
  arrayLength: 20_000,
  members: 2_000,
  valuesBesideMessages: 20_000,
  shapes: 10_000,
};

/** Characters per turn of the event loop: 1 M take 10 ms. */
const TURN = 1024 * 1024;
const PIECE = 64 * 1024;

type Order = 'as_is' | 'sorted';

const isHighSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xd800;

function* textPieces(text: string): Generator<string> {
  if (text.length <= PIECE) {
    yield JSON.stringify(text);
    return;
  }
  yield '"';
  for (let from = 0; from < text.length;) {
    const next = from + PIECE;
    // Half of a surrogate pair would be written as an escape.
    const to = isHighSurrogate(text, next - 1) ? next + 1 : next;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield '"';
}

function* objectPieces(value: object, order: Order): Generator<string> {
  const names = Object.keys(value);
  if (order === 'sorted') names.sort();
  let separator = '{';
  for (const name of names) {
    const member = (value as Record<string, unknown>)[name];
    if (member === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    yield* pieces(member, order);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

function* listPieces(list: readonly unknown[], order: Order): Generator<string> {
  let separator = '[';
  for (const item of list) {
    yield separator;
    yield* pieces(item, order);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

function* pieces(value: unknown, order: Order): Generator<string> {
  if (typeof value === 'string') yield* textPieces(value);
  else if (Array.isArray(value)) yield* listPieces(value, order);
  else if (typeof value === 'object' && value !== null) yield* objectPieces(value, order);
  else yield JSON.stringify(value) ?? 'null';
}

/** Writes a JSON value in pieces, over several turns of the event loop. */
export async function writeJson(value: unknown, order: Order, write: (text: string) => void): Promise<void> {
  let text = '';
  let inTurn = 0;
  for (const piece of pieces(value, order)) {
    text += piece;
    if (text.length < PIECE) continue;
    write(text);
    inTurn += text.length;
    text = '';
    if (inTurn < TURN) continue;
    inTurn = 0;
    await nextTurn();
  }
  write(text);
}

function isLarge(value: unknown): boolean {
  const waiting: unknown[] = [value];
  let size = 0;
  while (waiting.length > 0 && size < TURN) {
    const next = waiting.pop();
    if (typeof next === 'string') size += next.length;
    else if (typeof next === 'object' && next !== null) {
      size += 16;
      for (const child of Object.values(next)) waiting.push(child);
    }
  }
  return size >= TURN;
}

/** `JSON.stringify` over several turns of the event loop. Plain JSON only: no dates, no `toJSON`. */
export const encodeJson = (value: object): Awaitable<string | Buffer> =>
  isLarge(value) ? encodeLarge(value) : JSON.stringify(value);

async function encodeLarge(value: object): Promise<Buffer> {
  const parts: Buffer[] = [];
  await writeJson(value, 'as_is', (text) => parts.push(Buffer.from(text, 'utf8')));
  return Buffer.concat(parts);
}
