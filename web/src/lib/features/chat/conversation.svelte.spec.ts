import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '$lib/kit/api/client';
import { ProblemError } from '$lib/kit/api/problem';
import type { Message } from './chat.types';
import type { Exchange } from './exchange.svelte';
import { OpenConversation } from './conversation.svelte';

const message = (id: string, role: Message['role'], given: Partial<Message> = {}): Message => ({
  ...{ id, role, content: `${role} ${id}`, run_id: null, status: 'completed', error: null, sources: [], rating: null },
  versions: role === 'user' ? [id] : [],
  ...given,
});
const event = (seq: number, body: object): string =>
  `id: ${seq}\ndata: ${JSON.stringify({ run_id: 'r', seq, at: '2026-11-22T10:00:00.000Z', ...body })}\n\n`;
const WRITTEN = [
  event(1, { type: 'llm.delta', text: 'as it is written' }),
  event(2, { type: 'run.completed', finish_reason: 'stop' }),
];

/** The service: what was asked of it, and the conversation `c1` with one question and its answer. */
class Service {
  readonly asked: (readonly [string, unknown])[] = [];
  refusal: ProblemError | null = null;
  messages: readonly Message[] = [message('q1', 'user'), message('a1', 'assistant', { run_id: 'run-1' })];

  readonly post = async (path: string, { body }: { body: unknown }): Promise<object> => {
    this.asked.push([path, body]);
    if (path === '/api/v1/conversations') return { data: { id: 'new', title: '', updated_at: '' } };
    if (this.refusal !== null) throw this.refusal;
    const { content } = body as { content: string };
    const n = this.asked.length;
    const answer = message(`a${n}`, 'assistant', { content: '', run_id: `run-${n}`, status: 'running' });
    return { data: { question: message(`q${n}`, 'user', { content }), answer } };
  };
  readonly get = async (): Promise<object> => ({ data: { id: 'c1', title: 'One', messages: this.messages } });
  readonly put = async (path: string, { body }: { body: unknown }): Promise<object> => {
    this.asked.push([path, body]);
    if (this.refusal !== null) throw this.refusal;
    return this.get();
  };
  readonly del = async (path: string): Promise<object> => {
    this.asked.push([path, 'deleted']);
    return {};
  };
}

let service: Service;
let started: string[];
let answered: Exchange[];
let conversation: OpenConversation;
const textsOf = (): readonly string[] => conversation.exchanges.map(({ text }) => text);

beforeEach(() => {
  service = new Service();
  [started, answered] = [[], []];
  vi.stubGlobal(
    'fetch',
    async () => new Response(WRITTEN.join(''), { headers: { 'content-type': 'text/event-stream' } }),
  );
  vi.spyOn(api, 'POST').mockImplementation(service.post as never);
  vi.spyOn(api, 'GET').mockImplementation(service.get as never);
  vi.spyOn(api, 'PUT').mockImplementation(service.put as never);
  vi.spyOn(api, 'DELETE').mockImplementation(service.del as never);
  conversation = new OpenConversation(
    { assistantId: 7, activityId: null },
    {
      onstarted: (id) => started.push(id),
      onanswered: (exchange) => answered.push(exchange),
    },
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('a conversation', () => {
  it('begins with its first question, and says so once the service has it', async () => {
    await conversation.ask('Why?');
    expect(service.asked.map(([path]) => path)).toEqual([
      '/api/v1/conversations',
      '/api/v1/conversations/{id}/messages',
    ]);
    expect(started).toEqual(['new']);
    await vi.waitFor(() => expect(answered).toHaveLength(1));
    expect(textsOf()).toEqual(['as it is written']);
    expect(conversation.last?.status).toBe('completed');
    await conversation.ask('And then?');
    expect(service.asked.filter(([path]) => path === '/api/v1/conversations')).toHaveLength(1);
    expect(started).toEqual(['new']);
  });

  it('is read with its answers, and follows the one that is being written', async () => {
    service.messages = [
      ...service.messages,
      message('q2', 'user'),
      message('a2', 'assistant', { content: '', run_id: 'run-2', status: 'running' }),
    ];
    await conversation.open('c1');
    expect(textsOf()[0]).toBe('assistant a1');
    await vi.waitFor(() => expect(textsOf()[1]).toBe('as it is written'));
    // Only answers that were followed are announced.
    await vi.waitFor(() => expect(answered).toEqual([conversation.last]));
  });

  it('keeps a question that could not be sent, leaves no empty conversation, and sends it again', async () => {
    service.refusal = new ProblemError(429, 'rate_limited', 'Too many');
    await conversation.ask('Why?');
    expect(conversation.last).toMatchObject({ status: 'unsent', unsent: { code: 'rate_limited' } });
    expect(service.asked.at(-1)).toEqual(['/api/v1/conversations/{id}', 'deleted']);
    expect(conversation.id).toBeNull();
    service.refusal = null;
    await conversation.send(conversation.exchanges[0] as Exchange);
    await vi.waitFor(() => expect(conversation.last?.status).toBe('completed'));
    expect(started).toEqual(['new']);
  });

  it('replaces a question and what follows it; a refusal changes nothing', async () => {
    await conversation.open('c1');
    await conversation.ask('Second');
    await vi.waitFor(() => expect(conversation.isBusy).toBe(false));
    const [first] = conversation.exchanges;
    service.refusal = new ProblemError(409, 'conversation_busy', 'Busy');
    await expect(conversation.replace(first as Exchange, 'Changed')).rejects.toMatchObject({
      code: 'conversation_busy',
    });
    expect(conversation.exchanges).toHaveLength(2);
    service.refusal = null;
    await conversation.replace(first as Exchange, 'Changed');
    expect(service.asked.at(-1)?.[1]).toEqual({ content: 'Changed', replaces: 'q1' });
    expect(conversation.exchanges.map(({ content }) => content)).toEqual(['Changed']);
  });

  it('shows another version of a question; what stays is not drawn anew, and a refusal changes nothing', async () => {
    const [q1, a1] = service.messages as [Message, Message];
    service.messages = [q1, a1, message('q2', 'user', { versions: ['q2', 'q2b'] }), message('a2', 'assistant')];
    await conversation.open('c1');
    const [first] = conversation.exchanges;
    service.refusal = new ProblemError(503, 'unavailable', 'later');
    await expect(conversation.show('q2b')).rejects.toMatchObject({ code: 'unavailable' });
    expect(textsOf()).toEqual(['assistant a1', 'assistant a2']);
    service.refusal = null;
    service.messages = [q1, a1, message('q2b', 'user', { versions: ['q2', 'q2b'] }), message('a2b', 'assistant')];
    await conversation.show('q2b');
    expect(service.asked.at(-1)).toEqual(['/api/v1/conversations/{id}/branch', { question_id: 'q2b' }]);
    expect(textsOf()).toEqual(['assistant a1', 'assistant a2b']);
    expect(conversation.exchanges[0]).toBe(first);
    expect(conversation.isBusy).toBe(false);
  });

  it('forgets an answer that comes after the reader has gone to another conversation', async () => {
    const asking = conversation.ask('Why?');
    await conversation.open('c1');
    await asking;
    expect(conversation.id).toBe('c1');
    expect(started).toEqual([]);
    expect(textsOf()).toEqual(['assistant a1']);
  });
});
