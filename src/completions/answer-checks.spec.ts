import type { ModelAnswer, ModelChunk, ModelRequest } from '../connectors';
import type { RunEvent } from '../kernel';
import type { AnswerChecks, ReportResult } from '../runs';
import { checkAnswer, heard } from './answer-checks';
import type { Completion, ModelCall } from './completion.types';

const REQUEST: ModelRequest = { model: 'm', messages: [], params: {} };
const USAGE = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };

const chunk = (text: string): ModelChunk => ({ data: '{}', text, finishReason: null, usage: null });

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
    run: { emit: (event: RunEvent) => void events.push(event), signal: { aborted } },
    facts: { prepared: checks === null ? {} : { afterAnswer }, usage: USAGE, checks: [] },
  } as unknown as Completion;
  return { completion, events, texts, spent };
}

describe('an answer on its way', () => {
  it('is heard, in one piece or many, round after round', async () => {
    const answers = [{ text: 'One.' } as ModelAnswer];
    const call: ModelCall = {
      model: 'm',
      complete: () => Promise.resolve(answers[0] as ModelAnswer),
      stream: async function* () {
        yield [chunk('T'), chunk('w')];
        yield [chunk('o.')];
        await Promise.resolve();
      },
    };
    const listener = heard(call);
    await listener.call.complete(REQUEST);
    const batches: (readonly ModelChunk[])[] = [];
    for await (const batch of listener.call.stream(REQUEST)) batches.push(batch);
    expect(batches).toHaveLength(2);
    expect(listener.text()).toBe('One.\n\nTwo.');
  });
});

describe('checks of a finished answer', () => {
  it('are told, kept and paid for', async () => {
    const { completion, events, texts, spent } = completionWith({ results: [row({})], usage: USAGE });
    await checkAnswer(completion, 'So be it.');
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
    expect(completion.facts).toMatchObject({ usage: { total_tokens: 8 }, checks: [{ plugin: 'validation' }] });
    expect(spent).toEqual([USAGE]);
  });

  it('tell no words of their own, and nothing of what failed or found nothing', async () => {
    const results = [row({ preview: 'fine' }), row({ preview: '' }), row({ status: 'failed', preview: '' })];
    const { completion, events } = completionWith({ results, usage: null });
    await checkAnswer(completion, 'x');
    expect(events).toMatchObject([{ result: {} }]);
    expect(JSON.stringify(events)).not.toContain('fine');
    expect(completion.facts.checks).toHaveLength(3);
  });

  it('leave the tokens of a run under another to that one', async () => {
    const { completion, spent } = completionWith({ results: [], usage: USAGE }, { depth: 1 });
    await checkAnswer(completion, 'x');
    expect(spent).toEqual([]);
  });

  it('do not begin for a run that is over, or where nothing looks', async () => {
    const over = completionWith({ results: [], usage: null }, { aborted: true });
    await checkAnswer(over.completion, 'x');
    expect(over.texts).toEqual([]);
    const none = completionWith(null);
    await expect(checkAnswer(none.completion, 'x')).resolves.toBeUndefined();
  });
});
