import type { Schema } from '$lib/kit/api/client';
import type { paths } from '$lib/kit/api/schema';

export type Organization = Schema<'OrganizationDto'>;
export type Provider = Schema<'ProviderDto'>;
export type SettingsPatch =
  paths['/api/v1/organizations/{slug}']['patch']['requestBody']['content']['application/json'];
