import { setImmediate as nextTurn } from 'node:timers/promises';

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
export async function encodeJson(value: object): Promise<string | Buffer> {
  if (!isLarge(value)) return JSON.stringify(value);
  const parts: Buffer[] = [];
  await writeJson(value, 'as_is', (text) => parts.push(Buffer.from(text, 'utf8')));
  return Buffer.concat(parts);
}
