import { ROLES, SCOPES } from '@bellwether/kernel';
import type { Command } from 'commander';
import type { Register } from '../infrastructure/commands';
import type {
  EndOptions,
  NewKey,
  NewMember,
  NewOrganization,
  NoticeOptions,
  OrganizationExportOptions,
  SignInOptions,
} from './manage-institution';

/** Organizations, members and API keys without HTTP: for a first setup and for lost access. */
export function registerInstitutionCommands(program: Command, register: Register): void {
  register<NewOrganization>(
    program
      .command('organizations:create')
      .description('make an organization')
      .requiredOption('--slug <slug>', 'lower-case letters, digits and hyphens')
      .requiredOption('--name <name>', 'name to show')
      .option('--owner-email <email>', 'its first owner')
      .option('--owner-name <name>', 'name of the first owner'),
    async (config, options) => (await import('./manage-institution.js')).makeOrganization(config, options),
  );
  register<OrganizationExportOptions>(
    program
      .command('organizations:export')
      .description('write everything that the service stores about an organization')
      .argument('<slug>', 'organization, also one that has ended')
      .requiredOption('--to <path>', 'new file that ends in .zip, or new folder'),
    async (...given) => (await import('./manage-institution.js')).exportOrganization(...given),
  );
  register<EndOptions>(
    program
      .command('organizations:end')
      .description('suspend an organization now, tell its members, and erase it after the grace period')
      .argument('<slug>', 'organization')
      .option('--grace-days <number>', 'days in which it can be restored, at most 365', '30')
      .option('--language <code>', 'of the notice: en | es | ca | eu', 'en'),
    async (...given) => (await import('./manage-institution.js')).endOrganization(...given),
  );
  register<NoticeOptions>(
    program
      .command('organizations:restore')
      .description('bring an organization back within its grace period')
      .argument('<slug>', 'organization')
      .option('--language <code>', 'of the notice: en | es | ca | eu', 'en'),
    async (...given) => (await import('./manage-institution.js')).restoreOrganization(...given),
  );
  register<NewMember>(
    program
      .command('members:add')
      .description('add a person to an organization')
      .requiredOption('--org, --organization <slug>', 'organization')
      .requiredOption('--email <email>', 'e-mail address')
      .requiredOption('--name <name>', 'name to show')
      .option('--role <role>', ROLES.join(' | '), 'member'),
    async (config, options) => (await import('./manage-institution.js')).addMember(config, options),
  );
  register<SignInOptions>(
    program
      .command('sign-in:link')
      .description('make a link that signs a member in, once, within an hour')
      .option('--org, --organization <slug>', 'organization', 'default')
      .option('--email <email>', 'the member; the administrator of the first start when absent', 'admin@localhost'),
    async (config, options) => (await import('./manage-institution.js')).makeSignInLink(config, options),
  );
  register<NewKey>(
    program
      .command('keys:create')
      .description('make an API key; it is shown once')
      .requiredOption('--org, --organization <slug>', 'organization')
      .requiredOption('--owner <email>', 'member who owns it')
      .requiredOption('--name <name>', 'what it is for')
      .option('--scopes <list>', SCOPES.join(','), 'chat,read')
      .option('--published-only', 'reaches published assistants only')
      .option('--expires <date>', 'ISO 8601 time after which it is refused'),
    async (config, options) => (await import('./manage-institution.js')).makeKey(config, options),
  );
}
