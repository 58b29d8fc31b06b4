import { afterEach, describe, expect, it, vi } from 'vitest';
import { api } from '$lib/kit/api/client';
import { ProblemError } from '$lib/kit/api/problem';
import { LiveRun } from './live-run.svelte';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('a run that is followed', () => {
  it('takes from its record what its events no longer tell', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(null, { status: 204 })));
    const record = { status: 'failed', answer: 'half', sources: [], error_code: 'provider_error', usage: null };
    vi.spyOn(api, 'GET').mockResolvedValue({ data: { ...record, timings: { total_ms: 900 } } } as never);
    const live = new LiveRun();
    await live.resume('run-1');
    expect(live.state).toMatchObject({ status: 'failed', answer: 'half', now: 900, error: { code: 'provider_error' } });
    expect([live.isOver, live.problem]).toEqual([true, null]);
  });

  it('reads no record for readers of the answer only', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(null, { status: 204 })));
    const get = vi.spyOn(api, 'GET');
    const live = new LiveRun(false);
    await live.resume('run-1');
    expect([get.mock.calls, live.isOver, live.problem?.code]).toEqual([[], true, 'worker_lost']);
  });

  it('goes on where it could not be stopped', async () => {
    vi.stubGlobal('fetch', () => new Promise(() => undefined));
    vi.spyOn(api, 'POST').mockRejectedValue(new ProblemError(503, 'unavailable', 'later'));
    const live = new LiveRun();
    void live.resume('run-1');
    await live.stop();
    expect([live.isOver, live.stopping, live.stopProblem?.code]).toEqual([false, false, 'unavailable']);
    live.leave();
  });

  it('reads no record once the page was left', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('lost')));
    const get = vi.spyOn(api, 'GET');
    const live = new LiveRun();
    const following = live.resume('run-1');
    live.leave();
    await following;
    expect(get).not.toHaveBeenCalled();
    expect(live.problem).toBeNull();
  });
});
