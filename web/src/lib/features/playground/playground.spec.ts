import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '$lib/kit/api/client';
import { session, type Me } from '$lib/app/session/session.svelte';
import { formInstance, moveQuestions } from '$lib/app/session/own-work';
import { fitted } from './pictures';
import { contentOf, Conversation } from './playground.svelte';

const event = (seq: number, body: object): string =>
  `id: ${seq}\ndata: ${JSON.stringify({ run_id: 'r', seq, at: '2026-11-22T10:00:00.000Z', ...body })}\n\n`;
const streamOf = (...events: string[]): Response =>
  new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } });

/** The service: every question starts a run `run-<n>` that says `answer <n>`. */
class Service {
  readonly asked: unknown[] = [];
  readonly streams: string[] = [];
  /** Streams that break off before the end. */
  breaks = 0;

  readonly post = async (_path: string, { body }: { body: unknown }): Promise<object> => {
    this.asked.push(body);
    const id = `run-${this.asked.length}`;
    return { data: { id, run_id: id, status: 'queued' } };
  };

  readonly fetch = async (input: string): Promise<Response> => {
    const url = new URL(input, 'http://x');
    this.streams.push(`${url.pathname}${url.search}`);
    const after = Number(url.searchParams.get('after'));
    const answer = event(1, { type: 'llm.delta', text: `answer ${url.pathname.split('-')[1]?.split('/')[0]}` });
    const end = event(2, { type: 'run.completed', finish_reason: 'stop' });
    if (this.breaks-- > 0) return streamOf(answer);
    return after === 0 ? streamOf(answer, end) : streamOf(end);
  };
}

let service: Service;
beforeEach(() => {
  service = new Service();
  sessionStorage.clear();
  vi.stubGlobal('fetch', service.fetch);
  vi.spyOn(api, 'POST').mockImplementation(service.post as never);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('a conversation', () => {
  it('asks with what was said before, without reports', async () => {
    const conversation = new Conversation(() => 7);
    await conversation.ask('one');
    await conversation.ask('look', { verbose: true });
    await conversation.ask('two');
    expect(service.asked[1]).toMatchObject({ verbose: true });
    expect(service.asked[2]).toEqual({
      messages: [
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'answer 1' },
        { role: 'user', content: 'two' },
      ],
    });
    expect(conversation.isBusy).toBe(false);
  });

  it('is there again after a reload, with its answers', async () => {
    await new Conversation(() => 7).ask('one');
    const reloaded = new Conversation(() => 7);
    reloaded.restore();
    await vi.waitFor(() => expect(reloaded.last?.live.state.status).toBe('completed'));
    expect(reloaded.exchanges.map(({ question, live }) => [question, live.state.answer])).toEqual([
      ['one', 'answer 1'],
    ]);
    expect(new Conversation(() => 8).exchanges).toEqual([]);
    reloaded.clear();
    const cleared = new Conversation(() => 7);
    cleared.restore();
    expect(cleared.exchanges).toEqual([]);
  });

  it('is not there for somebody else, nor for the same person in another organization', async () => {
    const be = (user: string, organization: string): void => {
      session.me = { user: { id: user }, organization: { id: organization } } as Me;
    };
    const seen = (): number => {
      const conversation = new Conversation(() => 7);
      conversation.restore();
      conversation.leave();
      return conversation.exchanges.length;
    };
    be('u1', 'o1');
    await new Conversation(() => 7).ask('one');
    expect(seen()).toBe(1);
    be('u2', 'o1');
    expect(seen()).toBe(0);
    be('u1', 'o2');
    expect(seen()).toBe(0);
    session.me = null;
  });

  it('of a form that is not saved is that form’s alone, and moves to the assistant that the form made', async () => {
    const form = formInstance();
    let saved: number | null = null;
    const tried = new Conversation(() => saved, form);
    await tried.ask('one');
    expect(service.asked[0]).toMatchObject({ messages: [{ role: 'user', content: 'one' }] });

    const fresh = new Conversation(() => null, formInstance());
    fresh.restore();
    await fresh.ask('fresh');
    expect(service.asked[1]).toMatchObject({ messages: [{ role: 'user', content: 'fresh' }] });

    saved = 9;
    moveQuestions(null, form, 9);
    const ofAssistant = new Conversation(() => 9);
    ofAssistant.restore();
    expect(ofAssistant.exchanges.map(({ question }) => question)).toEqual(['one']);
    await tried.ask('two');
    const later = new Conversation(() => 9);
    later.restore();
    expect(later.exchanges.map(({ question }) => question)).toEqual(['one', 'two']);
    expect(Object.keys(sessionStorage).filter((key) => key.includes(form))).toEqual([]);
  });

  it('goes on behind the last event when a stream breaks off, and says everything once', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    service.breaks = 1;
    const conversation = new Conversation(() => 7);
    await conversation.ask('one');
    expect(service.streams).toEqual(['/api/v1/runs/run-1/events?after=0', '/api/v1/runs/run-1/events?after=1']);
    expect(conversation.last?.live.state).toMatchObject({ status: 'completed', answer: 'answer 1' });
  });

  it('survives what it cannot read in its storage', () => {
    sessionStorage.setItem('bellwether.playground...7', '{"x":');
    const conversation = new Conversation(() => 7);
    conversation.restore();
    expect(conversation.exchanges).toEqual([]);
  });
});

describe('pictures', () => {
  it('are parts behind the question', () => {
    expect(contentOf('Q', [])).toBe('Q');
    expect(contentOf('', [{ name: 'a', url: 'data:image/jpeg;base64,AA' }])).toEqual([
      { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,AA' } },
    ]);
  });

  it('are made to fit, and never larger', () => {
    expect(fitted(4000, 3000)).toEqual({ width: 1280, height: 960 });
    expect(fitted(10, 5)).toEqual({ width: 10, height: 5 });
    expect(fitted(100_000, 1)).toEqual({ width: 1280, height: 1 });
  });
});
