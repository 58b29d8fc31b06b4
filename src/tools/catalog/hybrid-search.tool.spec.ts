import { entry, invocation, invokerOf, OWNER } from '../testing/call';
import {
  INCOMPLETE_SEARCHES,
  REFUSED_SEARCHES,
  searchRewriter,
  scriptedRetrieval,
} from '../testing/scripted-retrieval';
import { describeTool } from '../testing/tool.conformance';
import { HybridSearchTool } from './hybrid-search.tool';

describeTool('hybrid_search', {
  tool: () => new HybridSearchTool(scriptedRetrieval(), searchRewriter),
  working: { collections: ['biology'] },
  refused: REFUSED_SEARCHES,
  incomplete: INCOMPLETE_SEARCHES,
});

describe('hybrid_search', () => {
  it('searches in its own mode, whatever the knowledge bases would choose', async () => {
    const retrieval = scriptedRetrieval();
    const outcome = await invokerOf(new HybridSearchTool(retrieval, searchRewriter)).invoke(
      entry({ plugin: 'hybrid-search', config: { collections: ['biology'], top_k: 2, sources_in_prompt: 'numbered' } }),
      { query: 'why green?', messages: [] },
      invocation(),
    );
    expect(retrieval.asked).toMatchObject([{ text: 'why green?', mode: 'hybrid', topK: 2 }]);
    expect(outcome).toMatchObject({
      content: '[] leaf\n\n[] light',
      sources: [{ title: 'leaf.md' }, {}],
      confidence: 0.75,
    });
  });

  it('is not sure of anything where nothing was found', async () => {
    const outcome = await invokerOf(new HybridSearchTool(scriptedRetrieval(), searchRewriter)).invoke(
      entry({ plugin: 'hybrid_search', config: { collections: ['empty'] } }),
      { query: 'why green?', messages: [] },
      invocation(),
    );
    expect(outcome).toMatchObject({ status: 'completed', content: '', confidence: 0 });
  });

  it('warns of knowledge bases that have words only', async () => {
    const tool = new HybridSearchTool(scriptedRetrieval(), searchRewriter);
    expect(await tool.gaps({ ...SETTINGS, collections: ['biology', 'words'] }, OWNER)).toEqual([
      { path: 'collections[1]', code: 'tool.degraded', message: 'no hybrid mode' },
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
