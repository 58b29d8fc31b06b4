import { Command } from 'commander';
import { registerDatabaseCommands } from './database.commands';
import { BadUsage, type CommandContext, type Register, SILENT } from '../infrastructure/commands';
import { loadConfig } from '../infrastructure/config';

const notAsked = (): Promise<never> => Promise.reject(new Error('This command asks for no application'));

const VARIABLE = 'EXPORT_DATABASE_URL';

describe('the target of an export', () => {
  const context: CommandContext = {
    args: [],
    environment: {},
    progress: SILENT,
    signal: new AbortController().signal,
    withApplication: notAsked,
  };
  const given = async (...args: string[]): Promise<unknown> => {
    let outcome: Promise<unknown> = Promise.resolve();
    const register: Register = (command, work) =>
      void command.exitOverride().action(() => {
        // With a database of its own the command refuses as soon as it has understood the target.
        outcome = work(loadConfig({ DATABASE_URL: 'postgres://db/one' }, null), command.opts(), context);
      });
    const program = new Command().configureOutput({ writeErr: () => undefined });
    registerDatabaseCommands(program, register);
    await program.parseAsync(['export', ...args], { from: 'user' });
    return outcome;
  };
  afterEach(() => jest.restoreAllMocks());

  it('comes from the environment, where the list of processes does not show it, unless it is an argument', async () => {
    await expect(given()).rejects.toThrow("required option '--to <url>' not specified");
    jest.replaceProperty(process, 'env', { [VARIABLE]: 'https://db.example/none' });
    await expect(given()).rejects.toThrow(`--to or ${VARIABLE} must be a URL like postgres://`);
    await expect(given()).rejects.toBeInstanceOf(BadUsage);
    await expect(given('--to', 'postgres://db/two')).rejects.toThrow('DATABASE_URL is set');
    jest.replaceProperty(process, 'env', { [VARIABLE]: 'postgres://db/two' });
    await expect(given()).rejects.toThrow('DATABASE_URL is set');
  });

  it('is told in the help, without its value', () => {
    jest.replaceProperty(process, 'env', { [VARIABLE]: 'postgres://user:canary@db/two' });
    const program = new Command();
    registerDatabaseCommands(program, () => undefined);
    const help = program.commands.find((command) => command.name() === 'export')?.helpInformation();
    expect(help).toContain(VARIABLE);
    expect(help).toContain('PGPASSWORD');
    expect(help).not.toContain('canary');
  });
});
