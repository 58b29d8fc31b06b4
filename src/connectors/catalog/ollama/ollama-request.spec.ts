import { AppError, type ChatMessage, type JsonObject } from '../../../kernel';
import { ollamaRequest } from './ollama-request';

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

  it('hands over tools, calls and their results', () => {
    const call = { id: 'c1', type: 'function' as const, function: { name: 'f', arguments: '{"a":1}' } };
    const messages: ChatMessage[] = [
      { role: 'developer', content: 'Be kind.' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', name: 'f', content: '42' },
    ];
    expect(request({ tools: [{ type: 'function' }] }, messages)).toMatchObject({
      tools: [{ type: 'function' }],
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'assistant', content: '', tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] },
        { role: 'tool', content: '42', tool_name: 'f' },
      ],
    });
    expect(request({ tools: [{}], tool_choice: 'none' })).not.toHaveProperty('tools');
  });
});
