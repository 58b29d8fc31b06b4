import { AppError, type ChatMessage } from '@bellwether/kernel';
import type { Connector, ConnectorsService, ModelAnswer, ModelCallContext, ModelRequest } from '../../../connectors';
import type { OrganizationsService, ProviderRuntime } from '../../../organizations';
import type { LanguageDetector } from '../../../infrastructure/languages';
import { QuestionRewriter, type QuestionToRewrite, transcript, usable } from './question-rewriter';
import { cpuTimeOf } from '../../../../test/support/cpu-time';

const CONVERSATION: ChatMessage[] = [
  { role: 'system', content: 'You are a tutor.' },
  { role: 'user', content: 'What is photosynthesis?' },
  { role: 'assistant', content: 'It makes sugar of light.' },
  { role: 'user', content: 'And where in the cell?' },
];

const CONNECTORS = [
  { name: 'openai', vendor: { name: 'openai' } },
  { name: 'ollama', vendor: { name: 'ollama' } },
  { name: 'bypass', vendor: null },
];

type Complete = (request: ModelRequest, context: ModelCallContext) => Promise<string>;

const USAGE = { prompt_tokens: 90, completion_tokens: 9, total_tokens: 99 };

function rewriterOver(
  complete: Complete,
  providers: Record<string, string | null> = { openai: 'nano' },
  answering = 'auto',
  finishReason = 'stop',
) {
  const asked: ModelRequest[] = [];
  const connector = {
    complete: async (request: ModelRequest, _: unknown, context: ModelCallContext): Promise<ModelAnswer> => {
      asked.push(request);
      return { body: {}, text: await complete(request, context), finishReason, usage: USAGE, calls: [] };
    },
  } as unknown as Connector;
  const runtimes = Object.entries(providers).map(([name, fastModel]) => [name, { name, fastModel } as ProviderRuntime]);
  const organization = { providers: new Map(runtimes as [string, ProviderRuntime][]), defaultModel: null };
  const rewriter = new QuestionRewriter(
    { runtime: () => Promise.resolve(organization) } as unknown as OrganizationsService,
    {
      definitions: () => CONNECTORS,
      find: (wanted: string) => CONNECTORS.find(({ name }) => name === wanted),
      resolve: (_: string, { llm }: { llm: string }) => {
        const warnings = llm === 'nano-gone' ? [{ message: 'nano-gone is not enabled; nano answers instead' }] : [];
        return Promise.resolve({ connector, target: {}, model: llm.replace('-gone', ''), warnings });
      },
    } as unknown as ConnectorsService,
    { detect: async () => ({ language: 'es', scores: { es: 0.8 } }) } as unknown as LanguageDetector,
  );
  const rewrite = (
    messages: readonly ChatMessage[] = CONVERSATION,
    signal = new AbortController().signal,
    more: Partial<QuestionToRewrite> = {},
  ) => rewriter.rewrite({ organizationId: 'o', runId: 'r', messages, signal, connector: answering, ...more });
  return { asked, rewrite, rewriter };
}

