import { Logger } from '@nestjs/common';
import type { Config } from '../infrastructure/config';
import { Signals } from '../infrastructure/signals';
import { RunEndings } from './run-endings';
import type { RunLines, SealedRuns } from './run-lines';
import type { RunRepository } from './run.repository';
import { ActiveRuns, Run } from './run';
import type { LoggedEvent, RunRecord } from './run.types';
import { runInput } from './testing/run-input';
import type { EventBatch, RunEventRepository } from './run-event.repository';
import { RunJournal } from './run-journal';
import { RunTails } from './run-tails';

class FakeLog {
  readonly rows: LoggedEvent[] = [];
  statements = 0;
  down = false;
  owned = true;
  ended: RunRecord | null = null;
  /** Events and records that contain it are refused, like values out of range by PostgreSQL. */
  poison: string | null = null;

  private swallow(what: unknown): void {
    if (this.poison !== null && JSON.stringify(what).includes(this.poison))
      throw Object.assign(new Error('out of range'), { code: '22003' });
  }

  async append(_worker: string, batches: readonly EventBatch[]): Promise<ReadonlySet<string>> {
    this.statements += 1;
    if (this.down) throw Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
    if (!this.owned) return new Set();
    this.swallow(batches);
    this.rows.push(...batches.flatMap(({ events }) => events));
    return new Set(batches.map(({ runId }) => runId));
  }
  async end(_worker: string, { records }: SealedRuns, events: readonly LoggedEvent[]): Promise<boolean> {
    const [record] = records as readonly [RunRecord];
    if (this.down) throw Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
    if (!this.owned) return false;
    this.swallow({ ...record, events: [] });
    if (JSON.stringify({ ...record, events: [] }).includes('\\u0000'))
      throw Object.assign(new Error('bad text'), { code: '22P05' });
    this.rows.push(...events);
    this.ended = record;
    return true;
  }
}

const lines = {
  seal: (records: readonly RunRecord[]) => Promise.resolve({ records, segments: [], places: new Map() }),
} as unknown as RunLines;

function journalOver(log: FakeLog) {
  const signals = new Signals({ database: { url: null } } as unknown as Config);
  const repository = log as unknown as RunEventRepository;
  const active = new ActiveRuns();
  const journal = new RunJournal(repository, new RunTails(repository, signals), active, signals, lines);
  const endings = new RunEndings({} as RunRepository, journal, active, lines);
  const begin = (n = 1): Run => {
    const id = `0193b0a0-0000-7000-8000-00000000000${n}`;
    const run = new Run(runInput(), { id, createdAt: new Date(), lastSeq: 0, log: journal.open(id) });
    active.add(run);
    return run;
  };
  return { active, begin, endings, journal };
}

