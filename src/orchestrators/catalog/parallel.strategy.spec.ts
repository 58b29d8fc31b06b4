import { broken, echo, entries, jobOf, orchestratorOf, scriptedTool } from '../testing/scripted-job';
import { describeStrategy } from '../testing/strategy.conformance';
import { ParallelStrategy } from './parallel.strategy';

describeStrategy('parallel', new ParallelStrategy());

describe('parallel', () => {
  it('tells of tools as they finish, in the documented words', async () => {
    const tools = entries({ config: { content: 'slow', ms: 20 } }, { config: { content: 'x', ms: 1 } });
    const job = jobOf({ strategy: 'parallel', tools });
    await orchestratorOf().orchestrate(job);
    expect(job.told()).toEqual([
      '🚀 Starting parallel execution of 2 tools',
      '🔄 Starting tool: echo → 1_context',
      '🔄 Starting tool: echo → 2_context',
      '✅ Completed tool: echo → 1 chars to 2_context',
      '✅ Completed tool: echo → 4 chars to 1_context',
      'merging tool outputs',
    ]);
  });

  it('really runs its tools at the same time: each waits for all the others', async () => {
    let arrived = 0;
    let open: () => void = () => undefined;
    const all = new Promise<void>((resolve) => (open = resolve));
    const meet = scriptedTool('meet', async () => {
      arrived += 1;
      if (arrived === 5) open();
      await all;
      return { content: 'met', sources: [], confidence: null };
    });
    const tools = entries(...Array.from({ length: 5 }, () => ({ plugin: 'meet' })));
    const { outcomes } = await orchestratorOf([meet]).orchestrate(jobOf({ strategy: 'parallel', tools }));
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'completed'));
  });

  it('shows no tool the others', async () => {
    const prompts: string[] = [];
    const look = scriptedTool('look', async (_, __, context) => {
      prompts.push(`${context.prompt} ${context.results.size}`);
      return { content: 'x', sources: [], confidence: null };
    });
    const job = jobOf({
      strategy: 'parallel',
      tools: entries({ config: { content: 'one' } }, { plugin: 'look' }),
      template: '{1_context}',
    });
    await orchestratorOf([look, echo], { limit: 1 }).orchestrate(job);
    expect(prompts).toEqual(['{1_context} 0']);
  });

  it('aborts the others only for a tool that must not fail', async () => {
    const aborted: boolean[] = [];
    const patient = scriptedTool(
      'patient',
      (_, __, { signal }) =>
        new Promise((resolve) => {
          const done = (): void => {
            aborted.push(signal.aborted);
            resolve({ content: 'done', sources: [], confidence: null });
          };
          setTimeout(done, 20);
          signal.addEventListener('abort', done, { once: true });
        }),
    );
    const engine = orchestratorOf([patient, broken]);
    const run = (on_error: 'continue' | 'fail') =>
      engine.orchestrate(
        jobOf({ strategy: 'parallel', tools: entries({ plugin: 'patient' }, { plugin: 'broken', on_error }) }),
      );
    expect((await run('continue')).outcomes.map(({ status }) => status)).toEqual(['completed', 'failed']);
    await expect(run('fail')).rejects.toMatchObject({ code: 'tool_failed' });
    expect(aborted.slice(0, 2)).toEqual([false, true]);
  });
});
