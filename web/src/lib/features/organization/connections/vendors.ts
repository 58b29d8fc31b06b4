import type { ConnectorInfo } from '$lib/app/catalogues/assistant';

/** A vendor of models as an administrator chooses it. */
export type VendorInfo = Pick<ConnectorInfo, 'display_name' | 'description' | 'texts' | 'base_url' | 'needs_key'> & {
  /** Key in the settings. */
  readonly name: string;
  /** Suggested model for embeddings; undefined where the vendor embeds no texts. */
  readonly embeddingModel?: string;
};

/** Each vendor once, described by its first connector. */
export function vendorsOf(connectors: readonly ConnectorInfo[]): readonly VendorInfo[] {
  const vendors = new Map<string, VendorInfo>();
  for (const { provider, embeddings, display_name, description, texts, base_url, needs_key } of connectors) {
    if (provider === null || vendors.has(provider)) continue;
    const able = embeddings === null ? {} : { embeddingModel: embeddings.default_model ?? '' };
    vendors.set(provider, { name: provider, display_name, description, texts, base_url, needs_key, ...able });
  }
  return [...vendors.values()];
}
