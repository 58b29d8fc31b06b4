import type { Command } from 'commander';
import type { Register } from '../../infrastructure/commands';
import type { MigrateOptions, RollbackOptions } from './migrate-assistants';

/** `assistants:*`: migrates the stored metadata of many assistants, and rolls it back. */
export function registerAssistantCommands(program: Command, register: Register): void {
  register<{ org?: string }>(
    program
      .command('assistants:status')
      .description('show the versions of the stored metadata and the last batches')
      .option('--organization, --org <slug>', 'only this organization'),
    async (...given) => (await import('./migrate-assistants.js')).status(...given),
  );
  register<MigrateOptions>(
    program
      .command('assistants:migrate')
      .description('migrate stored metadata to a newer version, with proof that every prompt stays the same')
      .option('--dry-run', 'show changes and problems, and write nothing')
      .option('--apply', 'write; resumes an unfinished batch of the same organization and version')
      .option('--organization, --org <slug>', 'only this organization')
      .option('--to <version>', 'target version; the newest when absent')
      .option('--batch-size <n>', 'assistants per transaction', '100')
      .option('--resume <batch>', 'resume this batch')
      .option('--diffs <n>', 'number of assistants with a diff in a dry run', '10'),
    async (...given) => (await import('./migrate-assistants.js')).migrate(...given),
  );
  register<RollbackOptions>(
    program
      .command('assistants:rollback')
      .description('restore the documents that the assistants of a batch had before')
      .argument('<batch>', 'id of the batch')
      .option('--assistant <id>', 'only this assistant')
      .option('--force', 'also assistants that were saved since'),
    async (...given) => (await import('./migrate-assistants.js')).rollBack(...given),
  );
  register(
    program
      .command('assistants:verify')
      .description('compare the documents of a batch with the stored ones and repeat the proof; writes nothing')
      .argument('<batch>', 'id of the batch'),
    async (...given) => (await import('./migrate-assistants.js')).verify(...given),
  );
}
