import { chmodSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OperatorError } from '@bellwether/kernel';
import type { Vendor } from '@bellwether/plugin';
import { Logger } from '@nestjs/common/services/logger.service.js';
import { distance } from 'fastest-levenshtein';
import type { LoadedPlugin } from '../plugins';
import { httpUrl, partsOf, text } from './parsers';
import {
  type Environment,
  SETTINGS,
  type ValuesOf,
  type Variable,
  type VariableGroup,
  isVariable,
  valueIn,
  variable,
  variablesOf,
} from './settings';

/** A vendor with the operator's settings. */
export interface VendorConfig {
  readonly baseUrl: string | null;
  /** Null when the environment does not configure the vendor. */
  readonly operator: { readonly apiKey: string | null; readonly baseUrl: string } | null;
}

type Values = ValuesOf<typeof SETTINGS>;

/** The whole configuration: read once at start, validated, frozen. */
export type Config = Omit<Values, 'bootstrap' | 'plugins'> & {
  readonly bootstrap: { readonly adminKey: string | null; readonly seedDemo: boolean };
  /** Vendors by name. */
  readonly vendors: ReadonlyMap<string, VendorConfig>;
  /** Loaded, with those of an embedding program. */
  readonly plugins: readonly LoadedPlugin[];
};

const OTHERS = 0o077;

/**
 * Removes the permissions of group and others from a file or directory that holds secrets, and logs it. Directories made
 * by operators or images are often world-readable.
 */
export function keepPrivate(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & OTHERS) === 0) return;
  const logger = new Logger('DataDirectory');
  try {
    chmodSync(path, found.isDirectory() ? 0o700 : 0o600);
    logger.warn(`${path} was open to other users of this machine; it is closed to them now`);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    logger.warn(`${path} is open to other users of this machine and cannot be closed (${code}): change its mode`);
  }
}

/** The version in the package of this build, wherever the build lies below it; `unknown` without one. */
export function serviceVersion(from = __dirname): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = versionIn(folder);
    if (found !== null) return found;
    if (folder === dirname(folder)) return 'unknown';
  }
}

function versionIn(folder: string): string | null {
  try {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      name?: unknown;
      version?: unknown;
    };
    return name === 'bellwether' && typeof version === 'string' ? version : null;
  } catch {
    return null;
  }
}

function vendorVariables({ environment, baseUrl }: Vendor): readonly Variable<unknown>[] {
  const variables: Variable<unknown>[] = [];
  if (environment.apiKey !== undefined) variables.push(variable(environment.apiKey, text()));
  if (environment.baseUrl !== undefined) {
    variables.push(variable(`${environment.baseUrl}${baseUrl === null ? '' : `=${baseUrl}`}`, httpUrl()));
  }
  return variables;
}

/** The default address alone configures no vendor. */
function vendorConfig({ environment, baseUrl }: Vendor, values: ReadonlyMap<string, unknown>): VendorConfig {
  const valueOf = (name = '') => (values.get(name) ?? null) as string | null;
  const apiKey = valueOf(environment.apiKey);
  const address = valueOf(environment.baseUrl) ?? baseUrl;
  const isSet = address !== null && (apiKey !== null || address !== baseUrl);
  return { baseUrl, operator: isSet ? { apiKey, baseUrl: address } : null };
}

