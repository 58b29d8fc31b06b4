import { AppError } from '../../../kernel';

const FORBIDDEN_KEYS = new Set(['__proto__']);

function checkText(text: string): void {
  if (text.includes('\u0000'))
    throw new AppError('bad_request', 'The body holds a NUL character, which cannot be stored');
  if (!text.isWellFormed()) throw new AppError('bad_request', 'The body holds half of a UTF-16 surrogate pair');
}

function childrenOf(value: object): readonly unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  for (const name of Object.keys(value)) {
    if (FORBIDDEN_KEYS.has(name)) throw new AppError('bad_request', `The property name ${name} is not allowed`);
    checkText(name);
  }
  return Object.values(value);
}

/** Refuses NUL, lone surrogates and `__proto__`. @throws {AppError} `bad_request` */
export function assertJsonTexts(body: unknown): void {
  const waiting: unknown[] = [body];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string') checkText(value);
    else if (typeof value === 'object' && value !== null) for (const child of childrenOf(value)) waiting.push(child);
  }
}
