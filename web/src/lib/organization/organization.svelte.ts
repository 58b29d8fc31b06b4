import { api, must, type Schema } from '$lib/api/client';
import type { paths } from '$lib/api/schema';
import { catalogues } from '$lib/catalogues.svelte';

export type Organization = Schema<'OrganizationDto'>;
export type Provider = Schema<'ProviderDto'>;
export type SettingsPatch =
  paths['/api/v1/organizations/{slug}']['patch']['requestBody']['content']['application/json'];

/** The settings of one organization, as its administrators see them. */
export class OrganizationState {
  value = $state.raw<Organization | null>(null);
  error = $state.raw<unknown>(null);

  constructor(readonly slug: string) {}

  async load(): Promise<void> {
    this.error = null;
    try {
      const params = { path: { slug: this.slug } };
      this.value = must(await api.GET('/api/v1/organizations/{slug}', { params })) as Organization;
    } catch (error) {
      this.error = error;
    }
  }

  /** Changes what the patch names and leaves the rest; rejects with the service's problem. */
  async patch(body: SettingsPatch): Promise<void> {
    const params = { path: { slug: this.slug } };
    this.value = must(await api.PATCH('/api/v1/organizations/{slug}', { params, body }));
    // Forms offer providers and models from there.
    catalogues.forget();
  }
}
