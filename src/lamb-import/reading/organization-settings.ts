import { isJsonObject, type JsonObject } from '../../kernel';
import type { LambOrganization } from '../source/lamb-source.types';

/** A sentence about a part of the settings; `path` is that part's in LAMB's `config`. */
export interface SettingsNote {
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

export interface ReadSettings {
  /** Parts as in `PATCH /organizations/{slug}`, null where the source has nothing; secrets in plain text. */
  readonly settings: JsonObject;
  readonly notes: readonly SettingsNote[];
}

type Note = (code: string, path: string, message: string) => void;

const PROVIDER = /^[a-z][a-z0-9_-]{0,39}$/;
const SECRET = /^[\x21-\x7e]{1,4000}$/;
const URL_LIKE = /^https?:\/\/.{1,1990}$/;
const LONGEST_MODEL = 200;
const MOST_MODELS = 1_000;
const MOST_PROVIDERS = 50;
/** What LAMB's switches are called here. */
const FEATURES: Readonly<Record<string, string>> = { sharing_enabled: 'sharing', lti_publishing: 'publishing' };

const part = (value: unknown, ...path: readonly string[]): unknown => {
  let inner = value;
  for (const key of path) inner = isJsonObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined;
  return inner;
};

const objectAt = (value: unknown, ...path: readonly string[]): JsonObject => {
  const found = part(value, ...path);
  return isJsonObject(found) ? found : {};
};

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
      if (text(own[other]) !== undefined) note('provider.setting_left_out', `${path}.${other}`, 'has no place here');
    }
  }
  return providers;
}

function choiceAt(setup: JsonObject, key: string): { provider: string; model: string } | null {
  const provider = text(part(setup, key, 'provider'));
  const model = modelName(part(setup, key, 'model'));
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

/** The newer `kb_server` wins, member by member. */
function knowledgeBaseOf(config: JsonObject, setup: JsonObject, note: Note): JsonObject | null {
  const older = objectAt(setup, 'knowledge_base');
  const newer = objectAt(config, 'kb_server');
  const first = (...keys: readonly string[]): unknown =>
    [newer, older].flatMap((server) => keys.map((key) => server[key])).find((value) => text(value) !== undefined);
  const server = defined({
    server_url: urlOf(first('url', 'server_url'), 'kb_server.url', note),
    api_token: secretOf(first('api_key', 'api_token', 'token'), 'kb_server.api_key', note),
  });
  return Object.keys(server).length === 0 ? null : server;
}

/** Every member used every assistant of its organization in LAMB; that stays so for those who come from there. */
function featuresOf(config: JsonObject): JsonObject {
  const switchedOff = Object.entries(FEATURES).filter(([theirs]) => part(config, 'features', theirs) === false);
  return { members_can_use_all: true, ...Object.fromEntries(switchedOff.map(([, ours]) => [ours, false])) };
}

function noteLimits(config: JsonObject, note: Note): void {
  for (const [name, value] of Object.entries(objectAt(config, 'limits', 'usage'))) {
    if (typeof value === 'number' && value >= 0) note('limit.left_out', `limits.usage.${name}`, 'has no place here');
  }
}

/** Of what LAMB set and nobody here would read. */
function noteUnused(config: JsonObject, note: Note): void {
  for (const name of ['rag_enabled', 'mcp_enabled']) {
    if (part(config, 'features', name) === false)
      note('feature.left_out', `features.${name}`, 'was off; here it is on');
  }
  const available = part(config, 'models', 'available');
  if (Array.isArray(available) && available.length > 0) {
    note('models.left_out', 'models.available', 'has no place here; the lists of the providers hold');
  }
  if (Object.keys(objectAt(config, 'assistant_defaults')).length > 0) {
    note('defaults.left_out', 'assistant_defaults', 'has no place here');
  }
}

/** LAMB's `config` as settings of an organization. Only the setup `default` was ever used there. */
export function readSettings({ config }: Pick<LambOrganization, 'config'>): ReadSettings {
  const notes: SettingsNote[] = [];
  const note: Note = (code, path, message) => void notes.push({ code, path, message });
  const setup = objectAt(config, 'setups', 'default');
  const providers = providersOf(setup, note);
  withFastModel(providers, setup, note);
  noteLimits(config, note);
  noteUnused(config, note);
  const settings = {
    providers: providers.size === 0 ? null : Object.fromEntries(providers),
    default_model: choiceAt(setup, 'global_default_model'),
    knowledge_base: knowledgeBaseOf(config, setup, note),
    features: featuresOf(config),
  };
  return { settings, notes };
}
