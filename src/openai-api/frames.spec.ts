import type { RunEvent, StampedRunEvent } from '@bellwether/kernel';
import { assistantIdOf, forOutsiders } from '../answering';
import type { ModelChunk } from '../connectors';
import { chunkFrame, extensionJson, progressFrame, spliced } from './stream-frames';

const identity = { id: 'chatcmpl-1', created: 1, model: 'gpt' };
const ref = { index: 0, plugin: 'simple_rag', placeholder: '1_context' } as const;
const stamped = (event: RunEvent): StampedRunEvent => ({
  run_id: 'r',
  seq: 1,
  at: '2026-01-01T00:00:00.000Z',
  ...event,
});
const started = stamped({ type: 'tool.started', ...ref, message: '🔄 Executing tool: simple_rag → 1_context' });
const failed = stamped({
  type: 'tool.failed',
  ...ref,
  code: 'tool.timeout',
  message: '❌ Tool failed: simple_rag - slow',
});

const chunk = (overrides: Partial<ModelChunk>): ModelChunk => ({
  data: '{"id":"x","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}',
  text: 'Hi',
  finishReason: null,
  usage: null,
  ...overrides,
});
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const extension = extensionJson('r', []);

describe('progress frames', () => {
  it('comment: the message as plain text', () => {
    expect(progressFrame('comment')(started, identity)).toBe(': 🔄 Executing tool: simple_rag → 1_context\n\n');
    expect(progressFrame('comment')(stamped({ type: 'prompt.ready', messages: 1, chars: 1 }), identity)).toBe('');
  });

  it('chunk: a chunk without choices that carries the event', () => {
    const frame = progressFrame('chunk')(started, identity);
    expect(JSON.parse(frame.slice(6))).toEqual({
      ...identity,
      object: 'chat.completion.chunk',
      choices: [],
      progress: started,
    });
    expect(progressFrame('chunk')(stamped({ type: 'llm.delta', text: 'x' }), identity)).toBe('');
  });

  it('writes the frames of progress mode `status`', () => {
    const frame = progressFrame('status');
    const done = stamped({
      type: 'tool.completed',
      ...ref,
      chars: 1,
      sources: 0,
      duration_ms: 1,
      cached: false,
      confidence: null,
      retries: 0,
      message: 'm',
    });
    expect([started, done, failed].map((event) => JSON.parse(frame(event, identity).slice(6)))).toEqual([
      { type: 'status', status: 'tool_call', tool: 'simple_rag', message: '🔧 Calling simple_rag...' },
      { type: 'status', status: 'tool_complete', tool: 'simple_rag', message: '✅ simple_rag completed' },
      { type: 'status', status: 'tool_error', tool: 'simple_rag', message: '❌ simple_rag failed' },
    ]);
    expect(frame(stamped({ type: 'run.progress', message: 'x' }), identity)).toBe('');
  });

  it('off: nothing', () => expect(progressFrame('off')(started, identity)).toBe(''));
});

describe('chunk frames', () => {
  it('forwards a chunk byte for byte', () => {
    const one = chunk({});
    expect(chunkFrame(one, { includeUsage: false, extension })).toBe(`data: ${one.data}\n\n`);
  });

  it('puts run and sources on the chunk with the finish reason', () => {
    const frame = chunkFrame(chunk({ finishReason: 'stop' }), { includeUsage: false, extension });
    expect(JSON.parse(frame.slice(6))).toMatchObject({ id: 'x', run_id: 'r', sources: [] });
  });

  it('keeps the usage chunk from clients that did not ask for it', () => {
    const last = chunk({ data: '{"choices": [], "usage": {}}', text: '', usage });
    expect(chunkFrame(last, { includeUsage: false, extension })).toBe('');
    expect(chunkFrame(last, { includeUsage: true, extension })).toBe(`data: ${last.data}\n\n`);
  });

  it('never drops content that comes with usage', () => {
    expect(chunkFrame(chunk({ usage }), { includeUsage: false, extension })).toContain('"Hi"');
  });

  it('splices into any object', () => {
    expect(JSON.parse(spliced('{}', '"a":1'))).toEqual({ a: 1 });
    expect(JSON.parse(spliced('{"b":{"c":"}"}} ', '"a":1'))).toEqual({ a: 1, b: { c: '}' } });
  });
});

describe('assistantIdOf', () => {
  it.each([
    ['lamb_assistant.12', 12],
    ['assistant.2147483647', 2147483647],
  ])('reads %s', (model, id) => expect(assistantIdOf(model)).toBe(id));

  it.each([
    'gpt-4o',
    'lamb_assistant.',
    'lamb_assistant.0',
    'lamb_assistant.012',
    'lamb_assistant.1e3',
    'lamb_assistant.2147483648',
    'lamb_assistant.9999999999999',
    ' lamb_assistant.1',
    'lamb_assistant.1\n',
    '',
  ])('does not know %j', (model) =>
    expect(() => assistantIdOf(model)).toThrow(expect.objectContaining({ code: 'model_not_found' })),
  );
});

describe('progress for callers of another organization', () => {
  const call = { id: 'c1', name: 'secret_function', round: 1 };
  const secret = stamped({ type: 'tool.started', ...ref, plugin: 'secret_rag', call, message: 'asking secret_rag' });

  it.each(['comment', 'chunk', 'status'] as const)('names nothing as %s', (mode) =>
    expect(progressFrame(mode)(forOutsiders(secret), identity)).not.toContain('secret'),
  );
});
