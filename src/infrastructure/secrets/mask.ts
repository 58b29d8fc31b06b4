import { isJsonObject } from '@bellwether/kernel';

export const MASK = '[redacted]';

/** `api_key`, `apiToken`, `client-secret`, `Authorization`, `token`; not `max_tokens` and not `api_key_configured`. */
const SECRET_NAME =
  /(^|[_.-])(api[_-]?key|api[_-]?token|access[_-]?token|refresh[_-]?token|auth[_-]?token|bearer|token|secret|secret[_-]?key|client[_-]?secret|private[_-]?key|password|passwd|passphrase|authorization|cookie|credentials?)$/i;
const CAMEL_NAME = /(apiKey|[a-z]Token|[a-z]Secret|[a-z]Password|privateKey)$/;

/** Shapes of secrets: keys of vendors, our keys, sealed values, bearer headers, JWTs. */
const SECRET_SHAPE = new RegExp(
  [
    'sk-[A-Za-z0-9_-]{8,}',
    'bw_[A-Za-z0-9_-]{16,}',
    'AIza[A-Za-z0-9_-]{20,}',
    'gh[pousr]_[A-Za-z0-9]{20,}',
    'v1:[A-Za-z0-9_-]{1,32}:[A-Za-z0-9_-]{38,}',
    // Only at the start of a word: retries inside a long word would take quadratic time.
    '(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*',
    'Bearer +[^\\s"\']{8,}',
  ].join('|'),
  'g',
);

const isSecretName = (name: string): boolean => SECRET_NAME.test(name) || CAMEL_NAME.test(name);

export const maskText = (text: string): string => text.replace(SECRET_SHAPE, MASK);

/** A copy without secrets: masks members by name, and other texts by shape. */
export function maskSecrets(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(maskSecrets);
  if (value instanceof Date) return value.toISOString();
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const masked = isSecretName(name) && member !== null && member !== undefined && member !== '';
      return [name, masked ? MASK : maskSecrets(member)];
    }),
  );
}
