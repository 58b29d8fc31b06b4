import { isJsonObject, type JsonObject } from '../../kernel';
import type { SettingsPatch } from './settings-validation';
import { fieldOf, type OrganizationSettings, type SecretSlot } from './settings.types';

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
