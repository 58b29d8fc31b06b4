import type { Command } from 'commander';
import type { Register } from '../infrastructure/commands';
import type { MoveOptions } from './move-files';

/** `files:move`, `files:check`: where uploaded files and documents are stored. */
export function registerFileCommands(program: Command, register: Register): void {
  register<MoveOptions>(
    program
      .command('files:move')
      .description('move uploaded files and documents to the bucket or back, while the service answers')
      .requiredOption('--to <place>', 's3 | disk')
      .option('--dry-run', 'count and move nothing'),
    async (...given) => (await import('./move-files.js')).moveFiles(...given),
  );
  register(
    program.command('files:check').description('check that the bytes of every uploaded file and document exist'),
    async (config, _options, context) => (await import('./move-files.js')).checkFiles(config, context),
  );
}
