import { AppError, type Awaitable, type RunEvent } from '@bellwether/kernel';
import { Logger } from '@nestjs/common';
import type { Config } from '../infrastructure/config';
import { CallScope, type PipelineTool, type Tool, ToolFailure } from './contract';
import { entry, fakeTool, invocation, TOOL_CONFIG } from './testing/call';
import { ToolCatalogue } from './tool-catalogue';
import { ToolInvoker } from './tool-invoker';

const INPUT = { query: 'why?', messages: [{ role: 'user', content: 'why?' }] as const };
const answer = (content: string, confidence: number | null = null) => ({ content, sources: [], confidence });
const busy = (retryAfterMs?: number): ToolFailure =>
  new ToolFailure('tool.failed', 'busy', { retryable: true, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
const hang = (): Promise<never> => new Promise(() => undefined);
const types = (events: readonly RunEvent[]): string[] => events.map((event) => event.type);

/** A tool that fails as told, then answers `ok`. */
function failing(...failures: readonly (() => unknown)[]): Tool & { readonly tries: () => number } {
  let tries = 0;
  const run = async (): Promise<ReturnType<typeof answer>> => {
    const failure = failures[tries];
    tries += 1;
    if (failure !== undefined) throw failure();
    return answer('ok');
  };
  return { ...fakeTool(run), tries: () => tries };
}

const invokerWith = (tools: readonly Tool[], more: Partial<Config['tools']> = {}): ToolInvoker =>
  new ToolInvoker(new ToolCatalogue(tools), { tools: { ...TOOL_CONFIG.tools, ...more } } as Config);
beforeAll(() => Logger.overrideLogger(false));

describe('retries', () => {
  it('ask again after failures that pass, and tell of each wait', async () => {
    const about = invocation();
    const tool = failing(busy, busy);
    const outcome = await invokerWith([tool]).invoke(entry(), INPUT, about);
    expect(outcome).toMatchObject({ status: 'completed', content: 'ok', retries: 2 });
    expect(types(about.events)).toEqual(['tool.started', 'tool.retry', 'tool.retry', 'tool.completed']);
    expect(about.events[1]).toMatchObject({ attempt: 2, index: 0, plugin: 'fake', placeholder: '1_context' });
    expect(about.events.at(-1)).toMatchObject({ retries: 2 });
  });

  it('are three, and the entry or the tool may say otherwise', async () => {
    const tries = async (more: Partial<PipelineTool>, own: Partial<Tool> = {}): Promise<number> => {
      const tool = failing(...Array.from({ length: 9 }, () => busy));
      expect(await invokerWith([{ ...tool, ...own }]).invoke(entry(more), INPUT, invocation())).toMatchObject({
        code: 'tool.failed',
        message: 'busy',
      });
      return tool.tries();
    };
    expect(await tries({})).toBe(4);
    expect(await tries({ retries: 1 })).toBe(2);
    expect(await tries({}, { retries: 0 })).toBe(1);
    expect(await tries({ retries: 2 }, { retries: 0 })).toBe(3);
  });

  it.each<[string, () => unknown, number]>([
    ['a refusal', () => new ToolFailure('tool.inaccessible', 'no'), 1],
    ['a defect', () => new TypeError('x is not a function'), 1],
    ['a rejected request', () => new AppError('upstream_rejected', 'no'), 1],
    ['credentials that do not do', () => new AppError('upstream_auth', 'no'), 1],
    ['a vendor that fails', () => new AppError('upstream_error', 'no'), 2],
    ['a vendor that is late', () => new AppError('upstream_timeout', 'no'), 2],
    ['a database that is away', () => new AppError('unavailable', 'no'), 2],
    ['a reset connection', () => Object.assign(new Error('x'), { code: 'ECONNRESET' }), 2],
    ['a fetch that failed', () => new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }), 2],
    ['an SDK error of status 503', () => Object.assign(new Error('x'), { status: 503 }), 2],
    ['an SDK error of status 404', () => Object.assign(new Error('x'), { status: 404 }), 1],
  ])('of %s: %#', async (_, failure, tries) => {
    const tool = failing(failure);
    await invokerWith([tool]).invoke(entry(), INPUT, invocation());
    expect(tool.tries()).toBe(tries);
  });

  it('wait as long as the other side asks', async () => {
    const about = invocation();
    const outcome = await invokerWith([failing(() => busy(30))]).invoke(entry(), INPUT, about);
    expect(outcome).toMatchObject({ status: 'completed', retries: 1 });
    expect(outcome.duration_ms).toBeGreaterThanOrEqual(29);
    expect(about.events[1]).toMatchObject({ type: 'tool.retry', delay_ms: 30 });
  });

  it('are not begun where the wait goes beyond the deadline', async () => {
    const tool = failing(() => new AppError('upstream_rate_limited', 'slow down', { retryAfter: 60 }));
    const outcome = await invokerWith([tool]).invoke(entry({ timeout_ms: 5_000 }), INPUT, invocation());
    expect(outcome).toMatchObject({ code: 'tool.failed', message: 'slow down' });
    expect(tool.tries()).toBe(1);
  });

  it('end with the run, and leave no timer', async () => {
    jest.useFakeTimers();
    const controller = new AbortController();
    const about = invocation({ scope: new CallScope(controller.signal) });
    const running = invokerWith([failing(busy)], { retryDelayMs: 500 }).invoke(entry(), INPUT, about);
    await jest.advanceTimersByTimeAsync(100);
    // The pause and the call's deadline.
    expect(jest.getTimerCount()).toBe(2);
    controller.abort();
    expect(await running).toMatchObject({ code: 'tool.cancelled' });
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('give a try that is over neither progress nor the signal of the next', async () => {
    const signals: AbortSignal[] = [];
    const progress: ((message: string) => void)[] = [];
    const about = invocation();
    const tool = fakeTool(async (_, __, context) => {
      signals.push(context.signal);
      progress.push(context.progress);
      if (signals.length === 1) throw busy();
      progress[0]?.('from the first');
      progress[1]?.('from the second');
      return answer('ok');
    });
    await invokerWith([tool]).invoke(entry(), INPUT, about);
    expect(signals[0]).not.toBe(signals[1]);
    const told = about.events.flatMap((event) => (event.type === 'tool.progress' ? [event.message] : []));
    expect(told).toEqual(['from the second']);
  });
});

describe('circuits', () => {
  const dead = (): Tool & { readonly tries: () => number } =>
    failing(...Array.from({ length: 100 }, () => () => new AppError('upstream_error', 'down')));

  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  const ask = async (invoker: ToolInvoker, more: Partial<PipelineTool> = {}, about = invocation()) =>
    invoker.invoke(entry({ retries: 0, ...more }), INPUT, about);

  it('open after five failures in a row, and let one call through after 30 seconds', async () => {
    const tool = dead();
    const invoker = invokerWith([tool]);
    for (let call = 0; call < 5; call += 1) expect(await ask(invoker)).toMatchObject({ code: 'tool.failed' });
    expect(await ask(invoker)).toMatchObject({ code: 'tool.unavailable' });
    jest.advanceTimersByTime(29_000);
    expect(await ask(invoker)).toMatchObject({ code: 'tool.unavailable' });
    expect(tool.tries()).toBe(5);
    jest.advanceTimersByTime(1_000);
    const [probe, other] = await Promise.all([ask(invoker, { retries: 3 }), ask(invoker)]);
    expect(probe).toMatchObject({ code: 'tool.failed' });
    expect(other).toMatchObject({ code: 'tool.unavailable' });
    expect(tool.tries()).toBe(6);
    expect(await ask(invoker)).toMatchObject({ code: 'tool.unavailable' });
  });

  it('let others wait for the probe, and answer them all when it succeeds', async () => {
    let healthy = false;
    const tool = fakeTool(async () => {
      if (!healthy) throw new AppError('upstream_error', 'down');
      await new Promise((resolve) => setTimeout(resolve, 50));
      return answer('ok');
    });
    const run = jest.spyOn(tool, 'run');
    const invoker = invokerWith([tool]);
    for (let call = 0; call < 5; call += 1) await ask(invoker);
    await jest.advanceTimersByTimeAsync(30_000);
    healthy = true;
    const eight = Array.from({ length: 8 }, () => ask(invoker));
    await jest.advanceTimersByTimeAsync(49);
    expect(run).toHaveBeenCalledTimes(6);
    await jest.advanceTimersByTimeAsync(1);
    await jest.advanceTimersByTimeAsync(50);
    for (const outcome of await Promise.all(eight)) expect(outcome).toMatchObject({ content: 'ok' });
  });

  it('let others wait for the probe no longer than their own deadline', async () => {
    let mode: 'fail' | 'hang' = 'fail';
    const invoker = invokerWith([
      fakeTool(() => (mode === 'hang' ? hang() : Promise.reject(new AppError('upstream_error', 'down')))),
    ]);
    for (let call = 0; call < 5; call += 1) await ask(invoker);
    await jest.advanceTimersByTimeAsync(30_000);
    mode = 'hang';
    const probe = ask(invoker, { timeout_ms: 900 });
    const waiting = ask(invoker, { timeout_ms: 100 });
    await jest.advanceTimersByTimeAsync(100);
    expect(await waiting).toMatchObject({ code: 'tool.timeout' });
    await jest.advanceTimersByTimeAsync(800);
    expect(await probe).toMatchObject({ code: 'tool.timeout' });
  });

  it('hand the probe over to a call that waits when its own is cancelled', async () => {
    let mode: 'fail' | 'hang' | 'ok' = 'fail';
    const tool = fakeTool(() => {
      if (mode === 'fail') return Promise.reject(new AppError('upstream_error', 'down'));
      return mode === 'hang' ? hang() : Promise.resolve(answer('ok'));
    });
    const invoker = invokerWith([tool]);
    for (let call = 0; call < 5; call += 1) await ask(invoker);
    await jest.advanceTimersByTimeAsync(30_000);
    mode = 'hang';
    const controller = new AbortController();
    const probe = ask(invoker, {}, invocation({ scope: new CallScope(controller.signal) }));
    const waiting = ask(invoker);
    mode = 'ok';
    controller.abort();
    expect(await probe).toMatchObject({ code: 'tool.cancelled' });
    expect(await waiting).toMatchObject({ content: 'ok' });
  });

  it('close when the probe succeeds', async () => {
    const tool = failing(...Array.from({ length: 5 }, () => () => new AppError('upstream_error', 'down')));
    const invoker = invokerWith([tool]);
    for (let call = 0; call < 5; call += 1) await ask(invoker);
    jest.advanceTimersByTime(30_000);
    expect(await ask(invoker)).toMatchObject({ status: 'completed' });
    expect(await ask(invoker)).toMatchObject({ status: 'completed' });
  });

  it('close when the probe is answered, be it with a refusal', async () => {
    const refused = () => new AppError('upstream_rejected', 'no such collection');
    const down = () => new AppError('upstream_error', 'down');
    const tool = failing(down, down, down, down, down, refused);
    const invoker = invokerWith([tool]);
    for (let call = 0; call < 5; call += 1) await ask(invoker);
    await jest.advanceTimersByTimeAsync(30_000);
    expect(await ask(invoker)).toMatchObject({ message: 'no such collection' });
    expect(await ask(invoker)).toMatchObject({ content: 'ok' });
  });

  it('stay open when the probe is cancelled, for the next call to probe', async () => {
    let mode: 'fail' | 'hang' = 'fail';
    const invoker = invokerWith([
      fakeTool(() => (mode === 'hang' ? hang() : Promise.reject(new AppError('upstream_error', 'down')))),
    ]);
    for (let call = 0; call < 5; call += 1) await ask(invoker);
    jest.advanceTimersByTime(30_000);
    mode = 'hang';
    const controller = new AbortController();
    const probe = ask(invoker, {}, invocation({ scope: new CallScope(controller.signal) }));
    controller.abort();
    expect(await probe).toMatchObject({ code: 'tool.cancelled' });
    mode = 'fail';
    expect(await ask(invoker)).toMatchObject({ code: 'tool.failed' });
    expect(await ask(invoker)).toMatchObject({ code: 'tool.unavailable' });
  });

  describe('that opened while an earlier call was on its way', () => {
    const opened = async () => {
      let end: { readonly well: () => void; readonly badly: () => void } | null = null;
      const run = jest.fn(() => {
        if (end !== null) return Promise.reject(new AppError('upstream_error', 'down'));
        return new Promise<ReturnType<typeof answer>>((resolve, reject) => {
          const badly = (): void => reject(new AppError('upstream_error', 'down'));
          end = { well: () => resolve(answer('late')), badly };
        });
      });
      const invoker = invokerWith([fakeTool(run)]);
      const late = ask(invoker, { timeout_ms: 60_000 });
      await jest.advanceTimersByTimeAsync(0);
      for (let call = 0; call < 5; call += 1) await ask(invoker);
      return { invoker, run, late, end: end as unknown as { well: () => void; badly: () => void } };
    };

    it('are not closed by its success', async () => {
      const { invoker, run, late, end } = await opened();
      end.well();
      expect(await late).toMatchObject({ content: 'late' });
      expect(await ask(invoker)).toMatchObject({ code: 'tool.unavailable' });
      expect(run).toHaveBeenCalledTimes(6);
    });

    it('are not kept open for longer by its failure', async () => {
      const { invoker, run, late, end } = await opened();
      await jest.advanceTimersByTimeAsync(29_000);
      end.badly();
      expect(await late).toMatchObject({ code: 'tool.failed' });
      await jest.advanceTimersByTimeAsync(1_000);
      expect(await ask(invoker)).toMatchObject({ code: 'tool.failed' });
      expect(run).toHaveBeenCalledTimes(7);
    });
  });

  it('count failures in a row, a call with its retries once', async () => {
    const down = () => new AppError('upstream_error', 'down');
    const ok = undefined as never;
    const tool = failing(down, down, down, down, ok, down, down, down, down, ok);
    const invoker = invokerWith([tool]);
    const codes: unknown[] = [];
    for (let call = 0; call < 10; call += 1) codes.push((await ask(invoker)).status);
    expect(codes).not.toContain('skipped');
    expect(tool.tries()).toBe(10);
  });

  it.each<[string, () => unknown]>([
    ['what the tool refuses', () => new ToolFailure('tool.inaccessible', 'no')],
    ['defects', () => new TypeError('x')],
    ['what the server answers with a refusal', () => new AppError('upstream_rejected', 'no')],
    ['a database that is away', () => new AppError('unavailable', 'no')],
  ])('stay closed for %s', async (_, failure) => {
    const tool = failing(...Array.from({ length: 8 }, () => failure));
    const invoker = invokerWith([tool]);
    for (let call = 0; call < 8; call += 1) await ask(invoker);
    expect(tool.tries()).toBe(8);
  });

  it('keep one organization, one target and one assistant’s server from another', async () => {
    const tool: Tool = { ...dead(), target: async ({ host }) => (host as string | undefined) ?? null };
    const invoker = invokerWith([tool]);
    for (let call = 0; call < 5; call += 1) await ask(invoker, { config: { host: 'a:80' } });
    for (let call = 0; call < 5; call += 1) await ask(invoker, { config: { collection: 'a' } });
    const elsewhere = invocation({ owner: { organizationId: 'other', userId: 'u' } });
    expect(await ask(invoker, { config: { host: 'a:80', more: 1 } })).toMatchObject({ code: 'tool.unavailable' });
    expect(await ask(invoker, { config: { host: 'b:80' } })).toMatchObject({ code: 'tool.failed' });
    expect(await ask(invoker, { config: { host: 'a:80' } }, elsewhere)).toMatchObject({ code: 'tool.failed' });
    expect(await ask(invoker, { config: { collection: 'a' } })).toMatchObject({ code: 'tool.unavailable' });
    expect(await ask(invoker, { config: { collection: 'b' } })).toMatchObject({ code: 'tool.failed' });
  });
});

describe('time', () => {
  it('is that of the whole call: a hanging try is not begun again without history', async () => {
    const outcome = await invokerWith([fakeTool(hang)]).invoke(entry({ timeout_ms: 30 }), INPUT, invocation());
    expect(outcome).toMatchObject({ code: 'tool.timeout', message: 'no answer within 30 ms' });
  });

  it('opens a circuit for a tool that hangs for as long as it may, not for an entry without patience', async () => {
    const tries = async (tool: Partial<Tool>, more: Partial<PipelineTool>): Promise<number> => {
      const run = jest.fn(hang);
      const invoker = invokerWith([{ ...fakeTool(run), ...tool }]);
      for (let call = 0; call < 7; call += 1) {
        const ended = invoker.invoke(entry(more), INPUT, invocation());
        await jest.advanceTimersByTimeAsync(5);
        await ended;
      }
      return run.mock.calls.length;
    };
    jest.useFakeTimers();
    try {
      expect(await tries({ timeoutMs: 5 }, {})).toBe(5);
      expect(await tries({ timeoutMs: 500 }, { timeout_ms: 5 })).toBe(7);
    } finally {
      jest.useRealTimers();
    }
  });

  describe('after fifty quick calls', () => {
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());

    /** Answers after `ms`; quick sixty times before that. */
    const slowing = (ms: () => number): Tool =>
      fakeTool(
        () =>
          new Promise((resolve) => {
            setTimeout(() => resolve(answer('slow but healthy')), ms());
          }),
      );
    const quickened = async (tool: Tool, ms: { now: number }, more: Partial<PipelineTool> = {}) => {
      const invoker = invokerWith([tool], { defaultTimeoutMs: 30_000, retryDelayMs: 1_000 });
      ms.now = 5;
      for (let call = 0; call < 60; call += 1) await advanced(invoker.invoke(entry(more), INPUT, invocation()), 5);
      return invoker;
    };
    const advanced = async <T>(asking: Awaitable<T>, ms: number): Promise<T> => {
      await jest.advanceTimersByTimeAsync(ms);
      return asking;
    };

    it('an explicit timeout_ms is kept to the full, with retries or without', async () => {
      const ms = { now: 5 };
      const invoker = await quickened(
        slowing(() => ms.now),
        ms,
      );
      ms.now = 19_000;
      for (const retries of [null, 0, 3]) {
        const asking = invoker.invoke(entry({ timeout_ms: 20_000, retries }), INPUT, invocation());
        expect(await advanced(asking, 19_000)).toMatchObject({ content: 'slow but healthy', retries: 0 });
      }
    });

    it('a slow one answers within half of the configured time', async () => {
      const ms = { now: 5 };
      const invoker = await quickened(
        slowing(() => ms.now),
        ms,
      );
      ms.now = 14_900;
      const asking = invoker.invoke(entry(), INPUT, invocation());
      expect(await advanced(asking, 14_900)).toMatchObject({ content: 'slow but healthy', retries: 0 });
    });

    it('a tool without retries has its whole time', async () => {
      const ms = { now: 5 };
      const tool = { ...slowing(() => ms.now), retries: 0, timeoutMs: 120_000 };
      const invoker = await quickened(tool, ms);
      ms.now = 119_000;
      const asking = invoker.invoke(entry(), INPUT, invocation());
      expect(await advanced(asking, 119_000)).toMatchObject({ content: 'slow but healthy' });
    });

    it('a hanging try is ended at half of the time and begun again, which record and events tell with the reason', async () => {
      const ms = { now: 5 };
      let hangs = false;
      const quick = slowing(() => ms.now);
      const tool: Tool = {
        ...quick,
        run: (...call) => {
          if (!hangs) return quick.run(...call);
          hangs = false;
          return hang();
        },
      };
      const invoker = await quickened(tool, ms);
      hangs = true;
      const about = invocation();
      const outcome = await advanced(invoker.invoke(entry(), INPUT, about), 17_000);
      const bounded = { after_ms: 15_000, longest_ms: 5, tries: 60 };
      expect(outcome).toMatchObject({ content: 'slow but healthy', retries: 1, bounded });
      expect(about.events).toContainEqual(expect.objectContaining({ type: 'tool.retry', bounded }));
      expect(about.events.at(-1)).toMatchObject({ type: 'tool.completed', retries: 1, bounded });
      const retry = about.events.find(({ type }) => type === 'tool.retry');
      expect(retry).toMatchObject({
        message: expect.stringContaining('(no answer after 15000 ms; the last 60 tries took 5 ms at most)'),
      });
    });

    it('a try that its run stopped teaches nothing', async () => {
      const ms = { now: 5 };
      let hanging = 0;
      const quick = slowing(() => ms.now);
      const run: Tool['run'] = (...call) => (hanging-- > 0 ? hang() : quick.run(...call));
      const invoker = await quickened({ ...quick, run }, ms);
      hanging = 2;
      const controller = new AbortController();
      const stopped = invoker.invoke(entry(), INPUT, invocation({ scope: new CallScope(controller.signal) }));
      await jest.advanceTimersByTimeAsync(14_000);
      controller.abort();
      expect(await stopped).toMatchObject({ code: 'tool.cancelled' });
      const outcome = await advanced(invoker.invoke(entry(), INPUT, invocation()), 17_000);
      expect(outcome).toMatchObject({ retries: 1, bounded: { after_ms: 15_000, longest_ms: 5, tries: 60 } });
    });

    it('a tool that became slow is ended once: the next call has its whole time', async () => {
      const ms = { now: 5 };
      const invoker = await quickened(
        slowing(() => ms.now),
        ms,
      );
      ms.now = 25_000;
      const first = invoker.invoke(entry(), INPUT, invocation());
      expect(await advanced(first, 30_000)).toMatchObject({ code: 'tool.timeout', retries: 1 });
      const second = invoker.invoke(entry(), INPUT, invocation());
      expect(await advanced(second, 25_000)).toMatchObject({ content: 'slow but healthy', retries: 0 });
    });
  });

  it('of an author without patience closes the tool for nobody', async () => {
    jest.useFakeTimers();
    const run = jest.fn(hang);
    const invoker = invokerWith([{ ...fakeTool(run), timeoutMs: 10_000, retries: 0 }]);
    const askSeven = async (timeout_ms: number): Promise<void> => {
      for (let call = 0; call < 7; call += 1) {
        const asking = invoker.invoke(entry({ timeout_ms }), INPUT, invocation());
        await jest.advanceTimersByTimeAsync(timeout_ms);
        await asking;
      }
    };
    await askSeven(1_000);
    expect(run).toHaveBeenCalledTimes(7);
    await askSeven(5_000);
    expect(run).toHaveBeenCalledTimes(7 + 5);
    jest.useRealTimers();
  });
});

describe('room', () => {
  const target = () => Promise.resolve('slow.example:443');
  const of = (organizationId: string) => invocation({ owner: { organizationId, userId: 'u' } });

  /** A tool of one server that notes how many calls it has at once. */
  function busyTool(): Tool & { readonly most: () => number } {
    let [running, most] = [0, 0];
    const run = async (): Promise<ReturnType<typeof answer>> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      return answer('ok');
    };
    return { ...fakeTool(run), target, most: () => most };
  }

  it('is that of four runs for one organization, with ten times as many waiting', async () => {
    const tool = busyTool();
    const invoker = invokerWith([tool], { parallelLimit: 2 });
    const call = async (timeout_ms: number) => invoker.invoke(entry({ timeout_ms }), INPUT, invocation());
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => call(60_000)));
    expect(outcomes.every(({ status }) => status === 'completed')).toBe(true);
    expect(tool.most()).toBe(8);
    const late = await Promise.all(Array.from({ length: 9 }, (_, index) => call(index === 8 ? 2 : 60_000)));
    expect(late[8]).toMatchObject({ code: 'tool.timeout' });
    const crowd = await Promise.all(Array.from({ length: 200 }, () => call(60_000)));
    const refused = crowd.filter((outcome) => outcome.status === 'failed' && outcome.code === 'tool.unavailable');
    expect(refused).toHaveLength(200 - 8 - 80);
  });

  it('is that of eight runs for all organizations together', async () => {
    const tool = busyTool();
    const invoker = invokerWith([tool], { parallelLimit: 2 });
    const ask = async (n: number) => invoker.invoke(entry({ timeout_ms: 60_000 }), INPUT, of(`o${n % 4}`));
    const outcomes = await Promise.all(Array.from({ length: 60 }, (_, n) => ask(n)));
    expect(outcomes.every(({ status }) => status === 'completed')).toBe(true);
    expect(tool.most()).toBe(16);
  });

  it('is left to others by an organization whose calls hang', async () => {
    const stop = new AbortController();
    const scope = new CallScope(stop.signal);
    const tool: Tool = {
      ...fakeTool((_, { query }) => (query === 'hang' ? hang() : Promise.resolve(answer('ok')))),
      target,
    };
    const invoker = invokerWith([tool], { parallelLimit: 1 });
    const hanging = Array.from({ length: 30 }, async () =>
      invoker.invoke(entry(), { ...INPUT, query: 'hang' }, { ...of('crowd'), scope }),
    );
    await new Promise(setImmediate);
    expect(await invoker.invoke(entry({ timeout_ms: 200 }), INPUT, of('other'))).toMatchObject({ content: 'ok' });
    stop.abort();
    await Promise.all(hanging);
    expect(await invoker.invoke(entry({ timeout_ms: 200 }), INPUT, of('crowd'))).toMatchObject({ content: 'ok' });
  });

  it('is not taken by calls that pause before they try again', async () => {
    const stop = new AbortController();
    const scope = new CallScope(stop.signal);
    const tool: Tool = {
      ...fakeTool((_, { query }) => (query === 'busy' ? Promise.reject(busy(500)) : Promise.resolve(answer('ok')))),
      target,
    };
    const invoker = invokerWith([tool], { parallelLimit: 1 });
    const pausing = Array.from({ length: 8 }, async () =>
      invoker.invoke(entry(), { ...INPUT, query: 'busy' }, invocation({ scope })),
    );
    await new Promise(setImmediate);
    expect(await invoker.invoke(entry({ timeout_ms: 200 }), INPUT, invocation())).toMatchObject({ content: 'ok' });
    stop.abort();
    await Promise.all(pausing);
  });

  it('is not sought by calls that waited while the circuit opened, and waiting opens none', async () => {
    let healthy = false;
    const run = jest.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (healthy) return answer('ok');
      throw new AppError('upstream_error', 'down');
    });
    const tool: Tool = { ...fakeTool(run), target };
    const once = entry({ retries: 0 });
    const invoker = invokerWith([tool], { parallelLimit: 2 });
    await Promise.all(Array.from({ length: 30 }, async () => invoker.invoke(once, INPUT, invocation())));
    // The first five that fail have handed on their place by then.
    expect(run.mock.calls.length).toBeLessThanOrEqual(8 + 5);
    healthy = true;
    const other = invokerWith([tool], { parallelLimit: 2 });
    const rush = Array.from({ length: 30 }, async (_, index) =>
      other.invoke(entry({ timeout_ms: index < 8 ? 500 : 1 }), INPUT, invocation()),
    );
    await Promise.all(rush);
    expect(await other.invoke(once, INPUT, invocation())).toMatchObject({ status: 'completed' });
  });
});
