import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { HttpAdapterHost } from '@nestjs/core';
import { EventStreamCounts } from '../../src/runs-api/run-event-streams.service';
import { RunsService } from '../../src/runs';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant } from '../support/chat';
import { flawsOf, follow, readEvents } from '../support/run-events';
import { storedRunInput } from '../support/run-process';
import { until } from '../support/until';

/** Together more than the buffers of two sockets. */
const STEPS = 64;
const STEP = 'x'.repeat(256 * 1_024);

/** Timers of `drained`, which disconnect a reader that takes nothing. */
function stallTimers(): ReadonlyMap<unknown, () => void> {
  const timers = new Map<unknown, () => void>();
  const [set, clear] = [setTimeout, clearTimeout];
  const noted = (work: (...args: unknown[]) => void, ms?: number, ...args: unknown[]): NodeJS.Timeout => {
    const timer = set(work, ms, ...args);
    if (/ drained /.test(new Error().stack ?? '')) timers.set(timer, () => work(...args));
    return timer;
  };
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(noted as typeof setTimeout);
  jest.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    timers.delete(timer);
    clear(timer);
  });
  return timers;
}

describe('a reader of run events that does not read', () => {
  let app: TestApp;
  let assistantId: number;
  let organizationId: string;

  beforeAll(async () => {
    app = await startApp();
    assistantId = await makeAssistant(app);
    organizationId = (await app.api('GET', '/api/v1/organizations/default')).json.id as string;
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => app.stop());

  /** A client that asks and then takes no byte. Resolves with the server's side of it. */
  async function stalledReader(run: string): Promise<{ response: ServerResponse; leave: () => void }> {
    const server = app.get(HttpAdapterHost).httpAdapter.getHttpServer() as Server;
    const asked = once(server, 'request') as Promise<[unknown, ServerResponse]>;
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => undefined);
    socket.write(
      `GET /api/v1/runs/${run}/events HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${app.adminKey}\r\n\r\n`,
    );
    const [, response] = await asked;
    return { response, leave: () => socket.destroy() };
  }

  it('is disconnected; the run goes on, and another reader gets every event', async () => {
    const timers = stallTimers();
    const runs = app.get(RunsService);
    const counts = app.get(EventStreamCounts);
    const input = storedRunInput({ organizationId, assistantId, userId: randomUUID() });
    const run = runs.open(input);
    const { response, leave } = await stalledReader(run.id);
    const reading = await follow(app, `${run.id}/events`);
    await until(() => counts.size === 2);

    const step = async (n: number): Promise<void> => {
      run.emit({ type: 'run.progress', message: `${n} ${STEP}` });
      // `run.started` is the first event.
      await until(() => reading.frames.length === n + 2);
    };
    for (let n = 0; n < STEPS; n++) await step(n);
    await until(() => timers.size === 1 && response.writableNeedDrain);
    expect(response.writableLength).toBeLessThan(2 * STEP.length);

    const closed = once(response, 'close');
    for (const isOverdue of timers.values()) isOverdue();
    await closed;
    await until(() => counts.size === 1);
    expect(run.signal.aborted).toBe(false);

    await step(STEPS);
    runs.finish(run, { status: 'completed' });
    await reading.ended;
    expect(flawsOf(reading.frames)).toEqual([]);
    expect(reading.frames).toHaveLength(STEPS + 3);
    await until(() => counts.size === 0);
    const replayed = await readEvents(app, `${run.id}/events`);
    expect(replayed.raw).toBe(reading.frames.map(({ raw }) => raw).join(''));
    leave();
  });
});
