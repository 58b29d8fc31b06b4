import { i18n, t } from '$lib/kit/i18n/i18n.svelte';
import type { MessageKey } from '$lib/kit/i18n/keys';

const LABELS: Readonly<Record<string, MessageKey>> = {
  name: 'organization.name',
  models: 'organization.models.allowed',
  default_model: 'organization.models.default_model',
};
const OF_PROVIDERS: Readonly<Record<string, MessageKey>> = {
  enabled: 'organization.providers.enabled',
  base_url: 'organization.providers.base_url',
  api_key: 'organization.providers.api_key',
  models: 'organization.providers.models',
  default_model: 'organization.providers.default_model',
  fast_model: 'organization.providers.fast_model',
  tool_use_model: 'organization.providers.tool_use_model',
};
const OF_SERVERS: Readonly<Record<string, MessageKey>> = {
  server_url: 'organization.server.url',
  api_url: 'organization.server.url',
  url: 'organization.server.url',
  api_token: 'organization.server.token',
  token: 'organization.server.token',
  enabled: 'organization.mcp.enabled',
};

const OF_RERANKER: Readonly<Record<string, MessageKey>> = {
  dialect: 'ranking.reranker.dialect',
  url: 'organization.server.url',
  model: 'ranking.reranker.model',
  api_key: 'ranking.reranker.key',
};

const OF_TRANSLATOR: Readonly<Record<string, MessageKey>> = {
  dialect: 'organization.translator.dialect',
  url: 'organization.server.url',
  api_key: 'organization.translator.key',
};

const named = (name: string, key: MessageKey | undefined, rest: string | undefined): string =>
  [name, key === undefined ? rest : t(key)].filter((text) => text !== undefined).join(': ');

/** The name of a member inside a part, by the names on the way to it; null where there is none. */
const INSIDE: Readonly<Record<string, (names: readonly string[]) => string | null>> = {
  features: ([name = '']) => i18n.maybe(`organization.feature.${name}`),
  prices: (names) => i18n.maybe(`organization.prices.${names.join('.')}`),
  limits: (names) => i18n.maybe(`organization.limit.${names.join('.')}`),
  providers: ([name = '', member]) => named(name, OF_PROVIDERS[member ?? ''], member),
  mcp: ([, name = '', member]) => named(name, OF_SERVERS[member ?? ''], member),
  knowledge_base: ([member = '']) => named(t('organization.kb.title'), OF_SERVERS[member], member),
  reranker: ([member = '']) => named(t('ranking.reranker.title'), OF_RERANKER[member], member),
  moodle: ([member = '']) => named(t('organization.moodle.title'), OF_SERVERS[member], member),
  translator: ([member = '']) => named(t('organization.translator.title'), OF_TRANSLATOR[member], member),
};

/** The name that the forms give to a setting by its path; the path where they have none. */
export function partLabel(path: string): string {
  const [part = '', ...names] = path.split('.');
  const key = LABELS[part];
  return (key === undefined ? INSIDE[part]?.(names) : t(key)) ?? path;
}
