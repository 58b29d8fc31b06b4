import type { TestApp } from './app';

export interface SseAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly comments: readonly string[];
  /** Payloads of `data:` lines, `[DONE]` included. */
  readonly data: readonly string[];
  /** `data` parsed, without `[DONE]`. Loose on purpose: tests assert shapes. */
  readonly chunks: readonly any[];
  /** The answer's text, put together. */
  readonly text: string;
  readonly named: number;
}

/** Asks for a stream and reads it to its end. */
export async function streamed(
  app: TestApp,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<SseAnswer> {
  const response = await fetch(app.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.adminKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ stream: true, ...body }),
  });
  const lines = (await response.text()).split('\n');
  const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6));
  const chunks = data.filter((each) => each !== '[DONE]').map((each) => JSON.parse(each));
  return {
    status: response.status,
    headers: response.headers,
    comments: lines.filter((line) => line.startsWith(':')).map((line) => line.slice(1).trim()),
    data,
    chunks,
    text: chunks.map((chunk) => chunk.choices?.[0]?.delta?.content ?? '').join(''),
    named: lines.filter((line) => line.startsWith('event:')).length,
  };
}

export const user = (content: string) => ({ role: 'user', content });

interface AssistantInput {
  readonly name?: string;
  readonly system_prompt?: string;
  readonly prompt_template?: string;
  readonly metadata?: object;
}

/** Creates an assistant through the API as the administrator and returns its id. */
export async function makeAssistant(app: TestApp, input: AssistantInput = {}): Promise<number> {
  const { metadata = {}, ...rest } = input;
  const answer = await app.api('POST', '/api/v1/assistants', {
    name: 'Tutor',
    system_prompt: 'You are kind.',
    prompt_template: 'Question: {user_input}',
    ...rest,
    metadata: { connector: 'openai', llm: 'gpt-4o-mini', ...metadata },
  });
  if (answer.status !== 201) throw new Error(`create assistant: ${answer.status} ${answer.text}`);
  return answer.json.id as number;
}

/** A multi-tool assistant's metadata over the given tools. */
export const multiTool = (tools: readonly object[], more: object = {}): object => ({
  assistant_type: 'multi_tool',
  orchestrator: 'sequential',
  connector: 'openai',
  llm: 'gpt-4o-mini',
  tools,
  ...more,
});

/** Adds a member to the organization `default` and returns the header of a key of theirs. */
export async function makeMember(
  app: TestApp,
  role: 'teacher' | 'member',
  scopes: readonly string[] = ['chat', 'read', 'write'],
  more: object = {},
): Promise<{ email: string; headers: { authorization: string } }> {
  const email = `${role}-${Math.random().toString(36).slice(2)}@example.edu`;
  const member = await app.api('POST', '/api/v1/organizations/default/members', { email, name: role, role });
  if (member.status !== 201) throw new Error(`create member: ${member.status} ${member.text}`);
  const key = await app.api('POST', '/api/v1/api-keys', { name: role, scopes, owner: email, ...more });
  if (key.status !== 201) throw new Error(`create key: ${key.status} ${key.text}`);
  return { email, headers: { authorization: `Bearer ${String(key.json.key)}` } };
}
