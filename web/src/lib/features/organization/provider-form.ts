import type { Provider, SettingsPatch } from './organization.types';
import { same } from '$lib/kit/ui/differences';

type ProviderPatch = NonNullable<NonNullable<SettingsPatch['providers']>[string]>;

/** Values of a provider's form; texts as they are typed. */
export interface ProviderForm {
  enabled: boolean;
  baseUrl: string;
  /** A new key; empty leaves the stored one. */
  apiKey: string;
  /** Takes the stored key away. */
  clearKey: boolean;
  /** One a line. */
  models: string;
  defaultModel: string;
  fastModel: string;
  toolUseModel: string;
}

export const formOf = (provider: Provider): ProviderForm => ({
  enabled: provider.enabled,
  baseUrl: provider.base_url ?? '',
  apiKey: '',
  clearKey: false,
  models: provider.models.join('\n'),
  defaultModel: provider.default_model ?? '',
  fastModel: provider.fast_model ?? '',
  toolUseModel: provider.tool_use_model ?? '',
});

/** Names, one a line or separated by commas, each once. */
export const namesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\n,]/)
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());
/** Changes as a merge patch: null removes, what is not named stays. Empty when nothing changed. */
export function providerPatch(before: Provider, form: ProviderForm): ProviderPatch {
  const wished = {
    enabled: form.enabled,
    base_url: orNull(form.baseUrl),
    models: namesIn(form.models),
    default_model: orNull(form.defaultModel),
    fast_model: orNull(form.fastModel),
    tool_use_model: orNull(form.toolUseModel),
  };
  const changed = Object.entries(wished).filter(([name, value]) => !same(value, before[name as keyof Provider]));
  const key = form.apiKey !== '' ? { api_key: form.apiKey } : form.clearKey ? { api_key: null } : {};
  return { ...Object.fromEntries(changed), ...key };
}

const bare = (url: string): string => url.trim().replace(/(?<!\/)\/+$/, '');

/** A server other than the vendor's own need not have the vendor's models: without a chosen one nothing would answer. */
export const needsModel = (vendor: { readonly base_url: string | null } | undefined, baseUrl: string): boolean =>
  bare(baseUrl) === '' ? vendor?.base_url === null : bare(baseUrl) !== bare(vendor?.base_url ?? '');

/** The service forgets a key when it would be sent somewhere else than to where it was given for. */
export const losesKey = (before: Provider, form: ProviderForm): boolean =>
  before.api_key_configured && form.apiKey === '' && orNull(form.baseUrl) !== before.base_url;
