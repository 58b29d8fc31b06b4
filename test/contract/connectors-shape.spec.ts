import { isJsonObject } from '@bellwether/kernel';
import { DEFAULT_CALL_LIMITS } from '../../src/connectors';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { BYPASS } from '../../src/connectors/catalog/bypass';
import { OLLAMA } from '../../src/connectors/catalog/ollama';
import { OPENAI } from '../../src/connectors/catalog/openai';
import type { ModelAnswer, ModelChunk } from '../../src/connectors';
import type { OutboundClient } from '../../src/infrastructure/outbound';
import ours from '../fixtures/llm/chat-completion.schema.json';
import { dataFolder } from '../support/recordings';
import { startUpstream, type Upstream, type UpstreamReply } from '../support/upstream';
import { askFor, ConnectorCaller, outboundFor, targetAt } from '../support/upstream-caller';

/** OpenAI's own API description, where the machine has one. */
const DESCRIPTION = join(dataFolder() ?? '', 'conformance/openai-chat-subset.json');
const hasDescription = dataFolder() !== null && existsSync(DESCRIPTION);

interface Shapes {
  readonly answer: ValidateFunction;
  readonly chunk: ValidateFunction;
}

function compile(schema: object, answer: string, chunk: string): Shapes {
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
  addFormats(ajv);
  ajv.addSchema(schema, 'api');
  return { answer: ajv.compile({ $ref: `api#${answer}` }), chunk: ajv.compile({ $ref: `api#${chunk}` }) };
}

/** The description still uses OpenAPI 3.0's `nullable` here and there, beside no `type`. */
const withoutNullable = (_key: string, value: unknown): unknown => {
  if (!isJsonObject(value) || value['nullable'] !== true) return value;
  const { nullable: _nullable, ...rest } = value;
  return { anyOf: [rest, { type: 'null' }] };
};

const { $id: _id, ...schema } = ours;
const SHAPES: [string, Shapes][] = [['our schema', compile(schema, '/$defs/answer', '/$defs/chunk')]];
if (hasDescription) {
  const description = JSON.parse(readFileSync(DESCRIPTION, 'utf8'), withoutNullable) as object;
  const at = '/components/schemas/CreateChatCompletion';
  SHAPES.push(['OpenAI’s description', compile(description, `${at}Response`, `${at}StreamResponse`)]);
}

const problemsOf = (validate: ValidateFunction, value: unknown): unknown[] =>
  validate(value) ? [] : (validate.errors ?? []);

describe.each(SHAPES)('answers checked with %s', (_, shapes) => {
  let upstream: Upstream;
  let outbound: OutboundClient;

  beforeAll(async () => {
    upstream = await startUpstream();
    outbound = outboundFor();
  });
  afterAll(async () => {
    await outbound.onModuleDestroy();
    await upstream.stop();
  });

  const check = (answer: ModelAnswer, chunks: readonly ModelChunk[]): void => {
    expect(problemsOf(shapes.answer, answer.body)).toEqual([]);
    for (const { data } of chunks) expect([data, problemsOf(shapes.chunk, JSON.parse(data))]).toEqual([data, []]);
  };
  const params = { stream_options: { include_usage: true } };

  it('bypass', async () => {
    const caller = new ConnectorCaller(BYPASS.connect({} as never));
    const request = askFor({ model: 'debug-bypass', params });
    check(await caller.complete(targetAt(''), request), (await caller.stream(targetAt(''), request)).chunks);
  });

  it.each<[string, UpstreamReply]>([
    ['text', { content: 'Because.' }],
    ['tool calls', { toolCalls: [{ name: 'f', arguments: '{}' }] }],
  ])('openai: %s', async (_name, reply) => {
    upstream.reset();
    upstream.expect(reply, { times: 2 });
    const caller = new ConnectorCaller(OPENAI.connect({ outbound, limits: DEFAULT_CALL_LIMITS }));
    const target = targetAt(upstream.url);
    check(await caller.complete(target, askFor({ params })), (await caller.stream(target, askFor({ params }))).chunks);
  });

  it('openai: a vendor that leaves out what is required', async () => {
    upstream.reset();
    const events = [
      '{"choices":[{"delta":{"content":"a"}}]}',
      '{"choices":[{"delta":{},"finish_reason":"stop"}]}',
      '[DONE]',
    ];
    upstream.expect({ raw: '{"choices":[{"message":{"content":"a"}}]}' });
    upstream.expect({
      raw: events.map((e) => `data: ${e}\n\n`).join(''),
      headers: { 'content-type': 'text/event-stream' },
    });
    const caller = new ConnectorCaller(OPENAI.connect({ outbound, limits: DEFAULT_CALL_LIMITS }));
    check(await caller.complete(targetAt(upstream.url)), (await caller.stream(targetAt(upstream.url))).chunks);
  });

  it('ollama', async () => {
    upstream.reset();
    const message = { role: 'assistant', content: 'a', tool_calls: [{ function: { name: 'f', arguments: {} } }] };
    upstream.always({ raw: JSON.stringify({ message, done: true, prompt_eval_count: 1, eval_count: 1 }) });
    const caller = new ConnectorCaller(OLLAMA.connect({ outbound, limits: DEFAULT_CALL_LIMITS }));
    const target = targetAt(upstream.origin);
    check(await caller.complete(target, askFor({ params })), (await caller.stream(target, askFor({ params }))).chunks);
  });
});
