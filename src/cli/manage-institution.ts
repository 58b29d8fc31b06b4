import { invalid, type Role, ROLES, type Scope, SCOPES, existing } from '@bellwether/kernel';
import { ApiKeysService, SignInLinks } from '../auth';
import { FoundingService, MembersService, OrganizationsService } from '../organizations';
import type { Config } from '../infrastructure/config';
import { withApplication } from './context';
import type { CommandResult } from '../infrastructure/commands';

export interface NewOrganization {
  readonly slug: string;
  readonly name: string;
  readonly ownerEmail?: string;
  readonly ownerName?: string;
}

export interface NewMember {
  readonly organization: string;
  readonly email: string;
  readonly name: string;
  readonly role: string;
}

export interface NewKey {
  readonly organization: string;
  readonly owner: string;
  readonly name: string;
  readonly scopes: string;
  readonly publishedOnly?: boolean;
  readonly expires?: string;
}

export interface SignInOptions {
  readonly organization: string;
  readonly email?: string;
}

function oneOf<T extends string>(path: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((option) => option === value);
  if (found === undefined) throw invalid([{ path, message: `must be one of ${allowed.join(', ')}` }]);
  return found;
}

const scopesOf = (text: string): Scope[] => text.split(',').map((scope) => oneOf('scopes', scope.trim(), SCOPES));

export const makeOrganization = (
  config: Config,
  { slug, name, ownerEmail, ownerName }: NewOrganization,
): Promise<CommandResult> =>
  withApplication(config, 'institution', async (context) => {
    const owner = ownerEmail === undefined ? {} : { owner: { email: ownerEmail, name: ownerName ?? ownerEmail } };
    const id = await context.get(FoundingService).create(null, { slug, name, ...owner });
    return { text: `Made organization ${slug} (${id}).`, data: { id, slug } };
  });

export const addMember = (config: Config, { organization, email, name, role }: NewMember): Promise<CommandResult> =>
  withApplication(config, 'institution', async (context) => {
    const id = await context.get(OrganizationsService).idOf(organization);
    const member = { email, name, role: oneOf<Role>('role', role, ROLES) };
    const added = await context.get(MembersService).add(null, id, member);
    return { text: `Added ${email} to ${organization} as ${role}.`, data: { ...added } };
  });

export const makeSignInLink = (config: Config, { organization, email = '' }: SignInOptions): Promise<CommandResult> =>
  withApplication(config, 'institution', async (context) => {
    const organizationId = await context.get(OrganizationsService).idOf(organization);
    const member = existing(await context.get(MembersService).find(organizationId, email), 'Member');
    if (member.disabled) throw invalid([{ path: 'email', message: 'is disabled' }]);
    const { path, expiresAt } = await context.get(SignInLinks).make({ organizationId, userId: member.userId });
    const { publicUrl, port } = config.http;
    const url = new URL(path, publicUrl ?? `http://localhost:${port}`).href;
    const text = `Signs in as ${member.email} (${member.role}), once, until ${expiresAt.toISOString()}:\n${url}`;
    return { text, data: { url, email: member.email, expires_at: expiresAt.toISOString() } };
  });

export const makeKey = (
  config: Config,
  { organization, owner, name, scopes, publishedOnly, expires }: NewKey,
): Promise<CommandResult> =>
  withApplication(config, 'institution', async (context) => {
    const expiry = expires ? { expires_at: expires } : {};
    const limits = { published_only: publishedOnly === true, ...expiry };
    const input = { organization, owner, name, scopes: scopesOf(scopes), ...limits };
    const created = await context.get(ApiKeysService).create(null, input);
    return { text: created.key, data: { ...created } };
  });
