import { EventEmitter, once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Heartbeat, SseStream, commentFrame } from './sse-stream';

class FakeResponse extends EventEmitter {
  readonly written: string[] = [];
  head: readonly [number, Record<string, string>] | null = null;
  destroyed = false;
  writableEnded = false;
  writableNeedDrain = false;

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
  writeHead(status: number, headers: Record<string, string>): void {
    this.head = [status, headers];
  }
  write(text: string): boolean {
    this.written.push(text);
    return !this.writableNeedDrain;
  }
  end(text?: string): void {
    if (text !== undefined) this.written.push(text);
    this.writableEnded = true;
  }
}

function open(heartbeat = new Heartbeat()) {
  const response = new FakeResponse();
  const stream = new SseStream(response as unknown as ServerResponse, heartbeat);
  stream.open({ 'X-Run-Id': 'r1' });
  stream.write('');
  return { response, stream };
}

describe('SseStream', () => {
  afterEach(() => jest.useRealTimers());

  it('sends headers that stop proxies from buffering, and a first comment at once', () => {
    const { response, stream } = open();
    expect(response.head).toEqual([
      200,
      {
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-cache, no-transform',
        'X-Accel-Buffering': 'no',
        'X-Run-Id': 'r1',
      },
    ]);
    expect(response.written).toEqual([': stream open\n\n']);
    stream.end();
  });

  it('writes what it is told in one turn in one piece, before the next frame and the end', async () => {
    const { response, stream } = open();
    stream.tell(': a\n\n');
    stream.tell(': b\n\n');
    expect(response.written).toHaveLength(1);
    await new Promise((turn) => setImmediate(turn));
    stream.tell(': c\n\n');
    stream.write('data: 1\n\n');
    stream.tell(': d\n\n');
    stream.end('data: 2\n\n');
    await new Promise((turn) => setImmediate(turn));
    expect(response.written.slice(1)).toEqual([': a\n\n: b\n\n', ': c\n\ndata: 1\n\n', ': d\n\ndata: 2\n\n']);
  });

  it('keeps a comment on one line whatever the text holds', () => {
    expect(commentFrame('a\ndata: {"x":1}\r\n\nb')).toBe(': a data: {"x":1} b\n\n');
  });

  it('beats only when the stream was quiet, and never more than 15 s apart', () => {
    jest.useFakeTimers();
    const { response, stream } = open();
    jest.advanceTimersByTime(14_999);
    expect(response.written.slice(1)).toEqual([': keep-alive\n\n']);
    stream.write('data: 1\n\n');
    jest.advanceTimersByTime(7_000);
    expect(response.written.at(-1)).toBe('data: 1\n\n');
    jest.advanceTimersByTime(7_000);
    expect(response.written.at(-1)).toBe(': keep-alive\n\n');
    stream.end();
    jest.advanceTimersByTime(60_000);
    expect(response.written.at(-1)).toBe(': keep-alive\n\n');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('does not pile heartbeats onto a reader that stopped reading', () => {
    jest.useFakeTimers();
    const { response, stream } = open();
    response.writableNeedDrain = true;
    jest.advanceTimersByTime(60_000);
    expect(response.written).toHaveLength(1);
    stream.end();
  });

  it('waits for drain, and stops waiting when the client leaves', async () => {
    const { response, stream } = open();
    response.writableNeedDrain = true;
    const waiting = stream.drained();
    response.destroyed = true;
    response.emit('close');
    await waiting;
    expect(response.listenerCount('drain')).toBe(0);
    await stream.drained();
    expect(stream.write('late')).toBe(true);
    expect(response.written).not.toContain('late');
  });

  it('cuts off a reader that takes nothing for too long', async () => {
    jest.useFakeTimers();
    const { response, stream } = open();
    response.writableNeedDrain = true;
    const waiting = stream.drained();
    jest.advanceTimersByTime(29_999);
    expect(response.destroyed).toBe(false);
    jest.advanceTimersByTime(1);
    expect(response.destroyed).toBe(true);
    await waiting;
    const patient = open();
    patient.response.writableNeedDrain = true;
    const drained = patient.stream.drained();
    patient.response.emit('drain');
    await drained;
    jest.advanceTimersByTime(60_000);
    expect(patient.response.destroyed).toBe(false);
    patient.stream.end();
  });

  it('puts the bytes on a real socket before the handler goes on', async () => {
    let answer: ServerResponse | null = null;
    const server = createServer((_request, response) => {
      answer = response;
      new SseStream(response).open();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
    const [incoming] = (await once(request, 'response')) as [IncomingMessage];
    const [bytes] = (await once(incoming, 'data')) as [Buffer];
    expect(bytes.toString()).toBe(': stream open\n\n');
    (answer as ServerResponse | null)?.end();
    server.closeAllConnections();
    server.close();
  });
});