/** One line per variable that stops the start; never holds a value. */
export class ConfigError extends OperatorError {
  constructor(readonly lines: readonly string[]) {
    super(`The configuration is not valid:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  }
}

class Reading {
  readonly problems: string[] = [];
  private readonly production: boolean;

  constructor(
    private readonly env: Environment,
    private readonly vendors: readonly string[] | null,
  ) {
    this.production = env['NODE_ENV'] === 'production';
  }

  /** Null for a variable that is unset without a default, or wrong. */
  read({ name, parse, fallback, production }: Variable<unknown>): unknown {
    const given = valueIn(this.env, name);
    if (given === undefined && production && this.production) {
      this.problems.push(`${name} must be set when NODE_ENV=production`);
      return null;
    }
    const written = given ?? fallback;
    if (written === undefined) return null;
    const parsed = parse(written, { vendors: this.vendors });
    if ('value' in parsed) return parsed.value;
    this.problems.push(`${name} must be ${parsed.allowed}`);
    return null;
  }
}

const valuesOf = <Group extends VariableGroup>(group: Group, values: ReadonlyMap<string, unknown>): ValuesOf<Group> =>
  Object.fromEntries(
    Object.entries(group).map(([member, entry]) => [
      member,
      isVariable(entry) ? values.get(entry.name) : valuesOf(entry, values),
    ]),
  ) as ValuesOf<Group>;

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value) || Object.isFrozen(value)) return value;
  Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

/** Plugins that the environment names. Their connectors declare vendors, with which the rest is read. */
export const pluginsIn = (env: Environment): readonly string[] => partsOf(valueIn(env, 'BELLWETHER_PLUGINS') ?? '');

/** Every variable of the service and of these vendors, for documentation. */
export const environmentVariables = (vendors: readonly Vendor[]): readonly Variable<unknown>[] => [
  ...variablesOf(SETTINGS),
  ...vendors.flatMap(vendorVariables),
];

/** Whether a name was probably meant for a known one: a typing error, or words left out (`OPENAI_KEY`). */
function resembles(name: string, known: string): boolean {
  if (distance(name, known) <= (name.length < 8 ? 1 : 2)) return true;
  const [words, all] = [name.split('_'), known.split('_')];
  if (words.length < 2 || words[0] !== all[0]) return false;
  let at = 0;
  for (const word of all) if (word === words[at]) at += 1;
  return at === words.length;
}

/** Variables that nothing reads, with the known ones that were probably meant, nearest first. */
export function misspeltVariables(
  env: Environment,
  vendors: readonly Vendor[],
): { readonly name: string; readonly meant: readonly string[] }[] {
  const known = environmentVariables(vendors).map(({ name }) => name);
  return Object.keys(env)
    .filter((name) => valueIn(env, name) !== undefined && !known.includes(name))
    .map((name) => ({
      name,
      meant: known
        .filter((each) => !Object.hasOwn(env, each) && resembles(name, each))
        .sort((one, other) => distance(name, one) - distance(name, other)),
    }))
    .filter(({ meant }) => meant.length > 0);
}

/** Variables that make sense only beside another one. */
const PARTNERS = [
  ['TRUSTED_PROXY_CIDRS', 'TRUSTED_PROXY_SECRET'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_ID'],
  ['SMTP_URL', 'MAIL_FROM'],
  ['SMTP_URL', 'PUBLIC_URL'],
  ['S3_ENDPOINT', 'S3_BUCKET'],
  ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ['S3_SECRET_ACCESS_KEY', 'S3_ACCESS_KEY_ID'],
] as const;

const missingPartners = (env: Environment): string[] =>
  PARTNERS.filter(([set, needed]) => valueIn(env, set) !== undefined && valueIn(env, needed) === undefined).map(
    ([set, needed]) => `${needed} must be set when ${set} is`,
  );

/**
 * Reads, validates and freezes the configuration. `vendors`: every vendor that the environment may configure; null
 * skips them, for commands that call no vendor. `plugins`: loaded before, as they declare vendors.
 * @throws ConfigError that names every bad variable at once
 */
export function loadConfig(
  env: Environment,
  vendors: readonly Vendor[] | null,
  plugins: readonly LoadedPlugin[] = [],
): Config {
  const declared = vendors ?? [];
  const reading = new Reading(env, vendors?.map(({ name }) => name) ?? null);
  const values = new Map(environmentVariables(declared).map((variable) => [variable.name, reading.read(variable)]));
  const settings = valuesOf(SETTINGS, values);
  reading.problems.push(...missingPartners(env));
  const { accounts, linkVerifiedEmail, externalIdClaim } = settings.oidc;
  if (accounts === 'invitation' && linkVerifiedEmail === false && externalIdClaim === null) {
    reading.problems.push(
      'OIDC_LINK_VERIFIED_EMAIL must be true, or OIDC_EXTERNAL_ID_CLAIM be set, when OIDC_ACCOUNTS=invitation',
    );
  }
  if (settings.files.store === 's3' && valueIn(env, 'S3_BUCKET') === undefined) {
    reading.problems.push('S3_BUCKET must be set when FILES_STORE=s3');
  }
  if (reading.problems.length > 0) throw new ConfigError(reading.problems);
  const read = freeze({
    ...settings,
    bootstrap: { ...settings.bootstrap, seedDemo: settings.bootstrap.seedDemo ?? settings.database.url === null },
    vendors: new Map(declared.map((vendor) => [vendor.name, freeze(vendorConfig(vendor, values))])),
  });
  // A plugin may have state of its own.
  return Object.freeze({ ...read, plugins });
}
