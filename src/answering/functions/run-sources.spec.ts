import type { RunReport } from '../../runs';
import { type FunctionOutcome, FunctionSet } from '../../tools';
import { type LateFacts, RunSources, completeReport } from '../engine/answer-record-builder';

const offered = (name: string, capabilities: readonly string[] = []) => ({
  declaration: { name, description: '', parameters: { type: 'object' } },
  plugin: { definition: { name, capabilities } } as never,
  config: {},
  check: () => null,
});

const facts = (overrides: Partial<LateFacts> = {}): LateFacts => ({
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
    const held = new RunSources([{ ...source, n: 1 }]);
    held.add([source, { ...source, rubric_id: 's' }]);
    held.add([{ ...source, rubric_id: 's' }]);
    expect(held.ofCalls).toEqual([{ ...source, rubric_id: 's', n: 2 }]);
  });

  it('gives a passage one number, whichever question found it', () => {
    const passage = (similarity: number, url: string) =>
      ({ type: 'knowledge_base', title: 'P', url, similarity, document: 'p.md', page: 3, document_id: 'd' }) as const;
    const held = new RunSources([]);
    held.add([{ ...passage(0.9, '/sources?link=1'), n: 1 }]);
    const found = held.add([passage(0.4, '/sources?link=2'), { ...passage(0.3, ''), page: 4 }]);
    expect(found.map(({ n }) => n)).toEqual([1, 2]);
    expect(held.ofCalls.map(({ n }) => n)).toEqual([1, 2]);
  });

  it('keeps two passages of one place that one call found, and finds both again', () => {
    const held = new RunSources([]);
    const twice = [0.9, 0.8].map(
      (similarity) => ({ type: 'knowledge_base', title: 'P', url: '/p', similarity, document: null }) as const,
    );
    expect(held.add(twice).map(({ n }) => n)).toEqual([1, 2]);
    expect(held.add(twice).map(({ n }) => n)).toEqual([1, 2]);
    expect(held.ofCalls).toHaveLength(2);
  });

  it('writes the numbers of the run into what a called assistant cited', () => {
    const source = { type: 'rubric', rubric_id: 'r', title: 'R', format: 'markdown' } as const;
    const held = new RunSources([{ ...source, rubric_id: 'p', n: 1 }]);
    const cited = { ...outcome('assistant'), content: 'As [] says.', sources: [source] };
    expect(held.numbered({ ...cited, citations: [{ at: 4, source: 0 }] } as FunctionOutcome).content).toBe(
      'As [2] says.',
    );
  });
});
