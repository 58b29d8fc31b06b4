import type { KnowledgeBaseSource } from '@bellwether/kernel';
import type { ToolOutcome } from '../tools';
import { contentByPlaceholder, joinByTool, joinSteps, usageOf } from './join-outcomes';

type Completed = Extract<ToolOutcome, { status: 'completed' }>;

const TOOL = { index: 2, plugin: 'simple_rag', placeholder: '1_context' };

const source = (title: string): KnowledgeBaseSource => ({
  type: 'knowledge_base',
  title,
  url: '',
  similarity: 0.5,
  document: null,
});

const completed = (content: string, more: Partial<Completed> = {}): Completed => ({
  ...TOOL,
  status: 'completed',
  content,
  chars: content.length,
  sources: [],
  citations: [],
  confidence: null,
  cached: false,
  retries: 0,
  warnings: [],
  truncated: false,
  duration_ms: 0,
  ...more,
});
const failed: ToolOutcome = {
  ...TOOL,
  status: 'failed',
  code: 'tool.failed',
  message: 'M',
  duration_ms: 1.004,
  retries: 1,
};
const skipped: ToolOutcome = { ...TOOL, status: 'skipped', reason: 'not asked', duration_ms: 0 };
const tokens = (prompt_tokens: number) => ({ prompt_tokens, completion_tokens: 1, total_tokens: prompt_tokens + 1 });

describe('the steps of one tool', () => {
  it('are the step itself where there is one', () => {
    const only = completed('a');
    expect(joinSteps({ ...TOOL, index: 9 }, [only])).toBe(only);
  });

  it('become one text with a gap, and citations move with it', () => {
    const first = completed('[] a', { sources: [source('a')], citations: [{ at: 1, source: 0 }] });
    const second = completed('[] b [] a', {
      sources: [source('b'), source('a')],
      citations: [
        { at: 1, source: 0 },
        { at: 6, source: 1 },
      ],
      passages: [{ source: 1, text: 'P' }],
    });
    expect(joinSteps(TOOL, [first, completed(''), second])).toMatchObject({
      ...TOOL,
      content: '[] a\n\n[] b [] a',
      chars: 15,
      sources: [source('a'), source('b')],
      citations: [
        { at: 1, source: 0 },
        { at: 7, source: 1 },
        { at: 12, source: 0 },
      ],
      passages: [{ source: 0, text: 'P' }],
    });
    expect(joinSteps(TOOL, [completed(''), first])).toMatchObject({
      content: '[] a',
      citations: [{ at: 1, source: 0 }],
    });
  });

  it('keep two equal passages of one step apart', () => {
    const twice = completed('x', { sources: [source('a'), source('a')] });
    expect(joinSteps(TOOL, [twice, twice])).toMatchObject({ sources: [source('a'), source('a')] });
  });

  it('add up what they took, and keep the lowest confidence', () => {
    const steps = [
      completed('a', { confidence: 0.9, retries: 1, duration_ms: 0.1, warnings: ['w'], cached: true, query: 'q1' }),
      completed('b', {
        confidence: 0.4,
        retries: 2,
        duration_ms: 0.2,
        warnings: ['w', 'v'],
        cached: true,
        query: null,
      }),
      completed('c', { truncated: true, cached: true, query: 'q2' }),
    ];
    const joined = {
      duration_ms: 0.3,
      confidence: 0.4,
      retries: 3,
      warnings: ['w', 'v'],
      cached: true,
      query: 'q1\nq2',
      truncated: true,
      usage: null,
    };
    expect(joinSteps(TOOL, steps)).toMatchObject(joined);
    const other = joinSteps(TOOL, [completed('a', { cached: true }), completed('b')]);
    expect(other).toMatchObject({ cached: false, confidence: null, query: null, truncated: false });
    for (const key of ['evidence', 'fallback', 'search', 'saysFit']) expect(other).not.toHaveProperty(key);
  });

  it('tell the fit of the search that found the most', () => {
    const found = (strength: number, more: object = {}) =>
      completed('x', { search: { match: { strength, weak: false } }, ...more });
    const joined = joinSteps(TOOL, [completed('y'), found(0.2), found(0.8, { saysFit: true }), found(0.3)]);
    expect(joined).toMatchObject({ search: { match: { strength: 0.8 } }, saysFit: true });
    expect(joinSteps(TOOL, [found(0.2), found(0.1, { saysFit: true })])).toMatchObject({ saysFit: false });
  });

  it('are completed where one is, failed where none is, and skipped where none ran', () => {
    expect(joinSteps(TOOL, [failed, completed('a'), skipped])).toMatchObject({ status: 'completed', content: 'a' });
    expect(joinSteps(TOOL, [skipped, failed, failed])).toEqual({ ...failed, duration_ms: 2.01 });
    expect(joinSteps(TOOL, [skipped, { ...failed, usage: tokens(3) }])).toMatchObject({
      status: 'failed',
      usage: tokens(3),
    });
    expect(joinSteps(TOOL, [skipped, { ...skipped, reason: 'other' }])).toEqual(skipped);
    expect(joinSteps(TOOL, [])).toEqual({ ...skipped, reason: 'it has no step' });
  });
});

it('tokens are those of all outcomes, failed ones included', () => {
  expect(usageOf([skipped, completed('a')])).toBeNull();
  expect(usageOf([completed('a', { usage: tokens(3) }), { ...failed, usage: tokens(4) }])).toMatchObject({
    prompt_tokens: 7,
    total_tokens: 9,
  });
});

it('outcomes become one for each tool, in the order of the tools', () => {
  const other = completed('z', { index: 5, placeholder: '2_context' });
  const joined = joinByTool([completed('a'), other, completed('b')]);
  expect(joined.map((outcome) => [outcome.index, 'content' in outcome && outcome.content])).toEqual([
    [2, 'a\n\nb'],
    [5, 'z'],
  ]);
  const single = [completed('a'), other];
  expect(joinByTool(single)).toBe(single);
});

it('contents are given by placeholder, both of two tools that share one', () => {
  const outcomes = [completed('a'), failed, completed('', { placeholder: '3_context' }), completed('b')];
  expect([...contentByPlaceholder([...outcomes, completed('c', { placeholder: null })])]).toEqual([
    ['1_context', 'a\n\nb'],
  ]);
});
