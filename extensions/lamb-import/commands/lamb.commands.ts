import type { Command } from 'commander';
import type { Register } from '../../../src/infrastructure/commands';
import type { LambOptions } from './import-lamb';
import type { LambKbOptions } from './import-lamb-kb';

const repeated = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** `import:lamb`, `import:lamb-kb`: import an existing LAMB installation. */
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
      .option('--strip-prefix', "remove the user number from assistants' names where the rest is unique")
      .option('--new-ids', 'give every assistant a new id, also where that of LAMB is free')
      .option('--passwords-until <date>', 'let people in once with their password of LAMB, until this day')
      .option('--ids-csv <file>', 'write old and new ids of the assistants into this file')
      .option('--rehearse <address>', "after the import, compare prompts with LAMB's at this address")
      .option('--rehearse-private', 'the address of --rehearse may be private')
      .option('--rehearse-as <email>', 'administrator in LAMB, with LAMB_PASSWORD; without it LAMB_TOKEN is used')
      .option('--questions <file>', 'JSON lines {"assistant": <id in LAMB>, "question": "…"} for --rehearse')
      .option('--recorded-questions', "rehearse with students' own questions from the database")
      .option('--rate <number>', 'requests per second to LAMB', '1')
      .option('--timeout <seconds>', 'longest wait for one answer of LAMB', '60')
      .option('--report <file.md>', 'report of the rehearsal, with .json and .state.jsonl beside it', 'rehearsal.md'),
    async (_config, ...given) => (await import('./import-lamb.js')).importLamb(...given),
  );
  register<LambKbOptions>(
    program
      .command('import:lamb-kb')
      .description("import collections with their files and addresses from the data of LAMB's knowledge-base server")
      .argument('<data folder>', 'the folder that holds lamb-kb-server.db, or its data/, and static/; only read')
      .option('--dry-run', 'show the report and write nothing')
      .option('--source <name>', 'name of the LAMB installation, as in import:lamb', 'lamb')
      .option('--organization <slug>', 'organization here for collections whose owner was not imported')
      .option('--unowned-to <email>', 'its member who becomes their owner'),
    async (_config, ...given) => (await import('./import-lamb-kb.js')).importLambKb(...given),
  );
}
