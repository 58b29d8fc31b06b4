#!/usr/bin/env node
import 'reflect-metadata';
import { AppError } from '@bellwether/kernel';
import { Command, CommanderError } from 'commander';
import { EXTENSION_COMMANDS } from '../extensions/commands';
import { registerAssistantCommands } from './cli/assistants/assistants.commands';
import { registerAuditCommands } from './cli/audit.commands';
import { registerDatabaseCommands } from './cli/database.commands';
import { registerInstitutionCommands } from './cli/institution.commands';
import { registerFileCommands } from './cli/files.commands';
import { Interruption } from './cli/interruption';
import {
  BadUsage,
  type CommandContext,
  EXIT,
  type OutputOptions,
  print,
  printFailure,
  type Register,
  ShownProgress,
  SILENT,
} from './infrastructure/commands';
import { registerPeopleCommands } from './cli/people/people.commands';
import { registerReceiptCommands } from './cli/receipts/receipts.commands';
import { registerServiceCommands } from './cli/service/service.commands';
import type { Config, Extension } from './infrastructure/config';

class ExtensionOff extends Error {
  constructor(extension: Extension) {
    super(`The command belongs to the extension ${extension}, which is off: see BELLWETHER_EXTENSIONS.`);
  }
}

const messageOf = (error: unknown): string => {
  if (error instanceof AppError) {
    return [error.detail, ...error.problems.map(({ path, message }) => `  ${path}: ${message}`)].join('\n');
  }
  return error instanceof Error ? error.message : String(error);
};

/** These commands call no vendor and no plugin. Loading the connectors would take most of their time. */
const WITHOUT_VENDORS = /^(?:(?:db|files|audit|receipts|runs|organizations|members|sign-in|keys):|export$)/;

async function configFor(command: string): Promise<Config> {
  return WITHOUT_VENDORS.test(command)
    ? (await import('./infrastructure/config/index.js')).loadConfig(process.env, null)
    : (await import('./app.config.js')).configOf(process.env);
}

/** Commands of an extension refuse while it is off; null for those of the core. */
const registerFor =
  (extension: Extension | null): Register =>
  (command, work) => {
    command.option('--json', 'one JSON object as the last line').action(async () => {
      const output = command.opts<OutputOptions>();
      const shown = new ShownProgress(process.stderr);
      const interruption = new Interruption();
      try {
        const config = await configFor(command.name());
        if (extension !== null && !config.extensions.includes(extension)) throw new ExtensionOff(extension);
        const context: CommandContext = {
          args: command.args,
          environment: process.env,
          progress: output.json === true ? SILENT : shown,
          get signal() {
            return interruption.signal;
          },
          withApplication: async (inside) =>
            (await import('./cli/context.js')).withApplication(config, 'every', inside),
        };
        const result = await work(config, command.opts(), context);
        shown.end();
        print(result, output);
      } catch (error) {
        shown.end();
        printFailure(messageOf(error), output, error instanceof BadUsage ? EXIT.usage : EXIT.failed);
      } finally {
        interruption.end();
      }
    });
  };

const GROUPS = [
  registerDatabaseCommands,
  registerAssistantCommands,
  registerInstitutionCommands,
  registerAuditCommands,
  registerFileCommands,
  registerPeopleCommands,
  registerReceiptCommands,
  registerServiceCommands,
];

async function main(): Promise<void> {
  const program = new Command('bellwether')
    .description('Operator commands. Exit code 0 done, 1 refused or failed, 2 bad usage.')
    .exitOverride();
  for (const add of GROUPS) add(program, registerFor(null));
  for (const [extension, add] of EXTENSION_COMMANDS) add(program, registerFor(extension));
  try {
    await program.parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    printFailure(messageOf(error), {});
    process.exit();
  },
);
