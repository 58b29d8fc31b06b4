import { entry, invocation, invokerOf, OWNER } from '../testing/call';
import {
  INCOMPLETE_SEARCHES,
  REFUSED_SEARCHES,
  searchRewriter,
  scriptedRetrieval,
} from '../testing/scripted-retrieval';
import { describeTool } from '../testing/tool.conformance';
import { KeywordSearchTool } from './keyword-search.tool';

describeTool('keyword_search', {
  tool: () => new KeywordSearchTool(scriptedRetrieval(), searchRewriter),
  working: { collections: ['biology'] },
  refused: REFUSED_SEARCHES,
  incomplete: INCOMPLETE_SEARCHES,
});

describe('keyword_search', () => {
  it('searches in its own mode, whatever the knowledge bases would choose', async () => {
    const retrieval = scriptedRetrieval();
    const outcome = await invokerOf(new KeywordSearchTool(retrieval, searchRewriter)).invoke(
      entry({
        plugin: 'keyword-search',
        config: { collections: ['biology'], top_k: 2, sources_in_prompt: 'numbered' },
      }),
      { query: 'why green?', messages: [] },
      invocation(),
    );
    expect(retrieval.asked).toMatchObject([{ text: 'why green?', mode: 'keyword', topK: 2 }]);
    expect(outcome).toMatchObject({
      content: '[] leaf\n\n[] light',
      sources: [{ title: 'leaf.md' }, {}],
      confidence: 0.75,
    });
  });

  it('is not sure of anything where nothing was found', async () => {
    const outcome = await invokerOf(new KeywordSearchTool(scriptedRetrieval(), searchRewriter)).invoke(
      entry({ plugin: 'keyword_search', config: { collections: ['empty'] } }),
      { query: 'why green?', messages: [] },
      invocation(),
    );
    expect(outcome).toMatchObject({ status: 'completed', content: '', confidence: 0 });
  });

  it('finds no fault with knowledge bases that have words only', async () => {
    const tool = new KeywordSearchTool(scriptedRetrieval(), searchRewriter);
    expect(await tool.gaps({ ...SETTINGS, collections: ['words', 'foreign'] }, OWNER)).toEqual([
      { path: 'collections[1]', code: 'tool.inaccessible', message: 'knowledge base foreign is not accessible' },
    ]);
  });
});

const SETTINGS = {
  top_k: 3,
  threshold: 0,
  rewrite_query: false,
  parent: false,
  max_tokens: 1000,
  sources_in_prompt: 'none',
} as const;
