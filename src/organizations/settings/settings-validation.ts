import {
  AppError,
  type JsonObject,
  NAME_RULE,
  type Problem,
  invalid,
  isJsonObject,
  isPlainName,
  valueProblem,
} from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { Ajv, type ErrorObject } from 'ajv';
import { CONFIG, type Config } from '../../infrastructure/config';
import { OutboundClient } from '../../infrastructure/outbound';
import { PLAIN_NAME } from './limit-problems';
import { settingsPatchSchema } from './settings.schema';
import { type OrganizationSettings, type SecretSlot, fieldOf } from './settings.types';

/** Checks a patch of the settings before it is merged. */
@Injectable()
export class SettingsChecks {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'vendors'>,
    private readonly outbound: OutboundClient,
  ) {}

  /** @throws {AppError} `validation_failed` listing every problem with its path */
  valid(body: unknown): SettingsPatch {
    const patch = validSettingsPatch(body);
    assertKnownProviders(patch, [...this.config.vendors.keys()]);
    return patch;
  }

  /** @throws {AppError} `outbound_refused` listing every address that the service does not dial */
  async assertDialable(patch: SettingsPatch): Promise<void> {
    const problems: Problem[] = [];
    await Promise.all(
      urlsOf(patch).map(async ({ path, url }) => {
        try {
          await this.outbound.assertDialable(url);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          const words = wordsOf(url);
          const { address } = words.values;
          const hint = address === undefined ? '' : `; the operator can allow it with OUTBOUND_ALLOW=${address}`;
          problems.push({ path, message: `${error.detail}${hint}`, ...words });
        }
      }),
    );
    if (problems.length > 0) throw new AppError('outbound_refused', 'An address is not allowed', { problems });
  }
}

