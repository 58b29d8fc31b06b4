import type { Config } from '../platform/config';

/** Where a vendor answers unless someone says otherwise; Ollama has no such place. */
export const VENDOR_URLS: ReadonlyMap<string, string> = new Map([
  ['openai', 'https://api.openai.com/v1'],
  ['anthropic', 'https://api.anthropic.com'],
  ['google', 'https://generativelanguage.googleapis.com'],
]);

export interface EnvironmentProvider {
  readonly apiKey: string | null;
  readonly baseUrl: string;
}

const vendorUrl = (name: string): string => VENDOR_URLS.get(name) ?? '';

/** Providers that the operator configured through the environment; they serve the system organization only. */
export function environmentProviders({ providers }: Pick<Config, 'providers'>): Map<string, EnvironmentProvider> {
  const { openai, ollama, anthropic, google } = providers;
  const found = new Map<string, EnvironmentProvider>();
  if (openai.apiKey !== null || openai.baseUrl !== vendorUrl('openai')) found.set('openai', openai);
  if (ollama.baseUrl !== null) found.set('ollama', { apiKey: null, baseUrl: ollama.baseUrl });
  if (anthropic.apiKey !== null || anthropic.baseUrl !== vendorUrl('anthropic')) found.set('anthropic', anthropic);
  if (google.apiKey !== null || google.baseUrl !== vendorUrl('google')) found.set('google', google);
  return found;
}
