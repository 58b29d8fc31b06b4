#!/usr/bin/env node
import 'reflect-metadata';
import { Command, CommanderError } from 'commander';
import { registerAssistantCommands } from './cli-assistants';
import { registerDatabaseCommands } from './cli-database';
import { registerDoctorCommand } from './cli-doctor';
import { registerExportCommand } from './cli-export';
import { registerInstitutionCommands } from './cli-institution';
import { Interruption } from './cli-interruption';
import {
  BadUsage,
  type CommandContext,
  EXIT,
  type OutputOptions,
  print,
  printFailure,
  type Register,
} from './cli-output';
import { registerLambCommands } from './cli-lamb';
import { ShownProgress, SILENT } from './cli-progress';
import { registerServiceCommands } from './cli-service';
import { AppError } from './kernel';
import { loadConfig } from './platform/config';

const messageOf = (error: unknown): string => {
  if (error instanceof AppError) {
    return [error.detail, ...error.problems.map(({ path, message }) => `  ${path}: ${message}`)].join('\n');
  }
  return error instanceof Error ? error.message : String(error);
};

const register: Register = (command, work) => {
  command.option('--json', 'one JSON object as the last line').action(async () => {
    const output = command.opts<OutputOptions>();
    const shown = new ShownProgress(process.stderr);
    const interruption = new Interruption();
    const context: CommandContext = {
      args: command.args,
      progress: output.json === true ? SILENT : shown,
      get signal() {
        return interruption.signal;
      },
    };
    try {
      const result = await work(loadConfig(process.env), command.opts(), context);
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

async function main(): Promise<void> {
  const program = new Command('bellwether')
    .description('Operator commands. Exit code 0 done, 1 refused or failed, 2 bad usage.')
    .exitOverride();
  registerDatabaseCommands(program, register);
  registerAssistantCommands(program, register);
  registerExportCommand(program, register);
  registerInstitutionCommands(program, register);
  registerLambCommands(program, register);
  registerServiceCommands(program, register);
  registerDoctorCommand(program, register);
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
