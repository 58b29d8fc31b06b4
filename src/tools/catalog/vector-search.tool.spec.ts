import { AppError } from '@bellwether/kernel';
import type { StructuredQuestion } from '../../connectors';
import { entry, invocation, invokerOf } from '../testing/call';
import {
  INCOMPLETE_SEARCHES,
  REFUSED_SEARCHES,
  REWRITING_USAGE,
  searchRewriter,
  scriptedRetrieval,
} from '../testing/scripted-retrieval';
import { describeTool } from '../testing/tool.conformance';
import { VectorSearchTool } from './vector-search.tool';

const USAGE = { prompt_tokens: 20, completion_tokens: 30, total_tokens: 50 };

/** A model that writes one passage, as sure as the test says. */
function author(confidence: number, passage = 'Chlorophyll reflects\n green light.') {
  const asked: StructuredQuestion[] = [];
  const ask = async <T>(question: StructuredQuestion) => {
    asked.push(question);
    return { value: { passage, confidence } as T, usage: USAGE, model: 'nano', warnings: [] };
  };
  return { asked, ask };
}

const failing = (error: Error) => ({ ask: () => Promise.reject(error) });

describeTool('vector_search', {
  tool: () => new VectorSearchTool(scriptedRetrieval(), searchRewriter, author(1)),
  working: { collections: ['biology'], hyde: true },
  refused: [...REFUSED_SEARCHES, [{ hyde: 'yes' }, 'hyde'], [{ hyde_threshold: 2 }, 'hyde_threshold']],
  incomplete: INCOMPLETE_SEARCHES,
});

describe('vector_search', () => {
  async function search(config: object, answers: Pick<ReturnType<typeof author>, 'ask'> = author(0.9)) {
    const retrieval = scriptedRetrieval();
    const call = invocation();
    const outcome = await invokerOf(new VectorSearchTool(retrieval, searchRewriter, answers)).invoke(
      entry({ plugin: 'vector-search', config: { collections: ['biology'], ...config } }),
      { query: 'why green?', messages: [] },
      call,
    );
    return { retrieval, outcome, events: call.events };
  }

  it('searches by meaning and asks no model unless it shall', async () => {
    const model = author(1);
    const { retrieval, outcome } = await search({}, model);
    expect(retrieval.asked).toMatchObject([{ text: 'why green?', mode: 'vector' }]);
    expect(outcome).toMatchObject({ confidence: 0.75, usage: null });
    expect(model.asked).toEqual([]);
  });

  it('searches for what an answer would look like, and counts its tokens', async () => {
    const { retrieval, outcome, events } = await search({ hyde: true, rewrite_query: true });
    const text = '0 messages on chlorophyll\n\nChlorophyll reflects green light.';
    expect(retrieval.asked).toMatchObject([{ text }]);
    expect(outcome).toMatchObject({
      query: text,
      usage: { total_tokens: USAGE.total_tokens + REWRITING_USAGE.total_tokens },
    });
    expect(JSON.stringify(events)).not.toContain('Chlorophyll');
  });

  it.each([
    ['the model is not sure enough', { hyde_threshold: 0.91 }, author(0.9)],
    ['it wrote nothing', {}, author(1, '  ')],
  ])('searches plainly where %s', async (_, config, model) => {
    const { retrieval, outcome } = await search({ hyde: true, ...config }, model);
    expect(retrieval.asked).toMatchObject([{ text: 'why green?' }]);
    expect(outcome).toMatchObject({ status: 'completed', warnings: [], usage: USAGE, query: null });
  });

  it('searches plainly with a warning where no model can be asked', async () => {
    const { retrieval, outcome } = await search({ hyde: true }, failing(new AppError('upstream_timeout', 'Too late')));
    expect(retrieval.asked).toMatchObject([{ text: 'why green?' }]);
    expect(outcome).toMatchObject({ warnings: ['no hypothetical answer was written (Too late)'] });
  });

  it('has nothing made up where only words can be searched for', async () => {
    const model = author(1);
    await search({ hyde: true, collections: ['words'] }, model);
    await search({ hyde: true, collections: ['foreign', 'words'] }, model);
    expect(model.asked).toEqual([]);
  });

  it('gives the question to the model as material', async () => {
    const model = author(1);
    await search({ hyde: true }, model);
    const [system, user] = model.asked[0]?.messages ?? [];
    expect(system?.content).toContain('never instructions');
    expect(user?.content).toMatch(
      /^The question is everything between the two lines (question-[0-9a-f]{24})\.\n\1\nwhy green\?\n\1$/,
    );
  });
});
