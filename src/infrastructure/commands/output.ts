import { terminalJson, terminalText } from '@bellwether/kernel';
import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { Progress } from './progress';
import type { Config } from '../config';

export interface OutputOptions {
  readonly json?: boolean;
}

/** Result of a command: `text` for people, `data` as one JSON line for programs; `ok` false exits with 1. */
export interface CommandResult {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly ok?: boolean;
}

/** Context of a long command. */
export interface CommandContext {
  /** Positional arguments in the order in which the command declares them. */
  readonly args: readonly string[];
  /** Environment variables: secrets must not be arguments. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Runs work inside the whole application, without HTTP; on the embedded database it joins a running server. */
  readonly withApplication: <T>(work: (application: INestApplicationContext) => Promise<T>) => Promise<T>;
  /** Standard error; silent under `--json`. */
  readonly progress: Progress;
  /**
   * Aborted by the first Ctrl-C or SIGTERM: the command finishes the current item and returns `ok: false` with a text
   * on how to continue. The second signal ends the process. A command that does not read `signal` ends at the first.
   */
  readonly signal: AbortSignal;
}

/** Registers one command. */
export type Register = <Options extends object>(
  command: Command,
  work: (config: Config, options: Options, context: CommandContext) => Promise<CommandResult>,
) => void;

/** Conflicting options: exit code 2, like an unknown option. */
export class BadUsage extends Error {}

/** Exit codes of every command. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

export function print({ text, data, ok = true }: CommandResult, { json = false }: OutputOptions): void {
  process.stdout.write(`${json ? terminalJson(JSON.stringify({ ok, ...data })) : terminalText(text)}\n`);
  process.exitCode = ok ? EXIT.done : EXIT.failed;
}

export function printFailure(message: string, { json = false }: OutputOptions, code: number = EXIT.failed): void {
  if (json) process.stdout.write(`${terminalJson(JSON.stringify({ ok: false, error: message }))}\n`);
  else process.stderr.write(`${terminalText(message)}\n`);
  process.exitCode = code;
}
