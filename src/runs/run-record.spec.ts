import { Run } from './run';
import { finishedRecord, runningRecord } from './run-record';
import { runInput } from './testing/run-input';

const tool = { plugin: 'simple_rag', placeholder: '1_context', message: 'm' } as const;

describe('run records', () => {
  it('lists tools by position with how each ended, whatever finished first', () => {
    const run = new Run(runInput());
    run.emit({ type: 'tool.started', index: 0, ...tool });
    run.emit({ type: 'tool.started', index: 1, ...tool, placeholder: '2_context' });
    run.emit({
      type: 'tool.completed',
      index: 1,
      ...tool,
      placeholder: '2_context',
      chars: 12,
      sources: 1,
      duration_ms: 3.14159,
      cached: true,
      confidence: 0.5,
      retries: 2,
      fallback: 'single_file',
    });
    const bounded = { after_ms: 15_000, longest_ms: 300, tries: 60 };
    run.emit({ type: 'tool.failed', index: 0, ...tool, code: 'tool.timeout', retries: 3, bounded });
    run.emit({ type: 'tool.skipped', index: 2, ...tool, placeholder: null, reason: 'disabled' });
    expect(runningRecord(run)).toMatchObject({
      status: 'running',
      finishedAt: null,
      tools: [
        { index: 0, status: 'failed', code: 'tool.timeout', duration_ms: expect.any(Number), retries: 3, bounded },
        {
          index: 1,
          status: 'completed',
          duration_ms: 3.14,
          chars: 12,
          cached: true,
          retries: 2,
          confidence: 0.5,
          fallback: 'single_file',
        },
        { index: 2, status: 'skipped', duration_ms: null },
      ],
    });
  });

  it('lists the steps of one tool apart', () => {
    const run = new Run(runInput());
    for (const step of ['a', 'b']) {
      run.emit({ type: 'tool.started', index: 0, ...tool, step });
      run.emit({ type: 'tool.failed', index: 0, ...tool, step, code: 'tool.timeout' });
    }
    expect(runningRecord(run).tools.map(({ step, duration_ms }) => [step, duration_ms])).toEqual([
      ['a', expect.any(Number)],
      ['b', expect.any(Number)],
    ]);
  });

  it('says who ran what, and how it ended', () => {
    const run = new Run(runInput());
    const record = finishedRecord(run, {
      status: 'failed',
      errorCode: 'upstream_timeout',
      connector: 'openai',
      model: 'gpt-4o-mini',
      preparedMs: 1.2345,
    });
    expect(record).toMatchObject({
      id: run.id,
      userId: 'user-2',
      credentialId: 'key-1',
      assistantId: 7,
      strategy: 'sequential',
      status: 'failed',
      errorCode: 'upstream_timeout',
      connector: 'openai',
      model: 'gpt-4o-mini',
      preparedMs: 1.23,
      firstTokenMs: null,
      report: null,
    });
    expect(record.durationMs).toBeGreaterThanOrEqual(0);
  });
});