function wordsOf(url: string): Required<Pick<Problem, 'code' | 'values'>> {
  if (!URL.canParse(url)) return { code: 'address.invalid', values: {} };
  const { hostname: host, port, protocol, username, password } = new URL(url);
  if (username + password !== '') return { code: 'address.credentials', values: { host } };
  const address = `${host}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
  return { code: 'address.refused', values: { host, address } };
}

/** JSON Merge Patch (RFC 7396). */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const merged = new Map(Object.entries(isJsonObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

export interface SettingsChange {
  /** New settings; slots of `fresh` are empty. */
  readonly settings: OrganizationSettings;
  /** Secrets in plain text, to encrypt into their slots. */
  readonly fresh: readonly { readonly slot: SecretSlot; readonly plain: string }[];
  /** Slots whose stored secret was removed, or whose URL changed. */
  readonly cleared: readonly SecretSlot[];
}

export function secretSlots(settings: unknown): SecretSlot[] {
  if (!isJsonObject(settings)) return [];
  const providers = isJsonObject(settings['providers']) ? Object.keys(settings['providers']) : [];
  const mcp = settings['mcp'];
  const servers = isJsonObject(mcp) && isJsonObject(mcp['servers']) ? Object.keys(mcp['servers']) : [];
  return [
    ...providers.map((name): SecretSlot => ({ at: ['providers', name], secret: 'api_key', url: 'base_url' })),
    { at: ['knowledge_base'], secret: 'api_token', url: 'server_url' },
    { at: ['reranker'], secret: 'api_key', url: 'url' },
    { at: ['translator'], secret: 'api_key', url: 'url' },
    { at: ['moodle'], secret: 'token', url: 'api_url' },
    ...servers.map((name): SecretSlot => ({ at: ['mcp', 'servers', name], secret: 'token', url: 'url' })),
  ];
}

/** The object with a secret; empty when there is none. */
export const connectionAt = (document: unknown, path: readonly string[]): JsonObject => {
  let value = document;
  for (const name of path) value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return isJsonObject(value) ? value : {};
};

const sameUrl = (one: unknown, other: unknown): boolean => {
  if (typeof one !== 'string' || typeof other !== 'string') return one === other;
  const plain = (text: string): string => (URL.canParse(text) ? new URL(text).href.replace(/(?<!\/)\/+$/, '') : text);
  return plain(one) === plain(other);
};

export function storedSecret(settings: OrganizationSettings, slot: SecretSlot): string | null {
  const secret = connectionAt(settings, slot.at)[slot.secret];
  return typeof secret === 'string' ? secret : null;
}

/** Replaces one member of an object; removes it when `value` is undefined. */
function withSecret(settings: OrganizationSettings, slot: SecretSlot, value: string | undefined): OrganizationSettings {
  const patch = [...slot.at].reverse().reduce<unknown>((inner, name) => ({ [name]: inner }), {
    [slot.secret]: value ?? null,
  });
  return mergePatch(settings, patch) as OrganizationSettings;
}

/** URLs that the patch sets, with the path of each. */
export function urlsOf(patch: SettingsPatch): { path: string; url: string }[] {
  return secretSlots(patch).flatMap((slot) => {
    const url = connectionAt(patch, slot.at)[slot.url];
    return typeof url === 'string' ? [{ path: [...slot.at, slot.url].join('.'), url }] : [];
  });
}

/**
 * Merges a patch. A URL change without a new secret removes the stored one: a secret is only sent to the URL that it
 * was entered for (the class of CVE-2026-41487).
 */
export function applyPatch(stored: OrganizationSettings, patch: SettingsPatch): SettingsChange {
  const { name: _name, ...parts } = patch;
  let settings = mergePatch(stored, parts) as OrganizationSettings;
  const fresh: { slot: SecretSlot; plain: string }[] = [];
  const cleared = secretSlots(stored).filter((slot) => {
    const before = connectionAt(stored, slot.at);
    const after = connectionAt(settings, slot.at);
    return slot.secret in before && (!(slot.secret in after) || !sameUrl(before[slot.url], after[slot.url]));
  });
  for (const slot of cleared)
    if (slot.secret in connectionAt(settings, slot.at)) settings = withSecret(settings, slot, undefined);
  for (const slot of secretSlots(parts)) {
    const plain = connectionAt(parts, slot.at)[slot.secret];
    if (typeof plain !== 'string') continue;
    fresh.push({ slot, plain });
    settings = withSecret(settings, slot, undefined);
  }
  const given = new Set(fresh.map(({ slot }) => fieldOf(slot)));
  return { settings, fresh, cleared: cleared.filter((slot) => !given.has(fieldOf(slot))) };
}

/** The new settings with the fresh secrets in their slots, encrypted by `seal`. */
export async function sealedSettings(
  { settings, fresh }: SettingsChange,
  seal: (field: string, plain: string) => Promise<string>,
): Promise<OrganizationSettings> {
  let sealed = settings;
  for (const { slot, plain } of fresh) sealed = withSecret(sealed, slot, await seal(fieldOf(slot), plain));
  return sealed;
}

/** A validated patch: an absent member is kept, null removes it, a value merges. */
export type SettingsPatch = {
  readonly [Part in keyof OrganizationSettings]: JsonObject | readonly unknown[] | null;
} & { readonly name?: string };

const validate = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true })
  .addFormat(PLAIN_NAME, isPlainName)
  .compile<SettingsPatch>(settingsPatchSchema);

/** Converts a JSON pointer: `/providers/openai/models/2` → `providers.openai.models[2]`. */
const pathOf = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => {
      if (/^\d+$/.test(part)) return `${path}[${part}]`;
      return path === '' ? part : `${path}.${part}`;
    }, '');

function problemOf(error: ErrorObject): Problem {
  const path = pathOf(error.instancePath);
  const worded = valueProblem(error.keyword, error.params);
  const child = (name: unknown): string => (path === '' ? String(name) : `${path}.${String(name)}`);
  if (error.keyword === 'additionalProperties') {
    return { path: child(error.params['additionalProperty']), message: 'is not a known property', ...worded };
  }
  if (error.keyword === 'required') {
    return { path: child(error.params['missingProperty']), message: 'is missing', ...worded };
  }
  if (error.keyword === 'propertyNames') {
    return { path: child(error.params['propertyName']), message: 'is not a possible name', ...worded };
  }
  if (error.params['format'] === PLAIN_NAME) return { path, message: NAME_RULE, ...valueProblem('pattern') };
  return { path, message: error.message ?? 'is not valid', ...worded };
}

/**
 * Refuses providers that no connector declares. An import may have stored one: removing it stays possible.
 * @throws {AppError} `validation_failed`
 */
export function assertKnownProviders({ providers }: SettingsPatch, known: readonly string[]): void {
  const unknown = Object.entries(isJsonObject(providers) ? providers : {}).flatMap(([name, provider]) =>
    provider === null || known.includes(name)
      ? []
      : {
          path: `providers.${name}`,
          message: `is not a known provider; known are ${known.join(', ')}`,
          code: 'provider.unknown',
          values: { name, known: known.join(', ') },
        },
  );
  if (unknown.length > 0) throw invalid(unknown);
}

/** LAMB writes `small_fast_model`, as a name or as `{provider, model}`. Our `fast_model` wins. */
function withFastModel(provider: unknown): unknown {
  if (!isJsonObject(provider) || !('small_fast_model' in provider)) return provider;
  const { small_fast_model: small, ...rest } = provider;
  const fast = isJsonObject(small) ? small['model'] : small;
  return { fast_model: fast, ...rest };
}

/** @throws {AppError} `validation_failed` listing every problem with its path. */
export function validSettingsPatch(body: unknown): SettingsPatch {
  if (!validate(body)) {
    // Ajv reports a bad property name twice: as `propertyNames` and as its pattern.
    throw invalid((validate.errors ?? []).filter(({ propertyName }) => propertyName === undefined).map(problemOf));
  }
  const patch: SettingsPatch = body;
  if (!isJsonObject(patch.providers)) return patch;
  const providers = Object.entries(patch.providers).map(([name, provider]) => [name, withFastModel(provider)]);
  return { ...patch, providers: Object.fromEntries(providers) as JsonObject };
}
