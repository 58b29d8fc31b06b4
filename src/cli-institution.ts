import type { Command } from 'commander';
import { ApiKeysService, SignInLinks } from './auth';
import type { Register } from './cli-output';
import { withApplication } from './cli-context';
import { invalid, notFound, type Role, ROLES, type Scope, SCOPES } from './kernel';
import { FoundingService, MembersService, OrganizationsService } from './organizations';

interface KeyOptions {
  readonly organization: string;
  readonly owner: string;
  readonly name: string;
  readonly scopes: string;
  readonly expires?: string;
}

function oneOf<T extends string>(path: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((option) => option === value);
  if (found === undefined) throw invalid([{ path, message: `must be one of ${allowed.join(', ')}` }]);
  return found;
}

const scopesOf = (text: string): Scope[] => text.split(',').map((scope) => oneOf('scopes', scope.trim(), SCOPES));

function registerSignInLink(program: Command, register: Register): void {
  register<{ organization: string; email?: string }>(
    program
      .command('sign-in:link')
      .description('make a link that signs a member in, once, within an hour')
      .option('--organization <slug>', 'organization', 'default')
      .option('--email <email>', "who; the first start's administrator when absent", 'admin@localhost'),
    (config, { organization, email = '' }) =>
      withApplication(config, async (context) => {
        const organizationId = await context.get(OrganizationsService).idOf(organization);
        const member = await context.get(MembersService).find(organizationId, email);
        if (member === null) throw notFound('Member');
        if (member.disabled) throw invalid([{ path: 'email', message: 'is disabled' }]);
        const { path, expiresAt } = await context.get(SignInLinks).make({ organizationId, userId: member.userId });
        const { publicUrl, port } = config.http;
        const url = new URL(path, publicUrl ?? `http://localhost:${port}`).href;
        const text = `Signs in as ${member.email} (${member.role}), once, until ${expiresAt.toISOString()}:\n${url}`;
        return { text, data: { url, email: member.email, expires_at: expiresAt.toISOString() } };
      }),
  );
}

/** Organizations, members and API keys without HTTP: for the first minutes and for when nobody can sign in. */
export function registerInstitutionCommands(program: Command, register: Register): void {
  register<{ slug: string; name: string; ownerEmail?: string; ownerName?: string }>(
    program
      .command('organizations:create')
      .description('make an organization')
      .requiredOption('--slug <slug>', 'lower-case letters, digits and hyphens')
      .requiredOption('--name <name>', 'name to show')
      .option('--owner-email <email>', 'its first owner')
      .option('--owner-name <name>', 'name of the first owner'),
    (config, { slug, name, ownerEmail, ownerName }) =>
      withApplication(config, async (context) => {
        const owner = ownerEmail === undefined ? {} : { owner: { email: ownerEmail, name: ownerName ?? ownerEmail } };
        const id = await context.get(FoundingService).create(null, { slug, name, ...owner });
        return { text: `Made organization ${slug} (${id}).`, data: { id, slug } };
      }),
  );
  register<{ organization: string; email: string; name: string; role: string }>(
    program
      .command('members:add')
      .description('add a person to an organization')
      .requiredOption('--organization <slug>', 'organization')
      .requiredOption('--email <email>', 'e-mail address')
      .requiredOption('--name <name>', 'name to show')
      .option('--role <role>', ROLES.join(' | '), 'member'),
    (config, { organization, email, name, role }) =>
      withApplication(config, async (context) => {
        const id = await context.get(OrganizationsService).idOf(organization);
        const member = { email, name, role: oneOf<Role>('role', role, ROLES) };
        const added = await context.get(MembersService).add(null, id, member);
        return { text: `Added ${email} to ${organization} as ${role}.`, data: { ...added } };
      }),
  );
  registerSignInLink(program, register);
  register<KeyOptions>(
    program
      .command('keys:create')
      .description('make an API key; it is shown once')
      .requiredOption('--organization <slug>', 'organization')
      .requiredOption('--owner <email>', 'member who owns it')
      .requiredOption('--name <name>', 'what it is for')
      .option('--scopes <list>', SCOPES.join(','), 'chat,read')
      .option('--expires <date>', 'ISO 8601 time after which it is refused'),
    (config, { organization, owner, name, scopes, expires }) =>
      withApplication(config, async (context) => {
        const input = {
          organization,
          owner,
          name,
          scopes: scopesOf(scopes),
          ...(expires ? { expires_at: expires } : {}),
        };
        const created = await context.get(ApiKeysService).create(null, input);
        return { text: created.key, data: { ...created } };
      }),
  );
}
