import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { compile, compiledFile, SERVICE } from './compiled';

export interface CommandEnd {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** The last line of standard output as JSON. */
  readonly json: any;
}

export interface RunningCommand {
  readonly child: ChildProcess;
  /** Standard error so far. */
  err(): string;
  readonly ended: Promise<CommandEnd>;
}

/** An operator command in a process of its own, as an operator runs it. */
export function startCommand(env: Readonly<Record<string, string>>, ...args: string[]): RunningCommand {
  compile(SERVICE);
  const child = spawn(process.execPath, [compiledFile('src/cli.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...env },
  });
  const written = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (written.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (written.err += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    ...written,
    json: last(written),
  }));
  return { child, err: () => written.err, ended };
}

export const runCommand = (env: Readonly<Record<string, string>>, ...args: string[]): Promise<CommandEnd> =>
  startCommand(env, ...args).ended;

function last({ out }: { out: string }): unknown {
  try {
    return JSON.parse(out.trim().split('\n').at(-1) ?? '');
  } catch {
    return undefined;
  }
}