describe('RunJournal', () => {
  beforeAll(() => Logger.overrideLogger(false));
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('begins another chain of seals after a write without an answer, and goes on in one that was answered', async () => {
    const log = new FakeLog();
    const seal = jest.spyOn(lines, 'seal');
    const { begin, endings } = journalOver(log);
    const end = jest.spyOn(log, 'end').mockRejectedValueOnce(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
    endings.finish(begin(1), { status: 'completed' });
    await jest.advanceTimersByTimeAsync(1_000);
    endings.finish(begin(2), { status: 'completed' });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(end).toHaveBeenCalledTimes(3);
    const [first, second, third] = seal.mock.calls.map(([, chain]) => chain.id);
    expect([second === first, third === second]).toEqual([false, true]);
    seal.mockRestore();
  });

  it('commits what comes together in one statement, in order, and the end with the record', async () => {
    const log = new FakeLog();
    const { active, begin, endings } = journalOver(log);
    const run = begin();
    run.emit({ type: 'llm.delta', text: 'Hello ' });
    for (let n = 0; n < 50; n++) run.emit({ type: 'run.progress', message: `step ${n}` });
    await jest.advanceTimersByTimeAsync(25);
    expect(log.statements).toBe(1);
    run.emit({ type: 'llm.delta', text: 'World' });
    endings.finish(run, { status: 'completed', finishReason: 'stop' });
    endings.finish(run, { status: 'failed' });
    await jest.advanceTimersByTimeAsync(50);
    expect(log.rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 53 }, (_, n) => n + 1));
    expect([log.rows.at(-2)?.type, log.rows.at(-1)?.type, log.ended?.status]).toEqual([
      'llm.delta',
      'run.completed',
      'completed',
    ]);
    expect(active.size).toBe(0);
    await jest.runAllTimersAsync();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('keeps events while the database is away and writes them in order when it is back', async () => {
    const log = new FakeLog();
    const { begin, endings } = journalOver(log);
    const run = begin();
    log.down = true;
    for (let n = 0; n < 10; n++) {
      run.emit({ type: 'run.progress', message: `step ${n}` });
      await jest.advanceTimersByTimeAsync(1_000);
    }
    log.down = false;
    endings.finish(run, { status: 'completed' });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(log.rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 11 }, (_, n) => n + 1));
    expect(run.abortReason).toBeNull();
  });

  it('aborts a run whose events find no place for 30 s, and later leaves it to the reaper', async () => {
    const log = new FakeLog();
    const { begin, journal } = journalOver(log);
    const run = begin();
    log.down = true;
    run.emit({ type: 'run.progress', message: 'step' });
    await jest.advanceTimersByTimeAsync(29_000);
    expect(run.abortReason).toBeNull();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(run.abortReason).toBe('unavailable');
    expect(journal.find(run.id)?.isClosed).toBe(false);
    await jest.advanceTimersByTimeAsync(31_000);
    expect(journal.find(run.id)).toBeUndefined();
    await run.drained();
    await jest.advanceTimersByTimeAsync(1_000);
    await jest.runAllTimersAsync();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('makes whoever writes wait while too much waits, and takes no more than it can hold', async () => {
    const log = new FakeLog();
    const { begin, endings } = journalOver(log);
    const run = begin();
    log.down = true;
    const piece = 'x'.repeat(100_000);
    run.emit({ type: 'llm.delta', text: piece });
    let drained = false;
    void run.drained()?.then(() => (drained = true));
    for (let n = 0; n < 100; n++) run.emit({ type: 'llm.delta', text: piece });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(drained).toBe(false);
    log.down = false;
    endings.finish(run, { status: 'completed' });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(drained).toBe(true);
    const chars = log.rows.reduce((sum, { data }) => sum + data.length, 0);
    expect(chars).toBeLessThan(5_000_000);
    expect(log.rows.map(({ seq }) => seq)).toEqual(log.rows.map((_, n) => n + 1));
    expect(log.rows.at(-1)?.type).toBe('run.completed');
  });

  it('aborts a run that is no longer its own and writes nothing more of it', async () => {
    const log = new FakeLog();
    const { active, begin, endings } = journalOver(log);
    const run = begin();
    log.owned = false;
    run.emit({ type: 'run.progress', message: 'step' });
    await jest.advanceTimersByTimeAsync(25);
    expect(run.abortReason).toBe('worker_lost');
    log.owned = true;
    endings.finish(run, { status: 'completed' });
    await jest.advanceTimersByTimeAsync(1_000);
    expect([log.rows, log.ended, active.size]).toEqual([[], null, 0]);
  });

  it('ends a run without the texts that the database refuses', async () => {
    const log = new FakeLog();
    const { begin, endings } = journalOver(log);
    const run = begin();
    const source = { type: 'file' as const, path: 'a\u0000b', chars: 1, truncated: false };
    endings.finish(run, { status: 'completed', sources: [source] });
    await jest.advanceTimersByTimeAsync(100);
    expect(log.ended).toMatchObject({ status: 'completed', sources: [{ path: 'a\ufffdb' }] });
  });

  const endsIn = (log: FakeLog, { id }: Run) =>
    log.rows
      .map(({ data }) => JSON.parse(data) as { run_id: string; seq: number; type: string; code?: string })
      .filter(({ run_id }) => run_id === id)
      .map(({ seq, type, code }) => [seq, type, ...(code === undefined ? [] : [code])]);

  it('ends a run whose record is refused in every form but the barest one, and writes the others meanwhile', async () => {
    const log = new FakeLog();
    const { active, begin, endings } = journalOver(log);
    // The form of the record; in the log an event is escaped text.
    log.poison = '"chars":3000000000';
    const [bad, good] = [begin(1), begin(2)];
    const source = { type: 'file' as const, path: 'a', chars: 3_000_000_000, truncated: false };
    bad.emit({ type: 'llm.delta', text: 'a' });
    const finished = { status: 'completed' as const, sources: [source], finishReason: 'stop' };
    endings.finish(bad, finished);
    endings.finish(good, { status: 'completed' });
    await jest.advanceTimersByTimeAsync(50);
    expect(endsIn(log, good).at(-1)).toEqual([1, 'run.completed']);
    expect(endsIn(log, bad).at(-1)).toEqual([3, 'run.completed']);
    expect(active.size).toBe(0);
    await jest.runAllTimersAsync();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('fails a run whose events are refused after what it has told, and holds nobody else up', async () => {
    const log = new FakeLog();
    const { active, begin, endings } = journalOver(log);
    log.poison = 'poison';
    const [first, bad, last] = [begin(1), begin(2), begin(3)];
    const tell = (run: Run, message: string): void => run.emit({ type: 'run.progress', message });
    for (const run of [first, bad, last]) tell(run, 'begun');
    await jest.advanceTimersByTimeAsync(25);
    for (const run of [first, bad, last]) tell(run, run === bad ? 'poison' : 'harmless');
    await jest.advanceTimersByTimeAsync(25);
    expect(endsIn(log, bad)).toEqual([
      [1, 'run.progress'],
      [2, 'run.failed', 'internal_error'],
    ]);
    expect(log.ended).toMatchObject({ id: bad.id, status: 'failed', errorCode: 'internal_error' });
    expect(bad.abortReason).toBe('worker_lost');
    await jest.advanceTimersByTimeAsync(70_000);
    for (const run of [first, last]) {
      expect([endsIn(log, run), run.abortReason]).toEqual([
        [
          [1, 'run.progress'],
          [2, 'run.progress'],
        ],
        null,
      ]);
      endings.finish(run, { status: 'completed' });
    }
    endings.finish(bad, { status: 'completed' });
    await jest.advanceTimersByTimeAsync(50);
    expect(active.size).toBe(0);
  });

  it('leaves a run to the reaper whose end is refused as well', async () => {
    const log = new FakeLog();
    const { active, begin, endings } = journalOver(log);
    const [bad, good] = [begin(1), begin(2)];
    log.poison = bad.id;
    for (const run of [bad, good]) endings.finish(run, { status: 'completed' });
    await jest.advanceTimersByTimeAsync(50);
    expect([endsIn(log, bad), endsIn(log, good), active.size]).toEqual([[], [[1, 'run.completed']], 0]);
    await jest.runAllTimersAsync();
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each(['25006', '53100', 'EPIPE'])('waits when nothing can be written (%s)', async (code) => {
    const log = new FakeLog();
    const { begin, endings } = journalOver(log);
    const run = begin();
    const append = jest.spyOn(log, 'append').mockRejectedValue(Object.assign(new Error('not now'), { code }));
    run.emit({ type: 'run.progress', message: 'step' });
    await jest.advanceTimersByTimeAsync(5_000);
    append.mockRestore();
    endings.finish(run, { status: 'completed' });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(endsIn(log, run)).toEqual([
      [1, 'run.progress'],
      [2, 'run.completed'],
    ]);
  });
});
