import { AppError } from '../../kernel';

/** Limits of one JSON body: measured so that no accepted body stalls the event loop or overflows the stack. */
export interface JsonLimits {
  readonly depth: number;
  readonly values: number;
  readonly arrayLength: number;
}

export const HOUSE_LIMITS: JsonLimits = { depth: 32, values: 20_000, arrayLength: 2_000 };
/** Conversations are long lists of small messages. */
export const CHAT_LIMITS: JsonLimits = { depth: 32, values: 200_000, arrayLength: 20_000 };

const FORBIDDEN_KEYS = new Set(['__proto__']);

const tooComplex = (detail: string): AppError => new AppError('body_too_complex', detail);

function checkText(text: string): void {
  if (text.includes('\u0000'))
    throw new AppError('bad_request', 'The body holds a NUL character, which cannot be stored');
  if (!text.isWellFormed()) throw new AppError('bad_request', 'The body holds half of a UTF-16 surrogate pair');
}

function childrenOf(value: object, limits: JsonLimits): readonly unknown[] {
  if (Array.isArray(value)) {
    if (value.length > limits.arrayLength) throw tooComplex(`An array holds more than ${limits.arrayLength} items`);
    return value as unknown[];
  }
  for (const name of Object.keys(value)) {
    if (FORBIDDEN_KEYS.has(name)) throw new AppError('bad_request', `The property name ${name} is not allowed`);
    checkText(name);
  }
  return Object.values(value);
}

/**
 * Refuses bodies that parse but would hurt: too deep, too many values, NUL, lone surrogates, `__proto__`.
 * Iterative on purpose: a recursive walk is what deep bodies break.
 */
export function assertJsonShape(body: unknown, limits: JsonLimits): void {
  let level: unknown[] = [body];
  let values = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limits.depth) throw tooComplex(`The body nests deeper than ${limits.depth} levels`);
    values += level.length;
    if (values > limits.values) throw tooComplex(`The body holds more than ${limits.values} values`);
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'string') checkText(value);
      else if (typeof value === 'object' && value !== null)
        for (const child of childrenOf(value, limits)) next.push(child);
    }
    level = next;
  }
}