describe('rewriting a question', () => {
  it('gives the fast model the conversation, at temperature 0 and with few tokens', async () => {
    const { asked, rewrite } = rewriterOver(async () => '"Where in the cell does photosynthesis happen?"\n');
    expect(await rewrite()).toEqual({
      text: 'Where in the cell does photosynthesis happen?',
      rewritten: true,
      warnings: [],
      languages: null,
      usage: USAGE,
    });
    expect(asked).toEqual([
      {
        model: 'nano',
        params: { temperature: 0, max_tokens: 200 },
        messages: [
          { role: 'system', content: expect.any(String) },
          {
            role: 'user',
            content:
              'Conversation:\nPerson: What is photosynthesis?\nTutor: It makes sugar of light.\nPerson: And where in the cell?\n\nQuery:',
          },
        ],
      },
    ]);
  });

  it.each([
    ['auto', 'nano'],
    ['bypass', 'nano'],
    ['openai', 'nano'],
    ['ollama', 'tiny'],
  ])('asks the provider of the connector %s first, else the default one', async (answering, model) => {
    const { asked, rewrite } = rewriterOver(async () => 'x', { openai: 'nano', ollama: 'tiny' }, answering);
    await rewrite();
    expect(asked).toMatchObject([{ model }]);
  });

  it('asks another provider where the own one has no fast model', async () => {
    const { asked, rewrite } = rewriterOver(async () => 'x', { openai: 'nano', ollama: null }, 'ollama');
    await rewrite();
    expect(asked).toMatchObject([{ model: 'nano' }]);
  });

  it.each([[{ openai: null }], [{ openai: '' }], [{ anthropic: 'small' }], [{}]])(
    'adds the topics that the last user text lacks without a fast model that can be asked, and says so: %j',
    async (providers) => {
      const { asked, rewrite, rewriter } = rewriterOver(() => Promise.reject(new Error('asked')), providers);
      expect(await rewrite()).toEqual({
        text: 'And where in the cell? photosynthesis',
        rewritten: true,
        warnings: [expect.stringContaining('rewrite.no_fast_model')],
      });
      expect(asked).toEqual([]);
      expect(await rewrite(CONVERSATION, undefined, { isOptional: true })).toMatchObject({ warnings: [] });
      expect(await rewriter.isAvailable('o')).toBe(false);
    },
  );

  it('asks the model that stands in for a fast model outside the list, and says so', async () => {
    const { asked, rewrite, rewriter } = rewriterOver(async () => 'cell of photosynthesis', { openai: 'nano-gone' });
    expect(await rewrite()).toMatchObject({
      text: 'cell of photosynthesis',
      warnings: ['nano-gone is not enabled; nano answers instead'],
    });
    expect(asked).toMatchObject([{ model: 'nano' }]);
    expect(await rewriter.isAvailable('o')).toBe(true);
  });

  it.each<[string, Complete, string]>([
    ['an error', () => Promise.reject(new AppError('upstream_auth', 'The key was refused')), 'The key was refused'],
    ['a defect', () => Promise.reject(new Error('secret detail')), 'unexpected error'],
    ['a timeout', () => Promise.reject(new AppError('cancelled', 'cancelled')), 'it took too long'],
    ['nothing', async () => ' \n ', 'its answer is not usable'],
    ['an essay', async () => 'so many words '.repeat(100), 'its answer is not usable'],
    ['signs', async () => '"…"', 'its answer is not usable'],
    ['a refusal', async () => "I'm sorry, but I can't help with that.", 'its answer is not usable'],
    ['code', async () => '```json\n{"query": "photosynthesis cell"}\n```', 'its answer is not usable'],
    ['words of another matter', async () => 'best pizza in town', 'its answer is not usable'],
  ])('falls back to the topics of the conversation on %s, and says so', async (_, complete, why) => {
    expect(await rewriterOver(complete).rewrite()).toMatchObject({
      text: 'And where in the cell? photosynthesis',
      rewritten: true,
      warnings: [`the question was not rewritten: the fast model failed (${why})`],
    });
  });

  it('asks for the language of the material where the question has another one', async () => {
    const { asked, rewrite } = rewriterOver(async () => 'Where in the cell?');
    const languages = { question: 'es', material: ['en', 'ca'], bridge: 'rewriter' };
    expect(await rewrite(CONVERSATION, undefined, { material: ['en', 'ca'] })).toMatchObject({ languages });
    expect(asked[0]?.messages[0]?.content).toContain('Write it in English, the language of the documents.');
    expect(await rewrite(CONVERSATION, undefined, { material: ['es'] })).toMatchObject({ languages: null });
    expect(asked[1]?.messages[0]?.content).toContain('Keep the language of the last message.');
  });

  it('asks again without parameters that a model refuses', async () => {
    const { asked, rewrite } = rewriterOver(async ({ params }) => {
      if ('temperature' in params) throw new AppError('upstream_rejected', 'temperature is not supported');
      return 'cells with chlorophyll';
    });
    expect(await rewrite()).toMatchObject({ text: 'cells with chlorophyll', rewritten: true });
    expect(asked.map(({ params }) => params)).toEqual([{ temperature: 0, max_tokens: 200 }, {}]);
  });

  it('ends with the run', async () => {
    const run = new AbortController();
    const { rewrite } = rewriterOver(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new AppError('cancelled', 'cancelled')));
          run.abort(new Error('gone'));
        }),
    );
    await expect(rewrite(CONVERSATION, run.signal)).rejects.toThrow('gone');
  });

  it('asks nobody for a question without text', async () => {
    const { asked, rewrite } = rewriterOver(async () => 'made up');
    const picture = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } };
    expect((await rewrite([{ role: 'user', content: [picture] }])).text).toBe('');
    expect(asked).toEqual([]);
  });
});

it('drops what a model said until its tokens ran out', async () => {
  const { rewriter } = rewriterOver(
    async () => 'photosynthesis in the cell, let me think',
    undefined,
    'auto',
    'length',
  );
  await expect(
    rewriter.rewrite({
      organizationId: 'o',
      runId: 'r',
      messages: CONVERSATION,
      signal: new AbortController().signal,
      connector: 'auto',
    }),
  ).resolves.toMatchObject({ text: 'And where in the cell? photosynthesis' });
});

describe('the transcript', () => {
  it('holds the last ten spoken messages up to the question, each cut', () => {
    const many = Array.from({ length: 30 }, (_, n): ChatMessage => ({
      role: n % 2 === 0 ? 'user' : 'assistant',
      content: `${n} ${'long '.repeat(200)}`,
    }));
    const lines = transcript(many).split('\n').slice(1, -2);
    expect(lines).toHaveLength(10);
    expect(lines[0]).toMatch(/^Tutor: 19 /);
    expect(lines.at(-1)).toMatch(/^Person: 28 /);
    expect(lines.every((line) => line.length <= 'Person: '.length + 501 && line.endsWith('…'))).toBe(true);
  });

  it('reads the text of parts, on one line, and leaves out tool calls and what follows the question', () => {
    const text = transcript([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look\nat' },
          { type: 'image_url', image_url: { url: 'x' } },
          { type: 'text', text: 'this' },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [] },
      { role: 'tool', tool_call_id: 'c', content: '{"secret": 1}' },
    ]);
    expect(text).toBe('Conversation:\nPerson: Look at this\n\nQuery:');
  });
});

describe('what a model answers', () => {
  it.each([
    ['Query: “Calvin cycle”', 'Calvin cycle'],
    ['<think>They ask about\nplants.</think>\n  Where is\n chlorophyll? ', 'Where is chlorophyll?'],
    ['They ask about plants. Let me think: hurricanes?\n</think>\n\nWhere is chlorophyll?', 'Where is chlorophyll?'],
    ['¿Dónde está la clorofila?', '¿Dónde está la clorofila?'],
    ['```', null],
    ['', null],
  ])('%j is the query %j', (answer, query) => expect(usable(answer)).toBe(query));

  it.each([
    ['thoughts that never end', '<think>'.repeat(100_000)],
    ['quotes before the end', `x${'"'.repeat(300_000)}y`],
  ])('is looked for in linear time: %s', (_, answer) => {
    const took = cpuTimeOf(() => expect(usable(answer)).toBeNull());
    expect(took).toBeLessThan(1_000);
  });
});
