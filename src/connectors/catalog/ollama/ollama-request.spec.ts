import { AppError, type ChatMessage, type JsonObject } from '@bellwether/kernel';
import { ollamaRequest } from './ollama.connector';

const request = (params: JsonObject = {}, messages: ChatMessage[] = [{ role: 'user', content: 'Why?' }]) =>
  ollamaRequest({ model: 'llama3.2', messages, params }, true);

describe('a request to Ollama', () => {
  it('holds nothing that was not asked for', () =>
    expect(request()).toEqual({ model: 'llama3.2', messages: [{ role: 'user', content: 'Why?' }], stream: true }));

  it('puts sampling parameters under options, where they have an effect', () => {
    const params = {
      temperature: 0,
      top_p: 0.9,
      seed: 7,
      stop: ['x'],
      max_tokens: 50,
      presence_penalty: null,
      user: 'u',
    };
    expect(request(params)).toMatchObject({
      options: { temperature: 0, top_p: 0.9, seed: 7, stop: ['x'], num_predict: 50 },
    });
    expect(request(params)).not.toHaveProperty('temperature');
    expect(request(params)).not.toHaveProperty('user');
  });

  it('prefers max_completion_tokens, the newer name', () =>
    expect(request({ max_tokens: 1, max_completion_tokens: 2 })).toMatchObject({ options: { num_predict: 2 } }));

  it.each([
    [{ type: 'json_object' }, 'json'],
    [{ type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' } } }, { type: 'object' }],
    [{ type: 'text' }, undefined],
  ])('turns response_format %j into format', (response_format, format) =>
    expect(request({ response_format })['format']).toEqual(format),
  );

  it('separates text from images and sends their bytes alone', () => {
    const content = [
      { type: 'text', text: 'What' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0K' } },
      { type: 'text', text: 'is this?' },
    ];
    expect(request({}, [{ role: 'user', content }])['messages']).toEqual([
      { role: 'user', content: 'What is this?', images: ['iVBORw0K'] },
    ]);
  });

  it.each([
    { type: 'image_url', image_url: { url: 'http://169.254.169.254/latest' } },
    { type: 'image_url', image_url: { url: 'data:text/html;base64,xx' } },
    { type: 'image_url' },
    { type: 'input_audio', input_audio: {} },
  ])('refuses what it cannot send: %j', (part) => {
    const attempt = () => request({}, [{ role: 'user', content: [part] }]);
    expect(attempt).toThrow(AppError);
    expect(attempt).toThrow(/data URLs only/);
  });

  const call = (id: string, name: string, given: string) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: given },
  });

  it('hands back calls with objects for arguments, and results by the name of their function', () => {
    const messages: ChatMessage[] = [
      { role: 'developer', content: 'Be kind.' },
      { role: 'assistant', content: null, tool_calls: [call('c1', 'f', '{"a":1}'), call('c2', 'g', '')] },
      { role: 'tool', tool_call_id: 'c2', content: 'nothing' },
      { role: 'tool', tool_call_id: 'c1', content: '42' },
      { role: 'tool', tool_call_id: 'unknown', content: '?' },
    ];
    expect(request({}, messages)['messages']).toEqual([
      { role: 'system', content: 'Be kind.' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'c1', function: { name: 'f', arguments: { a: 1 } } },
          { id: 'c2', function: { name: 'g', arguments: {} } },
        ],
      },
      { role: 'tool', content: 'nothing', tool_name: 'g', tool_call_id: 'c2' },
      { role: 'tool', content: '42', tool_name: 'f', tool_call_id: 'c1' },
      { role: 'tool', content: '?', tool_call_id: 'unknown' },
    ]);
  });

  const declared = (name: string) => ({ type: 'function', function: { name, parameters: { type: 'object' } } });
  const tools = [declared('f'), declared('g'), { type: 'custom', custom: { name: 'h' } }, null];

  it.each([
    [undefined, ['f', 'g']],
    ['auto', ['f', 'g']],
    ['required', ['f', 'g']],
    [{ type: 'function', function: { name: 'g' } }, ['g']],
  ])('offers with the choice %j the functions %j', (tool_choice, names) =>
    expect(request({ tools, tool_choice })['tools']).toEqual(names.map(declared)),
  );

  it.each([
    ['the choice is none', { tools, tool_choice: 'none' }],
    ['there are none', { tools: [] }],
  ])('offers nothing when %s', (_, params) => expect(request(params)).not.toHaveProperty('tools'));
});
