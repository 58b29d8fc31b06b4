import type { Addresses } from './tool-addresses';
import type { PlatformDto, PersonMatchDto } from './platform.dto';
import type { PlatformEntity } from './platform.entity';
import type { PersonMatch } from './platform.types';

export const matchOf = ({ by, claim = '' }: PersonMatchDto): PersonMatch => (by === 'claim' ? { by, claim } : { by });

export function viewOf(row: PlatformEntity, addresses: Addresses): PlatformDto {
  return {
    id: row.id,
    ...shownOf(row),
    ...addresses,
    version: row.version,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

type Settings = Omit<PlatformEntity, 'id' | 'organizationId' | 'provenAt' | 'version' | 'createdAt' | 'updatedAt'>;

/** The settings as answers and the audit log name them. No secret is among them. */
export const shownOf = (row: Settings) => ({
  name: row.name,
  issuer: row.issuer,
  client_id: row.clientId,
  authorization_endpoint: row.authorizationEndpoint,
  token_endpoint: row.tokenEndpoint,
  token_audience: row.tokenAudience,
  jwks_uri: row.jwksUri,
  deployment_ids: [...row.deploymentIds],
  instructor_role: row.instructorRole,
  match: { ...row.match },
  active: row.active,
  awaits_approval: row.awaitsApproval,
});
