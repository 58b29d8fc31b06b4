import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Agent, type Dispatcher } from 'undici';
import { type AnswerSink, exchange } from './exchange';
import { CallDeadline } from './call-deadline';

/** A gzip header without its end, and empty stored blocks (RFC 1951 §3.2.4), which unpack to nothing. */
const HEAD = gzipSync('').subarray(0, 10);
const NOTHING = Buffer.alloc(64 * 1024 * 5, Buffer.from([0x00, 0x00, 0x00, 0xff, 0xff]));

const texts = (): AnswerSink<string> => {
  let text = '';
  return {
    take: (bytes) => void (text += bytes.toString()),
    end: () => text,
  };
};

const request = { origin: 'http://vendor.test', path: '/', method: 'POST' } as const;

describe('an answer', () => {
  const work = new AsyncLocalStorage<string>();

  it('is taken in the context of its own caller, a piece at a time, and leaves its connection to the next', async () => {
    const server = createServer((_, response) => void response.end('whole'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const connected = jest.fn();
    server.on('connection', connected);
    const agent = new Agent({ connections: 1 });
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ask = async (name: string): Promise<unknown[]> => {
      const seen: unknown[] = [];
      const sink: AnswerSink<unknown[]> = {
        done: true,
        take: async () => {
          seen.push(work.getStore());
          await new Promise((resume) => setImmediate(resume));
        },
        end: () => [...seen, work.getStore()],
      };
      const deadline = new CallDeadline(new AbortController().signal, 60_000);
      const answer = await work.run(name, () => exchange(agent, { ...request, origin }, deadline, () => sink));
      deadline.dispose();
      return answer;
    };
    expect(await ask('first')).toEqual(['first', 'first']);
    expect(await ask('second')).toEqual(['second', 'second']);
    expect(connected).toHaveBeenCalledTimes(1);
    await agent.destroy();
    server.close();
  });
});

describe('a compressed answer', () => {
  let deadline: CallDeadline;
  beforeEach(() => {
    deadline = new CallDeadline(new AbortController().signal, 60_000);
  });
  afterEach(() => deadline.dispose());

  it('waits in the socket while it arrives faster than it is unpacked', async () => {
    const told = new EventEmitter();
    const controller = { pause: () => told.emit('pause'), resume: () => told.emit('resume'), abort: () => undefined };
    const given = { handler: null as Dispatcher.DispatchHandler | null };
    const dispatcher = { dispatch: (_: object, handler: Dispatcher.DispatchHandler) => (given.handler = handler) };
    const answer = exchange(dispatcher as unknown as Dispatcher, request, deadline, texts);
    const { handler } = given;
    const socket = controller as unknown as Dispatcher.DispatchController;
    handler?.onRequestStart?.(socket, {});
    handler?.onResponseStart?.(socket, 200, { 'content-encoding': 'gzip' });
    const [paused, resumed] = [once(told, 'pause'), once(told, 'resume')];
    handler?.onResponseData?.(socket, HEAD);
    handler?.onResponseData?.(socket, NOTHING);
    await paused;
    await resumed;
    handler?.onResponseError?.(socket, new Error('gone'));
    await expect(answer).rejects.toThrow('gone');
  });

  it('has ended when its compressed part has, whatever is sent after it', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.write(Buffer.concat([gzipSync('whole'), Buffer.alloc(8)]));
      response.once('close', () => server.emit('left'));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const left = once(server, 'left');
    const agent = new Agent();
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(exchange(agent, { ...request, origin }, deadline, texts)).resolves.toBe('whole');
    await left;
    await agent.destroy();
    server.close();
  });
});
