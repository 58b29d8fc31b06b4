import { AppError } from '@bellwether/kernel';
import { callerOf, readChatRequest } from './chat-request';

const messages = [{ role: 'user', content: 'Hi' }];

function problemsOf(body: unknown): Record<string, string> {
  try {
    readChatRequest(body);
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation_failed') {
      return Object.fromEntries(error.problems.map(({ path, message }) => [path, message]));
    }
    throw error;
  }
  throw new Error('accepted');
}

describe('the caller of a completion', () => {
  const caller = { mayNameEndUser: 'anywhere' } as const;
  const body = { metadata: { user_id: '42', email: 'eve@uni.test' } };
  const asked = (who: object) => callerOf({ caller: who, body } as never).endUser;

  it('is whom the gateway names in a header, whatever the body adds', () => {
    const endUser = { source: 'x-openwebui-user-email', id: 'ada@uni.test' } as const;
    expect(asked({ ...caller, endUser })).toEqual(endUser);
  });

  it('is named by the body where no header names anybody, and the gateway may do so', () => {
    expect(asked(caller)).toMatchObject({ source: 'metadata.user_id', id: '42' });
    expect(asked({ mayNameEndUser: 'in_headers' })).toBeUndefined();
  });
});

describe('readChatRequest', () => {
  it('passes what the vendor knows and keeps what is ours', () => {
    const request = readChatRequest({
      model: 'lamb_assistant.1',
      messages,
      stream: true,
      verbose: true,
      stream_options: { include_usage: true, progress: 'chunk', include_obfuscation: false },
      temperature: 0,
      n: 2,
      presence_penalty: 0.5,
      user: 'u',
      metadata: { course: 'bio' },
      tools: [{ type: 'function', function: { name: 'f' } }],
      some_new_parameter: { deep: [1] },
    });
    expect(request).toEqual({
      model: 'lamb_assistant.1',
      messages,
      stream: true,
      verbose: true,
      progress: 'chunk',
      includeUsage: true,
      params: {
        stream_options: { include_usage: true, include_obfuscation: false },
        temperature: 0,
        n: 2,
        presence_penalty: 0.5,
        user: 'u',
        metadata: { course: 'bio' },
        tools: [{ type: 'function', function: { name: 'f' } }],
        some_new_parameter: { deep: [1] },
      },
    });
  });

  it('takes nulls where OpenAI does, and defaults', () => {
    const request = readChatRequest({ messages, stream: null, temperature: null, stream_options: null });
    expect(request).toMatchObject({
      model: null,
      stream: false,
      verbose: false,
      progress: 'comment',
      includeUsage: false,
    });
    expect(request.params).toEqual({ temperature: null });
  });

  it('sends no empty stream options, and none without a stream', () => {
    expect(readChatRequest({ messages, stream: true, stream_options: { progress: 'off' } }).params).toEqual({});
    expect(readChatRequest({ messages, stream_options: { include_usage: true } }).params).toEqual({});
  });

  it('takes every role and content form', () => {
    const all = [
      { role: 'developer', content: 'x' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x' },
          { type: 'image_url', image_url: { url: 'data:' } },
        ],
      },
      { role: 'user', content: [{ type: 'input_audio', input_audio: { data: '', format: 'wav' } }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '' } }],
      },
      { role: 'tool', content: 'x', tool_call_id: '1' },
    ];
    expect(readChatRequest({ messages: all }).messages).toEqual(all);
  });

  it('lists every problem with its path', () => {
    expect(
      problemsOf({
        model: 5,
        stream: 'yes',
        stream_options: { progress: 'loud' },
        temperature: 'hot',
        n: 0,
        messages: [
          { content: 'x' },
          { role: 'robot', content: 'x' },
          { role: 'user' },
          { role: 'user', content: [{ type: 'text' }] },
        ],
      }),
    ).toEqual({
      model: 'must be string',
      stream: 'must be boolean or null',
      'stream_options.progress': 'must be one of comment, chunk, status, off',
      temperature: 'must be number or null',
      n: 'must be >= 1',
      'messages[0].role': 'is required',
      'messages[1].role': 'must be one of system, developer, user, assistant, tool, function',
      'messages[2].content': 'is required',
      'messages[3].content[0].text': 'is required',
    });
  });

  it.each([[{ messages: [] }], [{ messages: 'x' }], [{}], [[]], ['x'], [null], [undefined], [7]])(
    'refuses %j',
    (body) => {
      expect(Object.keys(problemsOf(body)).length).toBeGreaterThan(0);
    },
  );

  it('takes 10,000 messages and names the limit beyond', () => {
    const many = Array.from({ length: 10_000 }, () => ({ role: 'user', content: 'x' }));
    expect(readChatRequest({ messages: many }).messages).toHaveLength(10_000);
    expect(problemsOf({ messages: [...many, many[0]] })).toEqual({ messages: 'must NOT have more than 10000 items' });
  });

  it('answers thousands of wrong messages with the first hundred', () => {
    const wrong = Array.from({ length: 5_000 }, () => ({ role: 'robot' }));
    expect(Object.keys(problemsOf({ messages: wrong }))).toHaveLength(100);
  });
});
