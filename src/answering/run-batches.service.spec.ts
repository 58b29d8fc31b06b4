import type { RunsService } from '../runs';
import { type BatchState, RunBatches } from './run-batches.service';

describe('a batch of runs', () => {
  afterEach(() => jest.restoreAllMocks());

  const worked = async (looks: readonly (BatchState | null)[]) => {
    const left = [...looks];
    const batch = {
      ...{ cancelReason: 'x', look: () => Promise.resolve(left.shift() ?? null) },
      ...{ finish: jest.fn(() => Promise.resolve()), queueAgain: jest.fn(() => Promise.resolve()) },
    };
    await new RunBatches({} as RunsService).work(batch, new AbortController().signal);
    return batch;
  };
  const start = jest.fn(() => Promise.resolve());
  const busy: BatchState = {
    ...{ organizationId: 'o', cancelled: false, going: [] },
    next: { start, refuse: () => Promise.resolve() },
  };

  it('is finished when nothing waits or goes on', async () => {
    const batch = await worked([busy, { ...busy, next: null }]);
    expect(start).toHaveBeenCalledTimes(1);
    expect(batch.finish).toHaveBeenCalledTimes(1);
    expect(batch.queueAgain).not.toHaveBeenCalled();
  });

  it('gives its place to others after its turn', async () => {
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => (now += 15_000));
    const batch = await worked([busy, busy, busy]);
    expect(batch.finish).not.toHaveBeenCalled();
    expect(batch.queueAgain).toHaveBeenCalledTimes(1);
  });

  it('that is gone is not queued again', async () => {
    expect((await worked([null])).queueAgain).not.toHaveBeenCalled();
  });
});
