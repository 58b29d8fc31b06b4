import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { BadUsage, type CommandContext } from './output';

/**
 * A secret from the environment, or typed at the terminal without an echo. Arguments would be in the list of processes.
 * @throws {BadUsage} without a terminal to ask at
 */
export async function readSecret(
  variable: string,
  question: string,
  { [variable]: given }: CommandContext['environment'],
): Promise<string> {
  if (given !== undefined && given !== '') return given;
  if (!process.stdin.isTTY) throw new BadUsage(`${variable} is not set, and there is no terminal to ask at`);
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    const secret = await terminal.question('');
    if (secret === '') throw new BadUsage(`${variable} is empty`);
    return secret;
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
