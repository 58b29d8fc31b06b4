#!/usr/bin/env node
import 'reflect-metadata';
import { Command, CommanderError } from 'commander';
import { registerDatabaseCommands } from './cli-database';
import { registerInstitutionCommands } from './cli-institution';
import { EXIT, type OutputOptions, print, printFailure, type Register } from './cli-output';
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
  command.option('--json', 'one JSON object as the last line').action(async (options: OutputOptions) => {
    try {
      print(await work(loadConfig(process.env), options as never), options);
    } catch (error) {
      printFailure(messageOf(error), options);
    }
  });
};

async function main(): Promise<void> {
  const program = new Command('bellwether')
    .description('Operator commands. Exit code 0 done, 1 refused or failed, 2 bad usage.')
    .exitOverride();
  registerDatabaseCommands(program, register);
  registerInstitutionCommands(program, register);
  registerServiceCommands(program, register);
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
