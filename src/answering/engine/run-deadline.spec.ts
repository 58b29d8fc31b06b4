import { Run, RunBudget, type RunInput } from '../../runs';
import type { PipelineTool } from '../../tools';
import type { Completion } from '../completion.types';
import { RUN_TIMEOUT, withinRunTime } from './prompt-preparation.service';

function completionOf(
  document: { functions?: object[]; pipeline?: Partial<PipelineTool>[] },
  { depth = 0, timeoutMs = 20, background = false } = {},
): Completion {
  return {
    depth,
    run: new Run(
      { assistant: { id: 1 }, caller: {} } as unknown as RunInput,
      background ? ({ id: 'r', createdAt: new Date(), log: { append: () => undefined } } as never) : null,
    ),
    budget: new RunBudget({ timeoutMs, tokens: 1, callsPerTarget: 1 }),
    assistant: { document: { functions: [], pipeline: [], ...document } },
  } as unknown as Completion;
}

const untilAborted = ({ run }: Completion) =>
  new Promise<void>((_, reject) => {
    run.signal.addEventListener('abort', () => reject(run.signal.reason as Error));
  });

describe('the time of a run', () => {
  it.each([
    ['has functions', { functions: [{ type: 'weather' }] }],
    ['asks an assistant', { pipeline: [{ enabled: true, plugin: 'assistant' }] }],
    [
      'asks an assistant in the place of a tool',
      { pipeline: [{ enabled: true, plugin: 'x', fallback: { plugin: 'assistant' } as never }] },
    ],
  ])('ends it when it %s', async (_, document) => {
    const completion = completionOf(document);
    await expect(withinRunTime(completion, () => untilAborted(completion))).rejects.toThrow(RUN_TIMEOUT);
    expect(completion.run.abortReason).toBe(RUN_TIMEOUT);
  });

  it('ends it in the background, whatever it does', async () => {
    const completion = completionOf({}, { background: true });
    await expect(withinRunTime(completion, () => untilAborted(completion))).rejects.toThrow(RUN_TIMEOUT);
  });

  it.each([
    ['neither', {}, 0],
    ['an assistant that is switched off', { pipeline: [{ enabled: false, plugin: 'assistant' }] }, 0],
    ['functions, under another run', { functions: [{ type: 'weather' }] }, 1],
  ])('is not looked at for %s', async (_, document, depth) => {
    const completion = completionOf(document, { depth, timeoutMs: 0 });
    const ticks = new Promise((done) => setTimeout(done, 5));
    await withinRunTime(completion, () => ticks);
    expect(completion.run.abortReason).toBeNull();
  });

  it('is over once the work is done', async () => {
    jest.useFakeTimers();
    const completion = completionOf({ functions: [{ type: 'weather' }] });
    expect(await withinRunTime(completion, () => Promise.resolve('done'))).toBe('done');
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });
});
