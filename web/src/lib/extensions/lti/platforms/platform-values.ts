import type { Schema } from '$lib/kit/api/client';
import { same } from '$lib/kit/ui/differences';

export type Platform = Schema<'PlatformDto'>;
export type PlatformChange = Partial<Schema<'UpdatePlatformDto'>>;

/** Content of the form; texts as they are typed. */
export interface PlatformValues {
  name: string;
  active: boolean;
  issuer: string;
  clientId: string;
  /** One a line. */
  deployments: string;
  authorization: string;
  token: string;
  audience: string;
  jwks: string;
  instructorRole: Platform['instructor_role'];
  matchBy: Platform['match']['by'];
  claim: string;
}

/** Defaults of the service. */
export const newPlatform = (): PlatformValues => ({
  name: '',
  active: true,
  issuer: '',
  clientId: '',
  deployments: '',
  authorization: '',
  token: '',
  audience: '',
  jwks: '',
  instructorRole: 'member',
  matchBy: 'none',
  claim: '',
});

export const valuesOf = (platform: Platform): PlatformValues => ({
  name: platform.name,
  active: platform.active,
  issuer: platform.issuer,
  clientId: platform.client_id,
  deployments: platform.deployment_ids.join('\n'),
  authorization: platform.authorization_endpoint,
  token: platform.token_endpoint,
  audience: platform.token_audience ?? '',
  jwks: platform.jwks_uri,
  instructorRole: platform.instructor_role,
  matchBy: platform.match.by,
  claim: platform.match.claim ?? '',
});

const linesOf = (text: string): string[] => [
  ...new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
];

const settingsOf = (values: PlatformValues) => ({
  name: values.name.trim(),
  active: values.active,
  issuer: values.issuer.trim(),
  client_id: values.clientId.trim(),
  deployment_ids: linesOf(values.deployments),
  authorization_endpoint: values.authorization.trim(),
  token_endpoint: values.token.trim(),
  token_audience: values.audience.trim() === '' ? null : values.audience.trim(),
  jwks_uri: values.jwks.trim(),
  instructor_role: values.instructorRole,
  match: values.matchBy === 'claim' ? { by: values.matchBy, claim: values.claim.trim() } : { by: values.matchBy },
});

/** All settings, for a new platform; a name that was left out is chosen by the service. */
export function creationOf(values: PlatformValues): Schema<'CreatePlatformDto'> {
  const { name, ...rest } = settingsOf(values);
  return name === '' ? rest : { name, ...rest };
}

/** Members that differ from `before`. */
export function changeOf(before: Platform, values: PlatformValues): PlatformChange {
  const changed = Object.entries(settingsOf(values)).filter(
    ([name, value]) => !same(value, before[name as keyof Platform]),
  );
  return Object.fromEntries(changed);
}
