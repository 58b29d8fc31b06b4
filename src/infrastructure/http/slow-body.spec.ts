import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { cutSlowBody } from './read-json';

const requests: PassThrough[] = [];

/** A request of which `bytesASecond` arrive. */
function arriving(bytesASecond: number) {
  const socket = { bytesRead: 5_000 };
  const request = Object.assign(new PassThrough(), { socket, complete: false });
  requests.push(request);
  cutSlowBody(request as unknown as IncomingMessage);
  const pass = (seconds: number): void => {
    for (let second = 0; second < seconds; second += 1) {
      socket.bytesRead += bytesASecond;
      jest.advanceTimersByTime(1_000);
    }
  };
  return { request, pass };
}

describe('a body that arrives', () => {
  // One timer looks at the bodies of a process: this file has a copy of its own.
  beforeAll(() => jest.resetModules());
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => {
    // One timer looks at all bodies. It ends when it finds none.
    for (const request of requests.splice(0)) request.emit('close');
    jest.advanceTimersByTime(10_000);
    jest.useRealTimers();
  });

  it('slowly has ten seconds', () => {
    const { request, pass } = arriving(100);
    pass(9);
    expect(request.destroyed).toBe(false);
    pass(1);
    expect(request.destroyed).toBe(true);
  });

  it('as fast as a bad connection may take longer', () => {
    const { request, pass } = arriving(20_000);
    pass(50);
    expect(request.destroyed).toBe(false);
  });

  it('as a whole is left alone', () => {
    const { request, pass } = arriving(10);
    request.complete = true;
    pass(30);
    expect(request.destroyed).toBe(false);
  });
});
