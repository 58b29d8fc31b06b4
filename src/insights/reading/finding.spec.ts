import type { ToolUse } from './asked-question.types';
import { findingOf } from './finding';

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
    ['sources of another tool', [rubric], true, 'good'],
  ])('%s', (_, uses, hasSources, finding) => {
    expect(findingOf(uses, hasSources)).toBe(finding);
  });
});
