import { type JsonObject, cleanName, isJsonObject } from '@bellwether/kernel';
import { type LambOrganization, objectAt, valueAt } from '@bellwether/lamb-reader';
import { createHash } from 'node:crypto';
import { SLUG, SLUG_LENGTH } from '../../src/organizations';
import type { NoteCode } from './report-builder';

const { shortest, longest } = SLUG_LENGTH;

export const isSlug = (slug: string): boolean => slug.length >= shortest && slug.length <= longest && SLUG.test(slug);

/** The source's slug, or the nearest valid one. */
function validSlug(slug: string, id: number): string {
  const kept = slug
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longest)
    .replace(/^-|-$/g, '');
  return isSlug(kept) ? kept : `organization-${id}`;
}

/** The slug of an organization here: the operator's choice, else the source's. */
export const slugHere = ({ id, slug }: LambOrganization, chosen: ReadonlyMap<string, string> | undefined): string =>
  chosen?.get(slug) ?? chosen?.get(String(id)) ?? validSlug(slug, id);

/** How to import an organization whose slug is taken. Names its id where the source has the slug twice. */
export function renameHint(
  { id, slug }: LambOrganization,
  organizations: readonly Pick<LambOrganization, 'slug'>[],
): string {
  const isUnique = organizations.filter((other) => other.slug === slug).length === 1;
  return `--rename ${isUnique ? slug : id}=<another slug> imports it under another slug`;
}

export const LONGEST_LABEL = 200;

/** A name for people: storable, on one line, at most 200 characters. */
export const cleanLabel = (text: string): string =>
  cleanName(text.replaceAll('\u0000', '').toWellFormed()).slice(0, LONGEST_LABEL).toWellFormed();

/** The same text for equal values, in any order of their members. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(',')}}`;
}

export const fingerprint = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex');

/** A note about a part of the settings; `path` is its place in LAMB's `config`. */
export interface SettingsNote {
  readonly code: NoteCode;
  readonly path: string;
  readonly message: string;
}

export interface ReadSettings {
  /** Parts as in `PATCH /organizations/{slug}`, null where the source has nothing; secrets in plain text. */
  readonly settings: JsonObject;
  readonly notes: readonly SettingsNote[];
}

type Note = (code: NoteCode, path: string, message: string) => void;

const PROVIDER = /^[a-z][a-z0-9_-]{0,39}$/;
const SECRET = /^[\x21-\x7e]{1,4000}$/;
const URL_LIKE = /^https?:\/\/.{1,1990}$/;
const LONGEST_MODEL = 200;
const MOST_MODELS = 1_000;
const MOST_PROVIDERS = 50;
/** LAMB's feature switches by our names. */
const FEATURES: Readonly<Record<string, string>> = { sharing_enabled: 'sharing', lti_publishing: 'publishing' };

const text = (value: unknown): string | undefined => {
  const trimmed = typeof value === 'string' ? value.trim() : '';
  return trimmed === '' ? undefined : trimmed;
};

const defined = (values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

function secretOf(value: unknown, path: string, note: Note): string | undefined {
  const secret = text(value);
  if (secret === undefined || SECRET.test(secret)) return secret;
  note('secret.left_out', path, 'cannot be sent in a header; enter it again');
  return undefined;
}

function urlOf(value: unknown, path: string, note: Note): string | undefined {
  const url = text(value);
  if (url === undefined || (URL_LIKE.test(url) && URL.canParse(url))) return url;
  note('address.left_out', path, 'is no http or https address');
  return undefined;
}

const modelName = (value: unknown): string | undefined => {
  const name = text(isJsonObject(value) ? (value['id'] ?? value['name']) : value);
  return name !== undefined && name.length <= LONGEST_MODEL ? name : undefined;
};

function modelsOf(value: unknown, path: string, note: Note): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const names = [...new Set(value.map(modelName))].filter((name) => name !== undefined).slice(0, MOST_MODELS);
  if (names.length < value.length) note('models.cut', path, `${names.length} of ${value.length} names were taken`);
  return names.length === 0 ? undefined : names;
}

function providerOf(own: JsonObject, path: string, note: Note): JsonObject {
  return defined({
    enabled: typeof own['enabled'] === 'boolean' ? own['enabled'] : undefined,
    api_key: secretOf(own['api_key'], `${path}.api_key`, note),
    base_url: urlOf(own['base_url'], `${path}.base_url`, note),
    models: modelsOf(own['models'], `${path}.models`, note),
    default_model: modelName(own['default_model']),
  });
}

