import { AppError } from '@bellwether/kernel';
import type { StructuredAnswers } from '../../connectors';
import type { Config } from '../../infrastructure/config';
import type { ToolCatalogue, ToolStatistics } from '../../tools';
import type { PlanOutcomes } from './memory/plan-outcomes.service';
import { ModelPlanner } from './model-planner.service';
import { Planner, type ToolSimilarities } from './planner.service';
import type { PlanRequest } from './planning.types';

const REPLACED = 'gone is not enabled; default answers instead';

function plannerOver(value: object | Error): Planner {
  const config = {
    planner: { vendor: 'openai', model: 'gone', temperature: 0, timeoutMs: 1_000 },
    tools: { defaultTimeoutMs: 1_000 },
  } as unknown as Config;
  const catalogue = { definitions: () => [] } as unknown as ToolCatalogue;
  const outcomes = { influences: () => new Map() } as unknown as PlanOutcomes;
  const answer = { value, usage: null, model: 'default', warnings: [REPLACED] };
  const ask = () => (value instanceof Error ? Promise.reject(value) : Promise.resolve(answer));
  const model = new ModelPlanner({ ask } as Pick<StructuredAnswers, 'ask'>, catalogue, config);
  const none = {} as unknown;
  return new Planner(catalogue, none as ToolStatistics, outcomes, model, none as ToolSimilarities, config);
}

const request: PlanRequest = {
  organizationId: 'o',
  assistantId: 1,
  assistantVersion: 1,
  query: 'What is osmosis?',
  messages: [{ role: 'user', content: 'What is osmosis?' }],
  tools: [],
  connector: 'auto',
  options: {},
  signal: new AbortController().signal,
  runId: null,
};

describe('a planning model that is not the configured one', () => {
  it('is told of in its own plan', async () => {
    const plan = await plannerOver({ reasoning: 'None.', confidence: 0.9, steps: [] }).plan(request);
    expect(plan).toMatchObject({ planner: 'model', warnings: [REPLACED] });
  });

  it('is told of in the heuristic plan that is made because the model was unsure, without remarks on its own', async () => {
    const unsure = { reasoning: 'No idea.', confidence: 0.1, steps: [{ id: 'a', tool: 'no_such_tool' }] };
    const { planner, warnings } = await plannerOver(unsure).plan(request);
    expect(planner).toBe('heuristic');
    expect(warnings).toEqual([REPLACED, 'The model was not sure of its plan']);
  });
});

describe('a planning model that fails', () => {
  it.each<[Error, string]>([
    [new AppError('upstream_bad_response', 'x'), 'unusable answer from the model vendor'],
    [new AppError('upstream_timeout', 'x'), 'model vendor too slow'],
    [new TypeError('x'), 'internal error'],
  ])('is told of in words, without a code', async (error, words) => {
    const { planner, warnings } = await plannerOver(error).plan(request);
    expect(planner).toBe('heuristic');
    expect(warnings).toEqual([`The model did not plan: ${words}. The heuristic planner did`]);
  });
});
