/** Longest part of a vendor's own words that is passed on, in characters. */
const MAX_REASON = 300;

/** Shapes of credentials and of account ids; each pattern is linear. */
const SECRET_SHAPES: readonly RegExp[] = [
  /\b(?:Bearer|Basic)\s+[\w.~+/=*-]+/gi,
  /\b(?:sk|pk|rk|bw|gsk|xai|hf|ghp|glpat|org|proj|key)[-_][\w*.-]{6,}/gi,
  /\bAIza[\w-]{10,}/g,
  /\beyJ[\w-]+\.[\w.-]+/g,
  /\b[a-z][a-z0-9+.-]*:\/\/\S+/gi,
  /[\w+/=-]{40,}/g,
];

const REDACTED = '[redacted]';

/**
 * A vendor's explanation made fit for a client: one line, cut, without the secrets of this call (by value) and without
 * anything that looks like a credential, an account id or an address (by shape).
 */
export function sanitiseReason(reason: string, secrets: readonly (string | null)[]): string {
  let text = reason;
  for (const secret of secrets) if (secret !== null && secret !== '') text = text.replaceAll(secret, REDACTED);
  // Cut before matching too, so that no text of the vendor's makes this slow.
  text = text.slice(0, MAX_REASON * 4);
  for (const shape of SECRET_SHAPES) text = text.replace(shape, REDACTED);
  return text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON)
    .toWellFormed();
}