function providersOf(setup: JsonObject, note: Note): Map<string, JsonObject> {
  const providers = new Map<string, JsonObject>();
  for (const [name, own] of Object.entries(objectAt(setup, 'providers'))) {
    const path = `setups.default.providers.${name}`;
    if (!PROVIDER.test(name) || !isJsonObject(own) || providers.size === MOST_PROVIDERS) {
      note('provider.left_out', path, 'is no provider that can be kept');
      continue;
    }
    providers.set(name, providerOf(own, path, note));
    for (const other of ['project_id', 'location']) {
      if (text(own[other]) !== undefined) note('provider.setting_left_out', `${path}.${other}`, 'is not used here');
    }
  }
  return providers;
}

function choiceAt(setup: JsonObject, key: string): { provider: string; model: string } | null {
  const provider = text(valueAt(setup, key, 'provider'));
  const model = modelName(valueAt(setup, key, 'model'));
  return provider === undefined || model === undefined ? null : { provider, model };
}

function withFastModel(providers: Map<string, JsonObject>, setup: JsonObject, note: Note): void {
  const choice = choiceAt(setup, 'small_fast_model');
  if (choice === null) return;
  const provider = providers.get(choice.provider);
  if (provider === undefined) {
    note('fast_model.left_out', 'setups.default.small_fast_model', `there is no provider ${choice.provider}`);
    return;
  }
  providers.set(choice.provider, { ...provider, fast_model: choice.model });
}

/**
 * LAMB merges both objects and reads the older names first. So where both are set, its assistants use the older server,
 * although LAMB's settings page writes the newer object.
 */
function knowledgeBaseOf(config: JsonObject, setup: JsonObject, note: Note): JsonObject | null {
  const servers = [objectAt(setup, 'knowledge_base'), objectAt(config, 'kb_server')];
  const values = (names: readonly string[]): string[] =>
    names.flatMap((name) => servers.flatMap((server) => text(server[name]) ?? []));
  const urls = values(['server_url', 'url']);
  const tokens = values(['api_token', 'api_key', 'token']);
  if (urls.some((url) => !isSameAddress(url, urls[0])) || tokens.some((token) => token !== tokens[0])) {
    const message = 'names another server or token than `setups.default.knowledge_base`, which LAMB used and was taken';
    note('knowledge_base.differs', 'kb_server', message);
  }
  const server = defined({
    server_url: urlOf(urls[0], 'setups.default.knowledge_base.server_url', note),
    api_token: secretOf(tokens[0], 'setups.default.knowledge_base.api_token', note),
  });
  return Object.keys(server).length === 0 ? null : server;
}

const isSameAddress = (one: string, other: string | undefined): boolean =>
  one.replace(/(?<!\/)\/+$/, '') === other?.replace(/(?<!\/)\/+$/, '');

/**
 * Switches of features. Every creator of LAMB could use every assistant of the organization; imported teachers still
 * can.
 */
function featuresOf(config: JsonObject): JsonObject {
  const switchedOff = Object.entries(FEATURES).filter(([theirs]) => valueAt(config, 'features', theirs) === false);
  return { members_can_use_all: true, ...Object.fromEntries(switchedOff.map(([, ours]) => [ours, false])) };
}

/** Notes settings of LAMB that have no counterpart here. */
function noteUnused(config: JsonObject, note: Note): void {
  for (const name of ['rag_enabled', 'mcp_enabled']) {
    if (valueAt(config, 'features', name) === false)
      note('feature.left_out', `features.${name}`, 'was off; here it is on');
  }
  const available = valueAt(config, 'models', 'available');
  if (Array.isArray(available) && available.length > 0) {
    note('models.left_out', 'models.available', 'is not used here; the model list of each provider holds');
  }
}

/** Converts LAMB's `config` to the settings of an organization. LAMB uses only the setup `default`. */
export function readSettings({ config }: Pick<LambOrganization, 'config'>): ReadSettings {
  const notes: SettingsNote[] = [];
  const note: Note = (code, path, message) => void notes.push({ code, path, message });
  const setup = objectAt(config, 'setups', 'default');
  const providers = providersOf(setup, note);
  withFastModel(providers, setup, note);
  noteUnused(config, note);
  const settings = {
    providers: providers.size === 0 ? null : Object.fromEntries(providers),
    default_model: choiceAt(setup, 'global_default_model'),
    knowledge_base: knowledgeBaseOf(config, setup, note),
    features: featuresOf(config),
  };
  return { settings, notes };
}
