import type { Command } from 'commander';
import type { Register } from '../../infrastructure/commands';
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
  register(
    program
      .command('receipts:rotate-key')
      .description('make a new key that signs receipts; earlier receipts stay valid'),
    async (config) => (await import('./rotate-receipt-key.js')).rotateReceiptKey(config),
  );
}
