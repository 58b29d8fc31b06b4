import type { Command } from 'commander';
import type { Register } from '../../infrastructure/commands';
import type { VerifyLogOptions } from './verify-log';
import type { VerifyOptions } from './verify-receipts';

/** `receipts:*`: receipts of runs. */
export function registerReceiptCommands(program: Command, register: Register): void {
  register<VerifyOptions>(
    program
      .command('receipts:verify')
      .description('check that receipts come from the service and were not changed')
      .argument('<file...>', 'JSON files as GET /runs/{id}/receipt answers them')
      .option('--keys <file>', 'published public keys; without it those of this database'),
    async (config, options, context) => (await import('./verify-receipts.js')).verifyReceipts(config, options, context),
  );
  register<VerifyLogOptions>(
    program
      .command('receipts:verify-log')
      .description('check that the log of runs is whole: its lines, their seals and the chain between them')
      .option('--org <slug>', 'one organization; without it all of them')
      .option('--segments <file>', 'data/run_segments.json of an export, instead of the database; needs --keys')
      .option('--keys <file>', 'published public keys'),
    async (config, options) => (await import('./verify-log.js')).verifyLog(config, options),
  );
  register(
    program
      .command('receipts:rotate-key')
      .description('make a new key that signs receipts; earlier receipts stay valid'),
    async (config) => (await import('./rotate-receipt-key.js')).rotateReceiptKey(config),
  );
}
