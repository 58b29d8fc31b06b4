import timersPromises from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { JobHandler, RunningJob } from '../../infrastructure/jobs';
import { IngestionService } from './ingestion.service';
import type { RowRef } from '../storage/row-queue';

const readOnly = Object.assign(new Error('cannot execute UPDATE in a read-only transaction'), { code: '25006' });

/** The service over one document that waits, whose reading ends with `failure`, null for none. The database refuses `refusals` times. */
async function ingest(failure: Error | null, { refusals = 0, isAnswerLost = false } = {}) {
  const finish = jest.fn();
  const steps: unknown[] = [];
  let left = refusals;
  const refuse = (): void => {
    if (left-- > 0) throw readOnly;
  };
  const enqueued: string[] = [];
  let handler: JobHandler<RowRef> | undefined;
  const row = { id: 'd', organizationId: 'o', attempts: 1 };
  const within = () => ({
    claim: async () => row,
    find: async () => null,
    advance: async (_id: string, _claim: string, progress: object) => {
      steps.push(progress);
      return finish.mock.calls.length === 0;
    },
    finish: async (...args: readonly unknown[]) => {
      if (isAnswerLost) finish(...args);
      refuse();
      if (!isAnswerLost) finish(...args);
      return true;
    },
  });
  const requests = {
    onIngestion: (given: JobHandler<RowRef>) => (handler = given),
    begin: () => ({ signal: new AbortController().signal, end: () => undefined }),
    ingest: async (_: unknown, ids: readonly string[]) => void enqueued.push(...ids),
  };
  const transactions = { run: (work: (tx: unknown) => unknown) => work({}) };
  const reader = { read: () => (failure === null ? Promise.resolve('text') : Promise.reject(failure)) };
  const writer = { write: async () => ({ generation: 'g', chunks: 3 }), switchTo: async () => undefined };
  const embedder = { embedGeneration: async () => void steps.push('vectors are asked for') };
  const documents = { within, renewClaimMs: 60_000 };
  const parts = [documents, requests, reader, writer, embedder, transactions] as const;
  new IngestionService(...(parts as unknown as ConstructorParameters<typeof IngestionService>));
  const job = { data: { organizationId: 'o', id: 'd' }, signal: new AbortController().signal, lastTry: false };
  let isRetried = false;
  await handler?.(job as unknown as RunningJob<RowRef>).catch(() => (isRetried = true));
  return { finish, enqueued, isRetried, steps };
}

describe('an ingestion', () => {
  it('stops counting deaths of the process once the text is stored, before it asks for vectors', async () => {
    const { steps } = await ingest(null);
    expect(steps.slice(-2)).toEqual([{ isHarmless: true }, 'vectors are asked for']);
  });
});

describe('the end of an ingestion', () => {
  let error: jest.SpyInstance;
  beforeEach(() => (error = jest.spyOn(Logger.prototype, 'error').mockImplementation()));
  afterEach(() => error.mockRestore());

  it('that was aborted leaves no error in the log, and the document waits with a job of its own', async () => {
    const { finish, enqueued } = await ingest(new DOMException('The extraction was cancelled', 'AbortError'));
    expect(error).not.toHaveBeenCalled();
    expect(finish).toHaveBeenCalledWith('d', expect.any(String), { status: 'pending' });
    expect(enqueued).toEqual(['d']);
  });

  it('that nobody expected is logged, and the document has failed', async () => {
    const { finish, enqueued } = await ingest(new TypeError('x is not a function'));
    expect(error).toHaveBeenCalledTimes(1);
    const failed = expect.objectContaining({ status: 'failed', errorCode: 'internal_error' });
    expect(finish).toHaveBeenCalledWith('d', expect.any(String), failed);
    expect(enqueued).toEqual([]);
  });

  it.each([
    ['refused', { refusals: 3, isAnswerLost: false }],
    ['not answered', { refusals: 1, isAnswerLost: true }],
  ])('whose release is %s by the database releases the document once, and is tried again', async (_, outage) => {
    jest.spyOn(timersPromises, 'setTimeout').mockImplementation(() => new Promise(setImmediate));
    const { finish, isRetried } = await ingest(readOnly, outage);
    jest.restoreAllMocks();
    expect(finish.mock.calls).toEqual([['d', expect.any(String), { status: 'pending' }]]);
    expect(isRetried).toBe(true);
  });
});
