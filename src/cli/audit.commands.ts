import type { Command } from 'commander';
import type { Register } from '../infrastructure/commands';
import type { ExportOptions } from './export-audit';
import type { AcceptOptions, VerifyOptions } from './verify-audit';

/** `audit:verify`, `audit:accept` and `audit:export`. */
export function registerAuditCommands(program: Command, register: Register): void {
  register<VerifyOptions>(
    program
      .command('audit:verify')
      .description('check that no entry of the audit log was changed, removed or added')
      .option('--organization, --org <slug>', 'only this organization')
      .option('--head <sequence:hash>', 'end of the chain as an earlier verification printed it; needs --org'),
    async (config, options) => (await import('./verify-audit.js')).verifyAudit(config, options),
  );
  register<AcceptOptions>(
    program
      .command('audit:accept')
      .description(
        'record that an operator knows entries that the service did not write; audit:verify then accepts them',
      )
      .requiredOption('--organization, --org <slug>', 'organization')
      .requiredOption('--entries <numbers>', 'an entry or a range, such as 287-290')
      .requiredOption('--reason <text>', 'how they came about; the audit log keeps it'),
    async (config, options) => (await import('./verify-audit.js')).acceptEntries(config, options),
  );
  register<ExportOptions>(
    program
      .command('audit:export')
      .description('write the audit log of an organization to a file, oldest entries first')
      .requiredOption('--organization, --org <slug>', 'organization')
      .option('--from <time>', 'not older than this ISO 8601 date or time')
      .option('--to <time>', 'older than this ISO 8601 date or time')
      .option('--format <format>', 'csv | jsonl', 'csv')
      .option('--out <file>', 'where to; /dev/stdout for a pipe (default: audit-<slug>.<format>)'),
    async (config, options, context) => (await import('./export-audit.js')).exportAudit(config, options, context),
  );
}
