import type { Command } from 'commander';
import { statSync } from 'node:fs';
import { withApplication } from './cli-context';
import { BadUsage, type CommandContext, type CommandResult, type Register } from './cli-output';
import { invalid } from './kernel';
import { type ImportOptions, isClean, LambImport, openLambSource, reportJson, reportText } from './lamb-import';
import type { Config } from './platform/config';

interface LambOptions {
  readonly files?: string;
  readonly dryRun?: boolean;
  readonly source: string;
  readonly org?: string;
}

const SOURCE_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;

function importOptions(options: LambOptions, { progress, signal }: CommandContext): ImportOptions {
  if (!SOURCE_NAME.test(options.source)) {
    throw new BadUsage('--source: lower-case letters, digits, dots, hyphens and underscores, at most 63');
  }
  if (options.files !== undefined && statSync(options.files, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw invalid([{ path: '--files', message: `${options.files} is not a directory` }], 'Nothing was imported');
  }
  return {
    files: options.files ?? null,
    dryRun: options.dryRun === true,
    sourceName: options.source,
    organization: options.org ?? null,
    progress,
    signal,
  };
}

async function importLamb(config: Config, options: LambOptions, context: CommandContext): Promise<CommandResult> {
  const chosen = importOptions(options, context);
  // Before the application starts: a file that cannot be read needs no database.
  const source = openLambSource(context.args[0] ?? '');
  return withApplication(config, async (application) => {
    const report = await application.get(LambImport).run(source, chosen);
    return { text: reportText(report), data: reportJson(report), ok: isClean(report) };
  });
}

/** `import:lamb`: an existing LAMB installation moves in. */
export function registerLambCommands(program: Command, register: Register): void {
  register<LambOptions>(
    program
      .command('import:lamb')
      .description('take over organizations, people, assistants and what they use from a LAMB database')
      .argument('<sqlite file>', "LAMB's database; it is only read")
      .option('--files <folder>', "LAMB's static/public, for the files of single-file assistants")
      .option('--dry-run', 'say what would be done and write nothing')
      .option('--source <name>', 'tells several LAMB installations apart', 'lamb')
      .option('--org <slug>', 'only the organization of this slug there'),
    importLamb,
  );
}
