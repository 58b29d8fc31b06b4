import type { Command } from 'commander';
import type { Register } from '../../infrastructure/commands';
import type { EraseOptions, ExportOptions } from './erase-person';
import type { LinksOptions } from './make-sign-in-links';

/** Export and erasure of one person's data, and sign-in links for many people. */
export function registerPeopleCommands(program: Command, register: Register): void {
  register<ExportOptions>(
    program
      .command('people:export')
      .description('write everything that an organization stores about one person')
      .argument('<email or id>', 'the person')
      .requiredOption('--organization, --org <slug>', 'organization')
      .requiredOption('--to <path>', 'new file that ends in .zip, or new folder'),
    async (...given) => (await import('./erase-person.js')).exportPerson(...given),
  );
  register<EraseOptions>(
    program
      .command('people:erase')
      .description('erase everything that an organization stores about one person, and report what is kept')
      .argument('<email or id>', 'the person')
      .requiredOption('--organization, --org <slug>', 'organization')
      .option('--dry-run', 'show what would happen and change nothing')
      .option(
        '--heir <email or id>',
        'member who takes over content that others use; the owner with the oldest membership when absent',
      )
      .option('--unshared <choice>', 'content that nobody else uses: delete | hand_over', 'delete'),
    async (...given) => (await import('./erase-person.js')).erasePerson(...given),
  );
  register<LinksOptions>(
    program
      .command('sign-in:links')
      .description('make a single-use sign-in link for every enabled member who never signed in, as CSV')
      .requiredOption('--org, --organization <slug>', 'organization')
      .option('--csv [file]', 'file that only its owner may read; standard output when absent')
      .option('--role <role>', 'only members with this role')
      .option('--hours <number>', 'hours until the links expire, at most 336', '72')
      .option('--everybody', 'also members who signed in before'),
    async (config, options) => (await import('./make-sign-in-links.js')).makeSignInLinks(config, options),
  );
}
