import type { Command } from 'commander';
import type { Register } from '../output';
import type { LambOptions } from './import-lamb';

const repeated = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** `import:lamb`: imports an existing LAMB installation. */
export function registerLambCommands(program: Command, register: Register): void {
  register<LambOptions>(
    program
      .command('import:lamb')
      .description('import organizations, people, assistants and their content from a LAMB database')
      .argument('<sqlite file>', "LAMB's database, opened for reading only")
      .option('--files <folder>', "LAMB's static/public folder, for the files of single-file assistants")
      .option('--dry-run', 'show the report and write nothing')
      .option('--source <name>', 'name of the LAMB installation, to distinguish several', 'lamb')
      .option('--org <slug>', 'only the organization with this slug in LAMB')
      .option('--inherit-system', "organizations without servers get those of LAMB's system organization")
      .option(
        '--map-address <there>=<here>',
        "replace a server's address in LAMB by another one (repeatable)",
        repeated,
      )
      .option('--rename <there>=<here>', 'import an organization under another slug (repeatable)', repeated)
      .option('--disabled-owners-to <email>', 'member who becomes owner of the items of disabled people')
      .option('--strip-prefix', "remove the user number from assistants' names where the rest is unique"),
    async (...given) => (await import('./import-lamb.js')).importLamb(...given),
  );
}
