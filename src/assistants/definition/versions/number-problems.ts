import type { Problem } from '../../../kernel';

const SUSPICIOUS = /\d{16}|\d[eE]/;
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Reports numbers that JavaScript cannot represent exactly: a rewrite would change them. */
export function numberProblems(text: string): readonly Problem[] {
  if (!SUSPICIOUS.test(text)) return [];
  for (const [token] of text.matchAll(TOKENS)) {
    if (token.startsWith('"') || isKept(token)) continue;
    const message = `holds the number ${token.slice(0, 40)}, which cannot be kept exactly`;
    return [{ path: 'metadata', code: 'metadata.invalid', message }];
  }
  return [];
}

function isKept(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  return /[.eE]/.test(token) || BigInt(token) === BigInt(value);
}
