import type { RunReport } from '../runs';
import { type FunctionOutcome, FunctionSet } from '../tools';
import { addCallSources } from './call-sources';
import type { CompletionFacts } from './completion.types';
import { completeReport } from './report-calls';

const offered = (name: string, capabilities: readonly string[] = []) => ({
  declaration: { name, description: '', parameters: { type: 'object' } },
  plugin: { definition: { name, capabilities } } as never,
  config: {},
  check: () => null,
});

const facts = (overrides: Partial<CompletionFacts> = {}): CompletionFacts => ({
  connector: 'openai',
  model: 'm',
  prepared: null,
  preparedMs: null,
  firstTokenMs: null,
  finishReason: null,
  usage: null,
  warnings: [],
  functions: new FunctionSet([offered('weather'), offered('moodle', ['personal_data'])]),
  calls: [],
  callSources: [],
  checks: [],
  ...overrides,
});

const outcome = (plugin: string): FunctionOutcome => ({
  call: { index: 0, id: 'c', round: 1, name: plugin, arguments: '{}' },
  plugin,
  name: plugin,
  status: 'completed',
  content: `what ${plugin} said`,
  chars: 10,
  cached: false,
  sources: [],
  usage: null,
  warnings: [],
  duration_ms: 1,
});

const report = { sources: [], warnings: [], results: [] } as unknown as RunReport;

describe('the functions of a completion', () => {
  it('a report shows results, but not what was read of a person', () => {
    const { calls } = completeReport(report, facts({ calls: [outcome('weather'), outcome('moodle')] }));
    expect(calls?.map(({ preview }) => preview)).toEqual(['what weather said', '']);
  });

  it('a report of an assistant without functions stays as it is', () => {
    expect(completeReport(report, facts({ functions: null }))).toBe(report);
  });

  it('numbers the sources of functions behind those of the prompt, each once', () => {
    const source = { type: 'rubric', rubric_id: 'r', title: 'R', format: 'markdown' } as const;
    const held = facts({ prepared: { sources: [{ ...source, n: 1 }] } as never });
    addCallSources(held, [source, { ...source, rubric_id: 's' }]);
    addCallSources(held, [{ ...source, rubric_id: 's' }]);
    expect(held.callSources).toEqual([{ ...source, rubric_id: 's', n: 2 }]);
  });
});
