import { isJsonObject } from '../../kernel';

export const REDACTED = '[redacted]';

/** Shapes of credentials, each linear: vendor keys, our own keys, bearer values, JWTs, private keys, passwords in URLs. */
const SHAPES = new RegExp(
  [
    String.raw`\bsk-[A-Za-z0-9_-]{12,}`,
    String.raw`\bbw_[A-Za-z0-9_]{16,}`,
    String.raw`\bAIza[A-Za-z0-9_-]{20,}`,
    String.raw`\bAKIA[A-Z0-9]{12,}`,
    String.raw`\bgh[pousr]_[A-Za-z0-9]{20,}`,
    String.raw`\bxox[abprs]-[A-Za-z0-9-]{10,}`,
    String.raw`\beyJ[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]*){0,2}`,
    String.raw`(?<=\b[Bb]earer )[A-Za-z0-9._~+/=-]{12,}`,
    String.raw`-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[A-Za-z0-9+/=\s-]*`,
    String.raw`(?<=://)[^\s/@:]{1,256}:[^\s/@]{1,256}(?=@)`,
  ].join('|'),
  'g',
);

/** Every shape contains one of these marks. Testing them first spares most texts the ten patterns. */
const MARKS = /sk-|bw_|AIza|AKIA|gh[pousr]_|xox|eyJ|earer |PRIVATE KEY|:\/\//;

const SECRET_NAME = /api[-_]?key|token$|secret|password|passwd|authorization|credential/i;

/** Shorter values would redact ordinary words. */
const MIN_SECRET = 6;

/** Replaces the given secrets, then everything that looks like a credential. */
export function redactText(text: string, secrets: readonly string[]): string {
  let result = text;
  for (const secret of secrets) {
    if (secret.length >= MIN_SECRET && result.includes(secret)) result = result.replaceAll(secret, REDACTED);
  }
  return MARKS.test(result) ? result.replace(SHAPES, REDACTED) : result;
}

const MAX_DEPTH = 8;

/** A copy with redacted texts. A text under a name such as `api_key` is replaced as a whole. */
export function redactJson(value: unknown, secrets: readonly string[], depth = 0): unknown {
  if (typeof value === 'string') return redactText(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.map((item) => redactJson(item, secrets, depth + 1));
  if (!isJsonObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = value[name];
    const named = typeof member === 'string' && SECRET_NAME.test(name);
    copy[name] = named ? REDACTED : redactJson(member, secrets, depth + 1);
  }
  return copy;
}
