import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorTests, type OperatorTestRun } from '../test-runs/operator-tests.service';
import {
  BadUsage,
  type CommandContext,
  type CommandResult,
  type OutputOptions,
} from '../../../src/infrastructure/commands';

export interface TestOptions extends OutputOptions {
  readonly org?: string;
  readonly failUnder: string;
  readonly timeout: string;
}

const LOOK_MS = 500;
const MOST_ID = 2_147_483_647;

function number(name: string, text: string, most: number): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= most)) throw new BadUsage(`${name}: a number from 0 to ${most}`);
  return value;
}

function idOf(text = ''): number | null {
  if (text === 'all') return null;
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : NaN;
  if (!(id <= MOST_ID)) throw new BadUsage('the id of an assistant, or all');
  return id;
}

const isOpen = ({ testRun }: OperatorTestRun): boolean => testRun.status === 'running';

const countOf = (runs: readonly OperatorTestRun[], states: readonly string[]): number =>
  runs.reduce((sum, { testRun }) => sum + states.reduce((all, state) => all + (testRun.counts[state] ?? 0), 0), 0);

const totalOf = (runs: readonly OperatorTestRun[]): number => runs.reduce((sum, { testRun }) => sum + testRun.total, 0);

/** Runs the tests of one assistant or of all. A running service asks the questions. */
export function test(options: TestOptions, command: CommandContext): Promise<CommandResult> {
  const id = idOf(command.args[0]);
  const least = number('--fail-under', options.failUnder, 100);
  const timeoutMs = 1_000 * number('--timeout', options.timeout, 86_400);
  return command.withApplication(async (application) => {
    const tests = application.get(OperatorTests);
    const started = await tests.start(id, options.org ?? null);
    const runs = await ended(tests, started, timeoutMs, command);
    return report(tests, runs, least);
  });
}

/** Cancels what has not ended in time, or at an interruption. */
async function ended(
  tests: OperatorTests,
  started: readonly OperatorTestRun[],
  timeoutMs: number,
  { signal, progress }: CommandContext,
): Promise<readonly OperatorTestRun[]> {
  const until = performance.now() + timeoutMs;
  for (let runs = started; ; await sleep(LOOK_MS)) {
    runs = await Promise.all(runs.map((run) => (isOpen(run) ? tests.look(run) : Promise.resolve(run))));
    const total = totalOf(runs);
    progress.report({ done: total - countOf(runs, ['waiting', 'running']), total, text: 'tests' });
    const open = runs.filter(isOpen);
    if (open.length === 0) return runs;
    if (!signal.aborted && performance.now() < until) continue;
    for (const run of open) await tests.cancel(run);
    return runs;
  }
}

async function report(tests: OperatorTests, runs: readonly OperatorTestRun[], least: number): Promise<CommandResult> {
  const [total, passed] = [totalOf(runs), countOf(runs, ['passed'])];
  const complete = !runs.some((run) => run.testRun.status !== 'completed');
  const percent = total === 0 ? 0 : Math.floor((1_000 * passed) / total) / 10;
  const assistants = await Promise.all(
    runs.map(async (run) => ({
      id: run.assistant.id,
      name: run.assistant.name,
      version: run.testRun.assistant_version,
      test_run: run.testRun.id,
      tests: (await tests.results(run)).map(({ name, state, asked, refusal }) => ({
        name,
        state,
        missed: asked.flatMap(({ outcomes }) =>
          outcomes
            .filter(({ status }) => status !== 'passed')
            .map(({ kind, status, found }) => ({ kind, status, found })),
        ),
        refusal: refusal?.detail ?? null,
      })),
    })),
  );
  const lines = assistants.flatMap(({ id, name, version, tests: results }) => [
    `assistant ${id} "${name}", version ${version}`,
    ...results.flatMap(({ name: test, state, missed, refusal }) => [
      `  ${state}: ${test}`,
      ...missed.map(({ kind, status, found }) => `    ${kind} ${status}${found === '' ? '' : `: ${found}`}`),
      ...(refusal === null ? [] : [`    ${refusal}`]),
    ]),
  ]);
  lines.push('', `${passed} of ${total} tests passed (${percent} %; at least ${least} % are demanded)`);
  if (!complete) lines.push('The tests were cancelled before their end. Does a service run that asks the questions?');
  const data = { passed, total, percent, fail_under: least, complete, assistants };
  return { text: lines.join('\n'), data, ok: complete && percent >= least };
}
