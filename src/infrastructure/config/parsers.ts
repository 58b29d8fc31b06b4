import { type Role, ROLES } from '@bellwether/kernel';
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';

export type Parsed<T> = { readonly value: T } | { readonly allowed: string };

/** Parses the text of one variable. A failure names what is allowed and never the text itself. */
export type Parser<T> = (text: string, context: ParserContext) => Parsed<T>;

export interface ParserContext {
  /** Names of the declared vendors; null where they are not loaded. */
  readonly vendors: readonly string[] | null;
}

export interface SecretKey {
  readonly kid: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

export const text = (): Parser<string> => (value) => ({ value });

/** An absolute path. */
export const path = (): Parser<string> => (value) => ({ value: resolve(value) });

/** `provider/model`, where the model's name may hold slashes. */
export const providerModel = (): Parser<{ readonly provider: string; readonly model: string }> => (value) => {
  const [, provider, model] = /^([a-z]+)\/(.+)$/.exec(value) ?? [];
  return provider === undefined || model === undefined ? { allowed: 'provider/model' } : { value: { provider, model } };
};

export const partsOf = (value: string): readonly string[] =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

export const list = (): Parser<readonly string[]> => (value) => ({ value: partsOf(value) });

/** Parts that an institution may do without. The keys of `extensions/index.ts`. */
export const EXTENSIONS = ['lti', 'scim', 'lamb-import', 'insights', 'evaluations', 'mcp', 'join'] as const;
export type Extension = (typeof EXTENSIONS)[number];

/** `all`, `none`, or names. LAMB's import writes courses of LTI. */
export const extensions = (): Parser<readonly Extension[]> => (value) => {
  if (value === 'all') return { value: EXTENSIONS };
  const names = value === 'none' ? [] : partsOf(value);
  if (names.some((name) => !EXTENSIONS.some((known) => known === name))) {
    return { allowed: `all, none, or some of ${EXTENSIONS.join(', ')}, comma-separated` };
  }
  if (names.includes('lamb-import') && !names.includes('lti'))
    return { allowed: 'a list with lti where it has lamb-import' };
  return { value: EXTENSIONS.filter((known) => names.includes(known)) };
};

export const oneOf =
  <const T extends string>(...allowed: readonly T[]): Parser<T> =>
  (value) => {
    const found = allowed.find((option) => option === value);
    return found === undefined ? { allowed: `one of ${allowed.join(', ')}` } : { value: found };
  };

/** The name of a vendor, or one of `others`. Unchecked where vendors are not loaded. */
export const vendorOr =
  (...others: readonly string[]): Parser<string> =>
  (value, context) =>
    context.vendors === null ? { value } : oneOf(...others, ...context.vendors)(value, context);

export const bool = (): Parser<boolean> => (value) => {
  if (['true', '1', 'yes', 'on'].includes(value.toLowerCase())) return { value: true };
  if (['false', '0', 'no', 'off'].includes(value.toLowerCase())) return { value: false };
  return { allowed: 'true or false' };
};

export const number =
  (min: number, max: number): Parser<number> =>
  (value) => {
    const parsed = Number(value);
    const fits = Number.isFinite(parsed) && parsed >= min && parsed <= max;
    return fits ? { value: parsed } : { allowed: `a number from ${min} to ${max}` };
  };

/** `unit`: the number is kept multiplied by it, e.g. 1,000 for seconds that are kept as milliseconds. */
export const integer =
  (min: number, max: number, unit = 1): Parser<number> =>
  (value) => {
    const fits = /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max;
    return fits ? { value: Number(value) * unit } : { allowed: `a whole number from ${min} to ${max}` };
  };

export const url =
  (...protocols: readonly string[]): Parser<string> =>
  (value) => {
    const allowed = { allowed: `a URL starting with ${protocols.map((p) => `${p}//`).join(' or ')}` };
    if (!URL.canParse(value)) return allowed;
    return protocols.includes(new URL(value).protocol) ? { value: value.replace(/(?<!\/)\/+$/, '') } : allowed;
  };

export const httpUrl = (): Parser<string> => url('http:', 'https:');

/** Origins of web pages: scheme, host and port, without a path. */
export const origins = (): Parser<readonly string[]> => (value) => {
  const parts = partsOf(value);
  const found = parts.flatMap((part) => (isOrigin(part) ? [new URL(part).origin] : []));
  return found.length === parts.length
    ? { value: [...new Set(found)] }
    : { allowed: 'origins such as https://moodle.example.edu, comma-separated, without a path' };
};

/** The service's own address: its pages and routes begin at the root. */
export const rootUrl = (): Parser<string> => (value) =>
  isOrigin(value)
    ? { value: new URL(value).origin }
    : { allowed: 'a URL such as https://learn.example.edu, without a path: the service needs a host of its own' };

/** A URL of more than an origin has a longer `href`, so its path and credentials show. */
const isOrigin = (part: string): boolean =>
  /^https?:\/\/[^*]+$/i.test(part) && URL.canParse(part) && new URL(part).href === `${new URL(part).origin}/`;

export const key =
  (prefix: string, length: number): Parser<string> =>
  (value) =>
    value.startsWith(prefix) && /^[\x21-\x7e]+$/.test(value) && value.length >= prefix.length + length
      ? { value }
      : { allowed: `${prefix} followed by at least ${length} printable characters without spaces` };

export const cidrs = (): Parser<readonly string[]> => (value) => {
  const parts = partsOf(value);
  const good = parts.every((part) => ipaddr.isValidCIDR(part) && !part.endsWith('/0'));
  return good ? { value: parts } : { allowed: 'address ranges such as 10.0.0.0/8, comma-separated; never a /0' };
};

/** Names of hosts in lower case. */
export const domains = (): Parser<readonly string[]> => (value) => {
  const parts = partsOf(value.toLowerCase());
  const good = parts.every((part) => /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(part));
  return good ? { value: parts } : { allowed: 'domains such as uni.example, comma-separated' };
};

/** `value=text` pairs. Values may hold `=`; texts cannot. */
const pairsIn = (value: string): readonly (readonly [string, string])[] =>
  partsOf(value).map((part) => {
    const end = part.lastIndexOf('=');
    return [part.slice(0, Math.max(0, end)).trim(), part.slice(end + 1).trim()];
  });

export const textMap = (): Parser<Readonly<Record<string, string>>> => (value) => {
  const pairs = pairsIn(value);
  const good = pairs.every(([name, to]) => name !== '' && to !== '');
  return good ? { value: Object.fromEntries(pairs) } : { allowed: 'pairs such as PHYS=physics, comma-separated' };
};

/** `value=role` pairs. */
export const roleMap = (): Parser<Readonly<Record<string, Role>>> => (value) => {
  const pairs = pairsIn(value).map(([name, to]): [string, Role | undefined] => [
    name,
    ROLES.find((role) => role === to),
  ]);
  const good = pairs.filter((pair): pair is [string, Role] => pair[0] !== '' && pair[1] !== undefined);
  return good.length === pairs.length
    ? { value: Object.fromEntries(good) }
    : { allowed: `pairs such as staff=teacher, comma-separated; roles are ${ROLES.join(', ')}` };
};

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** `Module=level` pairs. */
export const moduleLevels = (): Parser<Readonly<Record<string, LogLevel>>> => (value) => {
  const pairs = partsOf(value).map((part): [string, LogLevel | undefined] => {
    const [, logger = '', name = ''] = /^([A-Za-z]+)=([a-z]+)$/.exec(part) ?? [];
    return [logger, LOG_LEVELS.find((level) => level === name)];
  });
  const good = pairs.filter((pair): pair is [string, LogLevel] => pair[0] !== '' && pair[1] !== undefined);
  return good.length === pairs.length
    ? { value: Object.fromEntries(good) }
    : { allowed: `pairs such as Http=debug, comma-separated; levels are ${LOG_LEVELS.join(', ')}` };
};

const HEADER = /^\s*([A-Za-z0-9!#$%&'*+.^_`|~-]+)\s*=(.+)$/;

/** `name=value` pairs of HTTP headers, values percent-encoded (OpenTelemetry, "Specifying headers"). */
export const headerPairs = (): Parser<Readonly<Record<string, string>>> => (value) => {
  const pairs = partsOf(value).map((part): [string, string] => {
    const [, name = '', written = ''] = HEADER.exec(part) ?? [];
    return [name.toLowerCase(), decoded(written.trim())];
  });
  return pairs.every(([name, text]) => name !== '' && /^[\x20-\x7e]+$/.test(text))
    ? { value: Object.fromEntries(pairs) }
    : { allowed: 'pairs such as authorization=Basic%20abc, comma-separated; values are percent-encoded' };
};

/** Empty for a value that is not encoded well. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Name of a bucket (S3 User Guide, "Bucket naming rules"). */
export const bucketName = (): Parser<string> => (value) =>
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value)
    ? { value }
    : { allowed: 'the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens' };

/** Prefix of every key. A slash is appended unless it is empty. */
export const keyPrefix = (): Parser<string> => (value) => {
  const parts = value.split('/').filter((part) => part !== '');
  return parts.every((part) => /^[A-Za-z0-9_-]+$/.test(part))
    ? { value: parts.map((part) => `${part}/`).join('') }
    : { allowed: 'letters, digits, hyphens and underscores, separated by slashes' };
};

const KEYRING_ENTRY = /^([A-Za-z0-9_-]{1,32}):([0-9a-fA-F]{64})$/;

export const keyring = (): Parser<readonly SecretKey[]> => (value) => {
  const entries = partsOf(value).map((part) => KEYRING_ENTRY.exec(part));
  const keys = entries.flatMap((entry) =>
    entry === null ? [] : [{ kid: entry[1] ?? '', key: Buffer.from(entry[2] ?? '', 'hex') }],
  );
  const unique = new Set(keys.map(({ kid }) => kid)).size === keys.length;
  const random = keys.every(({ key: bytes }) => new Set(bytes).size >= 8);
  return keys.length === entries.length && unique && random
    ? { value: keys }
    : { allowed: '<kid>:<64 random hex digits>, comma-separated, newest first, each kid once (openssl rand -hex 32)' };
};
