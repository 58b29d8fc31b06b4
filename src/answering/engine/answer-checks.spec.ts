import type { RunEvent } from '@bellwether/kernel';
import type { AnswerChecks, PreparedPrompt, ReportResult } from '../../runs';
import type { Completion } from '../completion.types';
import { checkAnswer } from './answer-pipeline.service';
import { AnswerRecordBuilder } from './answer-record-builder';

const USAGE = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };

const row = (overrides: Partial<ReportResult>): ReportResult => ({
  index: 1,
  plugin: 'validation',
  placeholder: '2_validation',
  status: 'completed',
  chars: 9,
  sources: 0,
  duration_ms: 1,
  preview: '{"supported":1}',
  ...overrides,
});

function completionWith(checks: AnswerChecks | null, { depth = 0, aborted = false } = {}) {
  const events: RunEvent[] = [];
  const texts: string[] = [];
  const spent: unknown[] = [];
  const afterAnswer = (text: string) => {
    texts.push(text);
    return Promise.resolve(checks as AnswerChecks);
  };
  const completion = {
    depth,
    secrets: [],
    budget: { spend: (usage: unknown) => void spent.push(usage) },
    run: { emit: (event: RunEvent) => void events.push(event), signal: { aborted }, startedMono: 0 },
  } as unknown as Completion;
  const builder = new AnswerRecordBuilder(completion);
  const report = { warnings: [], results: [] };
  builder.ready({ sources: [], report, ...(checks === null ? {} : { afterAnswer }) } as unknown as PreparedPrompt);
  builder.usage = USAGE;
  return { check: (text: string) => checkAnswer(completion, builder, text), builder, events, texts, spent };
}

describe('checks of a finished answer', () => {
  it('are told, kept and paid for', async () => {
    const { check, builder, events, texts, spent } = completionWith({ results: [row({})], usage: USAGE });
    await check('So be it.');
    expect(texts).toEqual(['So be it.']);
    expect(events).toEqual([
      {
        type: 'answer.checked',
        index: 1,
        plugin: 'validation',
        placeholder: '2_validation',
        result: { supported: 1 },
        message: '🔎 Checked the answer: validation',
      },
    ]);
    expect(builder.usage).toMatchObject({ total_tokens: 8 });
    expect(builder.report?.results).toMatchObject([{ plugin: 'validation' }]);
    expect(spent).toEqual([USAGE]);
  });

  it('tell no words of their own, and nothing of what failed or found nothing', async () => {
    const results = [row({ preview: 'fine' }), row({ preview: '' }), row({ status: 'failed', preview: '' })];
    const { check, builder, events } = completionWith({ results, usage: null });
    await check('x');
    expect(events).toMatchObject([{ result: {} }]);
    expect(JSON.stringify(events)).not.toContain('fine');
    expect(builder.report?.results).toHaveLength(3);
  });

  it('leave the tokens of a run under another to that one', async () => {
    const { check, spent } = completionWith({ results: [], usage: USAGE }, { depth: 1 });
    await check('x');
    expect(spent).toEqual([]);
  });

  it('do not begin for a run that is over, or where nothing looks', async () => {
    const over = completionWith({ results: [], usage: null }, { aborted: true });
    await over.check('x');
    expect(over.texts).toEqual([]);
    const none = completionWith(null);
    expect(await none.check('x')).toBeUndefined();
  });
});
