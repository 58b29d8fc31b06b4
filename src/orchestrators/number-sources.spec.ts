import type { KnowledgeBaseSource } from '@bellwether/kernel';
import type { Citation, ToolOutcome } from '../tools';
import { numberSources } from './join-outcomes';

const source = (title: string): KnowledgeBaseSource => ({
  type: 'knowledge_base',
  title,
  url: '',
  similarity: 0.5,
  document: null,
});

const completed = (content: string, titles: readonly string[], citations: readonly Citation[] = []): ToolOutcome => ({
  index: 0,
  plugin: 'simple_rag',
  placeholder: '1_context',
  status: 'completed',
  content,
  chars: content.length,
  sources: titles.map(source),
  citations,
  confidence: null,
  cached: false,
  retries: 0,
  warnings: [],
  truncated: false,
  duration_ms: 0,
});

const contents = (outcomes: readonly ToolOutcome[]): unknown[] =>
  outcomes.map((outcome) => (outcome.status === 'completed' ? outcome.content : outcome.status));

describe('numbers of sources', () => {
  it('run over all tools in tool order, cited sources first, and stand in the text where the tool cites', () => {
    const cites = [
      { at: 1, source: 0 },
      { at: 6, source: 1 },
    ];
    const { outcomes, sources } = numberSources([
      completed('[] a\n[] b', ['a', 'b'], cites),
      completed('plain', ['c']),
      completed('[] d', ['d'], [{ at: 1, source: 0 }]),
    ]);
    expect(contents(outcomes)).toEqual(['[1] a\n[2] b', 'plain', '[3] d']);
    expect(sources.map(({ n, ...rest }) => [n, 'title' in rest && rest.title])).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'd'],
      [4, 'c'],
    ]);
  });

  it('give one number to a passage of a document whose link was signed anew', () => {
    const [first, second] = ['/sources?link=1', '/sources?link=2'].map((url) => {
      const found = { ...source('a'), document_id: '0198c0de-0000-7000-8000-000000000003', url };
      return { ...completed('', []), sources: [found] };
    });
    const { sources } = numberSources([first, second].filter((outcome) => outcome !== undefined));
    expect(sources).toMatchObject([{ n: 1, url: '/sources?link=1' }]);
  });

  it('are told of content in the prompt only, without a gap, and count on behind', () => {
    const unseen = completed('[] a', ['a'], [{ at: 1, source: 0 }]);
    const seen = completed('b', ['b', 'a']);
    const { outcomes, sources } = numberSources(
      [completed('[] c', ['c'], [{ at: 1, source: 0 }]), seen, unseen],
      (each) => each === seen,
    );
    expect(sources.map(({ n, ...rest }) => [n, 'title' in rest && rest.title])).toEqual([
      [1, 'b'],
      [2, 'a'],
    ]);
    expect(contents(outcomes)).toEqual(['[3] c', 'b', '[2] a']);
  });

  it('give one number to a place that two questions found with different similarity', () => {
    const [first, second] = [0.9, 0.4].map((similarity) => ({
      ...completed('[] a', ['a'], [{ at: 1, source: 0 }]),
      sources: [{ ...source('a'), document: 'a.md', page: 2, similarity }],
    }));
    const { outcomes, sources } = numberSources([first, second].filter((outcome) => outcome !== undefined));
    expect(contents(outcomes)).toEqual(['[1] a', '[1] a']);
    expect(sources).toMatchObject([{ n: 1, similarity: 0.9 }]);
  });

  it('give one number to what two tools found alike, and two to what one tool found twice', () => {
    const { outcomes, sources } = numberSources([
      completed(
        '[] a [] a',
        ['a', 'a'],
        [
          { at: 1, source: 0 },
          { at: 6, source: 1 },
        ],
      ),
      completed(
        '[] b [] a',
        ['b', 'a'],
        [
          { at: 1, source: 0 },
          { at: 6, source: 1 },
        ],
      ),
    ]);
    expect(contents(outcomes)).toEqual(['[1] a [2] a', '[3] b [1] a']);
    expect(sources.map(({ n }) => n)).toEqual([1, 2, 3]);
  });

  it('do not look at content', () => {
    expect(contents(numberSources([completed('[] [] {n} $&', ['a'], [{ at: 4, source: 0 }])]).outcomes)).toEqual([
      '[] [1] {n} $&',
    ]);
  });

  it('skip tools without sources and tools that failed', () => {
    const failed: ToolOutcome = {
      index: 1,
      plugin: 'x',
      placeholder: null,
      status: 'failed',
      code: 'tool.failed',
      message: '',
      duration_ms: 0,
      retries: 0,
    };
    const outcomes = [completed('a', []), failed];
    expect(numberSources(outcomes)).toEqual({ outcomes, sources: [] });
    expect(numberSources([...outcomes, completed('b', ['b'])]).sources).toEqual([{ ...source('b'), n: 1 }]);
  });
});
