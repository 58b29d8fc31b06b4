import { PlanCache } from './plan-cache';
import type { PlanStep, ToolPlan } from '../planning.types';

const planOf = (...queries: readonly string[]): ToolPlan => ({
  id: 'p',
  planner: 'model',
  cached: false,
  query_class: 'simple/any',
  decomposition: { type: 'simple', sub_queries: [], confidence: 1 },
  steps: queries.map((query, at) => ({ id: `s${at + 1}`, query }) as PlanStep),
  stages: [],
  reasoning: '',
  confidence: 1,
  estimated_duration_ms: 0,
  estimated_cost: 0,
  warnings: [],
  planning_ms: 0,
});

describe('the cache of plans', () => {
  const question = 'Which organs of a plant take in water from the soil?';
  const kept = (plan: ToolPlan = planOf(question)): PlanCache => {
    const cache = new PlanCache();
    cache.keep('key', question, plan);
    return cache;
  };

  it('serves a question of nearly the same words, with that question', () => {
    const near = 'which organs of the plant take in the water from soil';
    expect(kept().find('key', near)?.steps[0]?.query).toBe(near);
  });

  it('tells nobody what another one asked', () => {
    const parts = [question, 'Root hairs of Ann'].map((text, at) => ({ id: `q${at + 1}`, text, dependencies: [] }));
    const decomposition = { type: 'comparison', sub_queries: parts, confidence: 0.9 } as const;
    const cache = kept({ ...planOf(question), decomposition, reasoning: `Ann asks: ${question}` });
    const near = 'which organs of the plant take in the water from soil';
    const found = cache.find('key', near);
    expect(found?.decomposition).toEqual({
      ...decomposition,
      sub_queries: [{ id: 'q1', text: near, dependencies: [] }],
    });
    expect(found?.reasoning).toBe('A question of nearly the same words was planned before.');
    expect(cache.find('key', question)?.reasoning).toBe(`Ann asks: ${question}`);
  });

  it.each([
    ['another question', 'Who wrote Don Quixote?'],
    ['a number that differs', `${question} In chapter 3?`],
    ['a word more that matters', 'Which organs of a plant and of an animal take in water from the soil and the air?'],
  ])('does not serve %s', (_what, other) => {
    expect(kept().find('key', other)).toBeNull();
  });

  it('tells C from C++', () => {
    const cache = new PlanCache();
    cache.keep('key', 'What is C?', planOf('language C'));
    expect(cache.find('key', 'What is C++?')).toBeNull();
  });

  it('serves a plan that took its question apart for the same words only', () => {
    const cache = kept(planOf('organs of plants', 'water in soil'));
    expect(cache.find('key', 'which organs of the plant take in the water from soil')).toBeNull();
    expect(cache.find('key', question.toUpperCase())?.steps).toHaveLength(2);
  });

  it('knows nothing under another key', () => {
    expect(kept().find('other', question)).toBeNull();
  });
});
