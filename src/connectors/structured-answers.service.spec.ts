import { AppError, type ChatMessage } from '@bellwether/kernel';
import type { OrganizationsService } from '../organizations';
import type { ConnectorsService } from './connectors.service';
import type { ModelCallContext, ModelRequest } from './contract';
import { StructuredAnswers, type StructuredQuestion } from './structured-answers.service';

const SCHEMA = {
  type: 'object',
  properties: { colour: { type: 'string', enum: ['red', 'blue'] } },
  required: ['colour'],
  additionalProperties: false,
};
const USAGE = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const MESSAGES: ChatMessage[] = [
  { role: 'system', content: 'Name a colour.' },
  { role: 'user', content: 'The sky?' },
];

const definitionOf = (name: string, provider: string | null, capabilities: object = { functions: true }) => ({
  name,
  vendor: provider === null ? null : { name: provider },
  capabilities: { image_generation: false, ...capabilities },
});
const DEFINITIONS = [
  definitionOf('openai', 'openai'),
  definitionOf('painter', 'google', { functions: false, image_generation: true }),
  definitionOf('google', 'google', { functions: true, image_generation: true }),
  definitionOf('bypass', null, { functions: false }),
];

type Say = (request: ModelRequest, context: ModelCallContext) => Promise<string> | string;

function answersOver(say: Say, { fast = {}, auto = 'openai' }: { fast?: Record<string, string>; auto?: string } = {}) {
  const asked: { connector: string; request: ModelRequest }[] = [];
  const providers = new Map(['openai', 'google'].map((name) => [name, { name, fastModel: fast[name] ?? null }]));
  const connectors = {
    definitions: () => DEFINITIONS,
    find: (wanted: string) => DEFINITIONS.find(({ name }) => name === wanted),
    resolve: (_: string, wish: { connector: string; llm: string | null }) => {
      const definition = DEFINITIONS.find(({ name }) => name === (wish.connector === 'auto' ? auto : wish.connector));
      const connector = {
        definition,
        complete: async (request: ModelRequest, __: unknown, context: ModelCallContext) => {
          asked.push({ connector: definition?.name ?? '', request });
          return { body: {}, text: await say(request, context), finishReason: 'stop', usage: USAGE, calls: [] };
        },
      };
      return Promise.resolve({
        connector,
        target: { baseUrl: 'https://x.example' },
        model: wish.llm ?? 'default',
        provider: definition?.vendor?.name ?? null,
        warnings: wish.llm === 'gone' ? [{ code: 'connector.model_unavailable', message: 'gone is not enabled' }] : [],
      });
    },
  } as unknown as ConnectorsService;
  const organizations = { runtime: () => Promise.resolve({ id: 'o', providers }) } as unknown as OrganizationsService;
  const service = new StructuredAnswers(organizations, connectors);
  const ask = (overrides: Partial<StructuredQuestion> = {}) =>
    service.ask<{ colour: string }>({
      organizationId: 'o',
      connector: 'openai',
      messages: MESSAGES,
      schema: SCHEMA,
      name: 'colour',
      signal: new AbortController().signal,
      timeoutMs: 1_000,
      runId: 'r',
      ...overrides,
    });
  const host = (connector: string) => service.hostFor({ organizationId: 'o', connector });
  return { asked, ask, host };
}

const BLUE = '{"colour": "blue"}';

