import { AppError, type ChatMessage, type JsonObject } from '@bellwether/kernel';
import type { InlineImages } from '../../vendor';
import { type RecallTurn, anthropicRequest } from './anthropic-request';

const NO_TURNS: RecallTurn = () => undefined;

interface Ask {
  readonly model?: string;
  readonly messages?: readonly ChatMessage[];
  readonly params?: JsonObject;
  readonly images?: InlineImages;
  readonly recall?: RecallTurn;
}

const request = ({
  model = 'claude-sonnet-4-5',
  messages = [{ role: 'user', content: 'Why?' }],
  params = {},
  images = new Map(),
  recall = NO_TURNS,
}: Ask = {}) => anthropicRequest({ model, messages, params }, false, images, recall);

const offered = (name: string) => ({
  type: 'function',
  function: {
    name,
    description: 'Looks it up.',
    parameters: { type: 'object', properties: { q: { type: 'string' } } },
  },
});
const call = (id: string, args = '{"q":"x"}') => ({
  id,
  type: 'function' as const,
  function: { name: 'look_up', arguments: args },
});

describe('a request to Anthropic', () => {
  it('holds nothing that was not asked for, and the length that the API requires', () =>
    expect(request()).toEqual({
      model: 'claude-sonnet-4-5',
      max_tokens: 8192,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Why?' }] }],
      stream: false,
    }));

  it.each([
    ['claude-3-haiku-20240307', {}, 4096],
    ['claude-sonnet-5-5', {}, 16_384],
    ['some-other-model', {}, 8192],
    ['claude-sonnet-4-5', { max_tokens: 7 }, 7],
    ['claude-sonnet-4-5', { max_tokens: 7, max_completion_tokens: 9 }, 9],
  ])('lets %s with %j write %i tokens', (model, params, tokens) =>
    expect(request({ model, params }).max_tokens).toBe(tokens),
  );

  it('puts system text of every place beside the conversation', () => {
    const body = request({
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Why?' },
        { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
      ],
    });
    expect(body.system).toBe('Be kind.\n\nBe brief.');
    expect(body.messages).toHaveLength(1);
  });

  it('begins with a user, alternates, and holds no empty text and no space after a begun answer', () => {
    const body = request({
      messages: [
        { role: 'assistant', content: 'Hello.' },
        { role: 'user', content: 'a' },
        {
          role: 'user',
          content: [
            { type: 'text', text: ' ' },
            { type: 'text', text: 'b' },
          ],
        },
        { role: 'assistant', content: 'Because ' },
      ],
    });
    expect(body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: '…' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Because' }] },
    ]);
  });

  it('translates sampling, stops and the client’s own thinking', () => {
    expect(request({ params: { temperature: 1.7, stop: 'END', seed: 7, n: 2, user: 'u' } })).toMatchObject({
      temperature: 1,
      stop_sequences: ['END'],
    });
    expect(request({ params: { temperature: 0, top_p: 0.5 } })).not.toHaveProperty('top_p');
    expect(request({ params: { stop: ['\n', 'x'] } }).stop_sequences).toEqual(['x']);
    const thinking = { type: 'enabled', budget_tokens: 2000 };
    const thoughtful = request({ params: { thinking, max_tokens: 100, temperature: 0 } });
    expect(thoughtful).toMatchObject({ thinking, max_tokens: 2100 });
    expect(thoughtful).not.toHaveProperty('temperature');
  });

  it.each([
    ['claude-3-5-sonnet-20241022', true],
    ['claude-sonnet-4-20250514', true],
    ['claude-opus-4-6', true],
    ['claude-opus-4-7', false],
    ['claude-opus-4-10', false],
    ['claude-haiku-5-5', false],
    ['anthropic/claude-fable-5', false],
    ['kimi-k2', true],
  ])('sends a temperature to %s: %s', (model, sent) =>
    expect('temperature' in request({ model, params: { temperature: 0.2 } })).toBe(sent),
  );

  it.each([
    [undefined, undefined, undefined],
    ['auto', undefined, { type: 'auto' }],
    ['none', undefined, { type: 'none' }],
    ['required', undefined, { type: 'any' }],
    [{ type: 'function', function: { name: 'look_up' } }, undefined, { type: 'tool', name: 'look_up' }],
    ['auto', false, { type: 'auto', disable_parallel_tool_use: true }],
    [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
  ])('offers functions with tool_choice %j, parallel %s', (tool_choice, parallel_tool_calls, choice) => {
    const body = request({ params: { tools: [offered('look_up')], tool_choice, parallel_tool_calls } });
    expect(body.tools).toEqual([
      { name: 'look_up', description: 'Looks it up.', input_schema: offered('look_up').function.parameters },
    ]);
    expect(body.tool_choice).toEqual(choice);
  });

  it('sends calls and their results back, several in one turn, in their order', () => {
    const messages: ChatMessage[] = [
      { role: 'user', content: 'Why?' },
      { role: 'assistant', content: null, tool_calls: [call('a'), call('b', 'not json')] },
      { role: 'tool', tool_call_id: 'a', content: 'One.' },
      { role: 'tool', tool_call_id: 'b', content: '' },
    ];
    const body = request({ messages, params: { tools: [offered('look_up')] } });
    expect(body.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'look_up', input: { q: 'x' } },
          { type: 'tool_use', id: 'b', name: 'look_up', input: { invalid_arguments: 'not json' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'One.' }] },
          { type: 'tool_result', tool_use_id: 'b' },
        ],
      },
    ]);
    // Without functions to call, those of the conversation are still declared.
    expect(request({ messages })).toMatchObject({
      tools: [{ name: 'look_up', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    });
  });

  it('sends thinking back with the results it led to, and asks for none where it was lost', () => {
    const kept = [
      { type: 'thinking', thinking: 'I look.', signature: 's' },
      { type: 'tool_use', id: 'a', name: 'look_up', input: { q: 'x' } },
    ];
    const messages: ChatMessage[] = [
      { role: 'user', content: 'Why?' },
      { role: 'assistant', content: null, tool_calls: [call('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'One.' },
    ];
    const params = { thinking: { type: 'enabled', budget_tokens: 1024 }, tools: [offered('look_up')] };
    const known = request({ messages, params, recall: () => kept });
    expect(known.messages[1]).toEqual({ role: 'assistant', content: kept });
    expect(known.thinking).toEqual(params.thinking);
    expect(request({ messages, params })).not.toHaveProperty('thinking');
    const others = request({ messages, params, recall: () => [...kept, { ...kept[1], id: 'b' }] });
    expect(others.messages[1]?.content).toHaveLength(1);
    for (const changed of [{ name: 'other' }, { input: { q: 'y' } }]) {
      const recall = () => kept.map((block) => (block.type === 'tool_use' ? { ...block, ...changed } : block));
      expect(request({ messages, params, recall }).messages[1]?.content).toHaveLength(1);
    }
  });

  it('sends images as their bytes, and refuses what the API does not take', () => {
    const image = { type: 'image_url', image_url: { url: 'https://images.test/a.png' } };
    const images: InlineImages = new Map([
      ['https://images.test/a.png', { mediaType: 'image/png', base64: 'iVBORw0K' }],
    ]);
    expect(request({ messages: [{ role: 'user', content: [image] }], images }).messages[0]?.content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0K' } },
    ]);
    const audio = () => request({ messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] });
    expect(audio).toThrow(AppError);
    expect(audio).toThrow(/text and images only/);
  });

  it('asks for JSON', () => {
    const schema = { type: 'object', properties: {} };
    expect(
      request({ params: { response_format: { type: 'json_schema', json_schema: { schema } } } }).output_config,
    ).toEqual({ format: { type: 'json_schema', schema } });
    expect(request({ params: { response_format: { type: 'json_object' } } }).system).toMatch(/JSON/);
  });
});

describe('the person who asks', () => {
  const request = { model: 'claude-sonnet-4-5', messages: [{ role: 'user' as const, content: 'Hi' }], params: {} };

  it('is named by the pseudonym in Anthropic’s member, and not at all without one', () => {
    const named = anthropicRequest({ ...request, pseudonym: 'p1' }, false, new Map(), () => undefined);
    expect(named.metadata).toEqual({ user_id: 'p1' });
    const unnamed = anthropicRequest({ ...request, params: { user: 'ada' } }, false, new Map(), () => undefined);
    expect(unnamed).not.toHaveProperty('metadata');
  });
});
