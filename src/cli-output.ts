import type { Command } from 'commander';
import type { Config } from './platform/config';

export interface OutputOptions {
  readonly json?: boolean;
}

/** Result of a command: `text` for people, `data` as one JSON line for programs; `ok` false exits with 1. */
export interface CommandResult {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly ok?: boolean;
}

/** Registers one command; its work gets the configuration and its own options. */
export type Register = <Options extends object>(
  command: Command,
  work: (config: Config, options: Options) => Promise<CommandResult>,
) => void;

/** Exit codes of every command. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

export function print({ text, data, ok = true }: CommandResult, { json = false }: OutputOptions): void {
  process.stdout.write(`${json ? JSON.stringify({ ok, ...data }) : text}\n`);
  process.exitCode = ok ? EXIT.done : EXIT.failed;
}

export function printFailure(message: string, { json = false }: OutputOptions): void {
  if (json) process.stdout.write(`${JSON.stringify({ ok: false, error: message })}\n`);
  else process.stderr.write(`${message}\n`);
  process.exitCode = EXIT.failed;
}
