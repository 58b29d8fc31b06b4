import { modelDiagnostics } from './organization-view';

const paths = (...of: Parameters<typeof modelDiagnostics>): string[] => modelDiagnostics(...of).map(({ path }) => path);
const PLANNER = { vendor: 'openai', model: 'planner-1' } as const;

describe('models that are named and not offered', () => {
  it('are told by the place that names them', () => {
    const openai = { default_model: 'a', fast_model: 'fast-1', tool_use_model: 'b', models: ['a', 'fast-1'] };
    const default_model = { provider: 'openai', model: 'c' };
    expect(paths({ models: ['a', 'b'], providers: { openai }, default_model }, PLANNER)).toEqual([
      'providers.openai.fast_model',
      'providers.openai.tool_use_model',
      'default_model.model',
      'models',
    ]);
    const [first] = modelDiagnostics({ models: ['a', 'b'], providers: { openai } }, null);
    expect(first).toMatchObject({ severity: 'warning', code: 'connector.model_unavailable' });
    expect(first?.message).toContain('fast-1');
  });

  it('are none where no list is kept, and none of a provider that is switched off', () => {
    const openai = { fast_model: 'fast-1' };
    expect(paths({ providers: { openai } }, PLANNER)).toEqual([]);
    expect(paths({ models: [], providers: { openai } }, PLANNER)).toEqual([]);
    expect(paths({ models: ['a'], providers: { openai: { ...openai, enabled: false } } }, null)).toEqual([]);
  });
});
