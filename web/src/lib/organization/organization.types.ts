import type { Schema } from '$lib/api/client';
import type { paths } from '$lib/api/schema';

export type Organization = Schema<'OrganizationDto'>;
export type Provider = Schema<'ProviderDto'>;
export type SettingsPatch =
  paths['/api/v1/organizations/{slug}']['patch']['requestBody']['content']['application/json'];
