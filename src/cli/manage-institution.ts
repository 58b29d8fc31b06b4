import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ROLES, type Role, SCOPES, type Scope, existing, invalid } from '@bellwether/kernel';
import { ApiKeysService, SignInLinks } from '../auth';
import { BadUsage, type CommandContext, type CommandResult } from '../infrastructure/commands';
import type { Config } from '../infrastructure/config';
import { MAIL_LANGUAGES, type MailLanguage } from '../infrastructure/mail';
import {
  FoundingService,
  GRACE_DAYS,
  MembersService,
  OrganizationEndings,
  OrganizationsService,
} from '../organizations';
import { OrganizationExports, exportToFolder, zipStream } from '../privacy';
import { withApplication } from './context';

export interface OrganizationExportOptions {
  readonly to: string;
}

export interface NoticeOptions {
  readonly language: string;
}

export interface EndOptions extends NoticeOptions {
  readonly graceDays: string;
}

const languageOf = ({ language }: NoticeOptions): MailLanguage | undefined =>
  MAIL_LANGUAGES.find((each) => each === language);

const WRONG_LANGUAGE = `--language must be one of ${MAIL_LANGUAGES.join(', ')}`;

/** @throws {BadUsage} with every problem */
function endingOf(options: EndOptions): { readonly graceDays: number; readonly language: MailLanguage } {
  const language = languageOf(options);
  const graceDays = Number(options.graceDays);
  const { least, most } = GRACE_DAYS;
  const isDays = Number.isInteger(graceDays) && graceDays >= least && graceDays <= most;
  if (language !== undefined && isDays) return { graceDays, language };
  const problems = [
    ...(isDays ? [] : [`--grace-days must be an integer from ${least} to ${most}`]),
    ...(language === undefined ? [WRONG_LANGUAGE] : []),
  ];
  throw new BadUsage(problems.join('\n'));
}

export const exportOrganization = (
  config: Config,
  { to }: OrganizationExportOptions,
  { args: [slug = ''] }: CommandContext,
): Promise<CommandResult> =>
  withApplication(config, 'every', async (context) => {
    const id = await context.get(OrganizationsService).idOf(slug);
    const exports = context.get(OrganizationExports);
    await exports.begin(null, id);
    const files = exports.files(id);
    if (to.endsWith('.zip')) await pipeline(zipStream(files), createWriteStream(to, { flags: 'wx', mode: 0o600 }));
    else await exportToFolder(files, to);
    return { text: `Wrote everything of ${slug} to ${to}.`, data: { id, slug, to } };
  });

export async function endOrganization(
  config: Config,
  options: EndOptions,
  { args: [slug = ''] }: CommandContext,
): Promise<CommandResult> {
  const ending = endingOf(options);
  return withApplication(config, 'every', async (context) => {
    const { id, eraseAfter } = await context.get(OrganizationEndings).end(null, slug, ending);
    const until = eraseAfter.toISOString();
    const text = `${slug} has ended and answers nobody. It is erased after ${until}; until then organizations:restore ${slug} brings it back.`;
    return { text, data: { id, slug, erase_after: until } };
  });
}

export async function restoreOrganization(
  config: Config,
  options: NoticeOptions,
  { args: [slug = ''] }: CommandContext,
): Promise<CommandResult> {
  const language = languageOf(options);
  if (language === undefined) throw new BadUsage(WRONG_LANGUAGE);
  return withApplication(config, 'every', async (context) => {
    const { id, suspended } = await context.get(OrganizationEndings).restore(null, slug, language);
    const state = suspended ? 'is restored, and suspended as before' : 'is restored and works again';
    return { text: `${slug} ${state}.`, data: { id, slug, suspended } };
  });
}

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
