import type { MaterialSearch } from '../../src/tools';
import { type ToolUse, findingOf } from './asked-questions.repository';

const SEARCHES = new Map<string, MaterialSearch>([
  ['simple_rag', { nothing_found: 'empty' }],
  ['keyword_search', { nothing_found: 'empty' }],
  ['vector_search', { nothing_found: 'empty' }],
  ['knowledge_base', { nothing_found: 'worded' }],
]);
const searches = { of: (plugin: string) => SEARCHES.get(plugin) ?? null };

const weak: ToolUse = ['simple_rag', 'completed', 900, true];
const good: ToolUse = ['keyword_search', 'completed', 900, false];
const byMeaning: ToolUse = ['vector_search', 'completed', 900, null];
const empty: ToolUse = ['simple_rag', 'completed', 0, true];
const failed: ToolUse = ['simple_rag', 'failed', null, null];
const rubric: ToolUse = ['rubric_rag', 'completed', 400, null];

describe('what an answer found', () => {
  it.each<[string, ToolUse[], boolean, ReturnType<typeof findingOf>]>([
    ['no search', [rubric], false, null],
    ['a search that failed', [failed], false, null],
    ['nothing', [empty], false, 'nothing'],
    ['a function that says so', [['knowledge_base', 'completed', 40, null]], false, 'nothing'],
    ['a weak match', [weak], true, 'weak'],
    ['a weak match beside nothing', [weak, empty], true, 'weak'],
    ['a good match beside a weak one', [weak, good], true, 'good'],
    ['passages by meaning', [byMeaning], true, 'good'],
    ['a weak match of a plugin that is gone', [['gone', 'completed', 900, true]], true, 'weak'],
    ['nothing by a plugin that is gone, with its match', [['gone', 'completed', 0, true]], false, 'nothing'],
    ['a plugin that is gone, without a match', [['gone', 'completed', 0, null]], false, null],
    ['sources of another tool', [rubric], true, 'good'],
  ])('%s', (_, uses, hasSources, finding) => {
    expect(findingOf(uses, hasSources, searches)).toBe(finding);
  });
});
