import type { Command } from 'commander';
import type { Register } from '../../../src/infrastructure/commands';
import type { ReplayOptions } from './replay-runs';
import type { TestOptions } from './test-assistants';

/** `assistants:test`, `runs:replay`: tests of assistants, and repetitions of runs. */
export function registerEvaluationCommands(program: Command, register: Register): void {
  register<TestOptions>(
    program
      .command('assistants:test')
      .description('run the tests of one assistant or of all; a running service asks the questions')
      .argument('<id>', 'id of the assistant, or all')
      .option('--organization, --org <slug>', 'only this organization')
      .option('--fail-under <percent>', 'exit with 1 when fewer tests pass', '100')
      .option('--timeout <seconds>', 'cancel what has not ended by then', '3600'),
    async (_config, ...given) => (await import('./test-assistants.js')).test(...given),
  );
  register<ReplayOptions>(
    program
      .command('runs:replay')
      .description('repeat runs on a running service and compare them; BELLWETHER_KEY holds an API key')
      .option('--url <address>', 'address of the service', 'http://localhost:3000')
      .option('--assistant <id>', 'only runs of this assistant')
      .option('--from <time>', 'only runs that began at this ISO 8601 time or later')
      .option('--to <time>', 'only runs that began before this time')
      .option('--last <number>', 'at most this many, the newest', '50')
      .option('--run <id...>', 'these runs instead')
      .option('--recorded', 'with the recorded results of tools; without it everything runs again')
      .option('--strategy <name>', 'another strategy')
      .option('--connector <name>', 'another connector')
      .option('--model <name>', 'another model')
      .option('--version-number <number>', 'another saved version of the assistant')
      .option(
        '--tool <setting...>',
        'settings of tools, such as 1_context.top_k=5; without a value the setting is left out',
      )
      .option('--leave-out-missing', 'leave out tools whose content no longer exists'),
    async (_config, ...given) => (await import('./replay-runs.js')).replayRuns(...given),
  );
}
