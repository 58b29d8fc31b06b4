import type { Command } from 'commander';
import type { Register } from '../../infrastructure/commands/output';
import type { ReplayOptions } from '../../../extensions/evaluations/commands/replay-runs';
import type { VerifyOptions } from './verify-receipts';

/** Receipts of runs, and repetitions of runs. */
export function registerReceiptCommands(program: Command, register: Register): void {
  register<VerifyOptions>(
    program
      .command('receipts:verify')
      .description('check that receipts come from the service and were not changed')
      .argument('<file...>', 'JSON files as GET /runs/{id}/receipt answers them')
      .option('--keys <file>', 'published public keys; without it those of this database'),
    async (config, options, context) => (await import('./verify-receipts.js')).verifyReceipts(config, options, context),
  );
  register(
    program
      .command('receipts:rotate-key')
      .description('make a new key that signs receipts; earlier receipts stay valid'),
    async (config) => (await import('./rotate-receipt-key.js')).rotateReceiptKey(config),
  );
  register<ReplayOptions>(
    program
      .command('runs:replay')
      .description('repeat runs on a running service and compare them; BELLWETHER_KEY holds an API key')
      .option('--url <address>', 'address of the service', 'http://localhost:3000')
      .option('--assistant <id>', 'only runs of this assistant')
      .option('--from <time>', 'only runs that began at this ISO 8601 time or later')
      .option('--to <time>', 'only runs that began before this time')
      .option('--last <number>', 'at most this many, the newest', '50')
      .option('--run <id...>', 'these runs instead')
      .option('--recorded', 'with the recorded results of tools; without it everything runs again')
      .option('--strategy <name>', 'another strategy')
      .option('--connector <name>', 'another connector')
      .option('--model <name>', 'another model')
      .option('--version-number <number>', 'another saved version of the assistant')
      .option(
        '--tool <setting...>',
        'settings of tools, such as 1_context.top_k=5; without a value the setting is left out',
      )
      .option('--leave-out-missing', 'leave out tools whose content no longer exists'),
    async (_config, options, context) =>
      (await import('../../../extensions/evaluations/commands/replay-runs.js')).replayRuns(options, context),
  );
}