describe('asking for JSON', () => {
  it('gives the object, holding the vendor to the schema and telling it in words', async () => {
    const { asked, ask } = answersOver(() => BLUE);
    expect(await ask({ maxTokens: 50 })).toEqual({
      value: { colour: 'blue' },
      usage: USAGE,
      model: 'default',
      warnings: [],
    });
    expect(asked[0]?.request.params).toEqual({
      temperature: 0,
      max_tokens: 50,
      response_format: { type: 'json_schema', json_schema: { name: 'colour', schema: SCHEMA, strict: true } },
    });
    expect(asked[0]?.request.messages[0]?.content).toMatch(/^Name a colour\.\n\n.*JSON Schema: \{"type"/s);
  });

  it('tells that another model answers than the one that was named', async () => {
    const { ask } = answersOver(() => BLUE);
    expect(await ask({ model: 'gone' })).toMatchObject({ warnings: ['gone is not enabled'] });
  });

  it('is not strict for a schema with members that may be missing', async () => {
    const { asked, ask } = answersOver(() => BLUE);
    await ask({ schema: { ...SCHEMA, required: [] } });
    expect(asked[0]?.request.params).toMatchObject({ response_format: { json_schema: { strict: false } } });
  });

  it('tells a model once what is wrong, and counts both answers', async () => {
    const said = ['Blue!', BLUE];
    const { asked, ask } = answersOver(() => said.shift() ?? '');
    expect(await ask()).toMatchObject({ value: { colour: 'blue' }, usage: { total_tokens: 24 } });
    expect(asked[1]?.request.messages.slice(2)).toEqual([
      { role: 'assistant', content: 'Blue!' },
      { role: 'user', content: 'That cannot be used: it holds no JSON object. Reply with the JSON object alone.' },
    ]);
  });

  it('ends with an error for a model that never fits', async () => {
    const { asked, ask } = answersOver(() => '{"colour": "green"}');
    await expect(ask()).rejects.toMatchObject({ code: 'upstream_bad_response', usage: { total_tokens: 24 } });
    expect(asked).toHaveLength(2);
  });

  it('tells the tokens of the first answer when the second never comes', async () => {
    const { asked, ask } = answersOver(() => {
      if (asked.length > 1) throw new AppError('upstream_error', 'gone');
      return 'Blue!';
    });
    await expect(ask()).rejects.toMatchObject({ code: 'upstream_error', usage: USAGE });
  });

  it('asks without parameters that are refused, and remembers that', async () => {
    const { asked, ask } = answersOver(({ params }) => {
      if ('temperature' in params) throw new AppError('upstream_rejected', 'no temperature, please');
      return BLUE;
    });
    await ask();
    await ask();
    expect(asked.map(({ request }) => Object.keys(request.params).length)).toEqual([2, 0, 0]);
  });

  it('asks one organization in full what another was refused', async () => {
    const { asked, ask } = answersOver(({ params }) => {
      if (asked.length === 1 && 'temperature' in params) throw new AppError('upstream_rejected', 'not for your key');
      return BLUE;
    });
    await ask();
    await ask({ organizationId: 'other' });
    await ask();
    expect(asked.map(({ request }) => 'response_format' in request.params)).toEqual([true, false, true, false]);
  });

  it('never asks without the bound, by whichever name the model takes it', async () => {
    const { asked, ask } = answersOver(({ params }) => {
      if ('temperature' in params || 'max_tokens' in params) throw new AppError('upstream_rejected', 'no');
      return BLUE;
    });
    await ask({ maxTokens: 50 });
    await ask({ maxTokens: 60 });
    await ask();
    const [, plain, newer, ...remembered] = asked.map(({ request }) => request.params);
    expect([plain, newer]).toEqual([{ max_tokens: 50 }, { max_completion_tokens: 50 }]);
    expect(remembered).toEqual([{ max_completion_tokens: 60 }, {}]);
  });

  it('remembers nothing of a model that refuses everything', async () => {
    let refuses = true;
    const { asked, ask } = answersOver(() => {
      if (refuses) throw new AppError('upstream_rejected', 'no');
      return BLUE;
    });
    await expect(ask()).rejects.toMatchObject({ code: 'upstream_rejected' });
    refuses = false;
    await ask();
    expect(asked.at(-1)?.request.params).toHaveProperty('response_format');
  });

  it('passes other failures on', async () => {
    const { ask } = answersOver(() => Promise.reject(new AppError('upstream_auth', 'The key was refused')));
    await expect(ask()).rejects.toMatchObject({ code: 'upstream_auth' });
  });

  it('ends at its time limit and with its caller', async () => {
    const hang: Say = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        const end = () => reject(new AppError('cancelled', 'Cancelled'));
        if (signal.aborted) end();
        else signal.addEventListener('abort', end);
      });
    await expect(answersOver(hang).ask({ timeoutMs: 5 })).rejects.toMatchObject({ code: 'upstream_timeout' });
    const gone = new AbortController();
    const asking = answersOver(hang).ask({ signal: gone.signal });
    gone.abort();
    await expect(asking).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('the destination of a question', () => {
  it('is a host, or nowhere', async () => {
    const { host } = answersOver(() => BLUE);
    expect(await host('openai')).toBe('x.example');
    expect(await answersOver(() => BLUE, { auto: 'bypass' }).host('auto')).toBeNull();
  });
});

describe('who is asked', () => {
  it.each([
    ['the model that is named', { connector: 'openai', model: 'big' }, { openai: 'nano' }, ['openai', 'big']],
    [
      'the fast model of the connector',
      { connector: 'google' },
      { openai: 'nano', google: 'flash' },
      ['google', 'flash'],
    ],
    ['its default without one', { connector: 'google', model: null }, { openai: 'nano' }, ['google', 'default']],
    ['a connector that writes, for one that paints', { connector: 'painter' }, {}, ['google', 'default']],
    ['whoever is there, for one without a vendor', { connector: 'bypass' }, { openai: 'nano' }, ['openai', 'nano']],
    ['whoever is there, for an unknown one', { connector: 'gone' }, {}, ['openai', 'default']],
  ])('%s', async (_, question, fast, [connector, model]) => {
    const { asked, ask } = answersOver(() => BLUE, { fast });
    await ask(question);
    expect(asked).toMatchObject([{ connector, request: { model } }]);
  });

  it('any fast model where no default can answer, else nobody', async () => {
    const { asked, ask } = answersOver(() => BLUE, { auto: 'bypass', fast: { google: 'flash' } });
    await ask({ connector: 'auto' });
    expect(asked).toMatchObject([{ connector: 'google', request: { model: 'flash' } }]);
    const nobody = answersOver(() => BLUE, { auto: 'bypass' }).ask();
    await expect(nobody).resolves.toBeDefined();
    await expect(answersOver(() => BLUE, { auto: 'bypass' }).ask({ connector: 'auto' })).rejects.toMatchObject({
      code: 'connector_not_configured',
    });
  });
});
