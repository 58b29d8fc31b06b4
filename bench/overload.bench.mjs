// P27: a course that presses Enter in the same second, while streams are open. The first burst fits into the places and
// the queue; the second one does not. Every repetition starts a fresh process.
import { setTimeout as sleep } from 'node:timers/promises';
import { headline, startServer } from './lib/fleet.mjs';
import { overReps } from './lib/pairs.mjs';
import { plainTable, range } from './lib/report.mjs';
import { interleave, voids } from './lib/runner.mjs';
import { chatRequest, expected } from './lib/targets.mjs';

const NAME = 'bellwether';
const EVERY_MS = 20;
const TOKENS = 200;
/** Time that the model takes for an answer that is not streamed. */
const ANSWER_MS = 200;
/** Time after the start of the streams; all have begun by then. */
const BURST_AFTER_MS = 1_000;
/** A burst that does not fit is three times as large as the one that does. */
const EXCESS = 3;

export async function run(bench) {
  const samples = await interleave({
    bench,
    names: bench.names.filter((name) => name === NAME),
    reps: bench.scale.reps,
    extra: 1,
    measure: () => overload(bench),
  });
  return { results: results(samples, bench.scale), samples, text: table(samples), voids: voids(samples) };
}

async function overload(bench) {
  const { course, courseStreams } = bench.scale;
  const places = courseStreams + course / 5;
  const env = { RUN_COMPLETIONS: String(places), RUN_COMPLETIONS_WAITING: String(course) };
  const server = await startServer(NAME, bench, { env });
  try {
    await warm(bench, server);
    const quiet = await streams(bench, server, 0);
    const fitting = await streams(bench, server, course);
    await sleep(1_000);
    const excessive = await streams(bench, server, EXCESS * course);
    return { quiet, fitting, excessive, fault: faultOf(quiet, fitting, excessive) };
  } finally {
    await server.stop();
    await bench.mock('drop');
  }
}

async function warm({ load, mock, scale }, server) {
  const { port } = server;
  await mock('mode', {});
  const request = chatRequest(port, headline(server));
  const work = { seconds: scale.warmSeconds / 3, limit: scale.warmRequests / 3, connections: 32 };
  await load('closedLoop', { port, request, expect: expected, ...work });
}

/** Paced streams, with a burst of requests in their middle. */
async function streams({ load, mock, scale }, { port, targets }, count) {
  await mock('mode', { firstMs: EVERY_MS, intervalMs: EVERY_MS, tokens: TOKENS, delayMs: ANSWER_MS });
  const target = headline({ targets });
  const request = chatRequest(port, target, { stream: true });
  const paced = load('pacedStreams', { port, request, streams: scale.courseStreams, tokens: TOKENS, spreadMs: 500 });
  await sleep(BURST_AFTER_MS);
  const whole = chatRequest(port, target);
  const burst = count === 0 ? null : await load('burstRequests', { port, request: whole, expect: expected, count });
  return { ...(await paced), burst };
}

function faultOf(quiet, { burst: fitting }, { burst: excessive }) {
  if (quiet.bad > 0) return `${quiet.bad} bad streams without a burst: ${quiet.firstFault}`;
  if (fitting.wrong > 0) return `${fitting.wrong} wrong answers of the burst that fits: ${fitting.firstFault}`;
  if (excessive.wrong > 0) return `${excessive.wrong} wrong answers of the other burst: ${excessive.firstFault}`;
  return excessive.refused === 0 ? 'nothing was refused' : undefined;
}

const ideal = 500 + TOKENS * EVERY_MS;

function results(samples, scale) {
  const note = scale.course === 500 ? undefined : `a course of ${scale.course}`;
  const entry = (read, unit, which = 'median') => {
    const ours = overReps(samples, NAME, read);
    return { value: ours.n ? ours[which] : NaN, ours, unit, note };
  };
  return {
    'overload.refused.p99': entry(({ excessive }) => excessive.burst.refusedP99, 'ms'),
    'overload.served': entry(({ fitting }) => (100 * fitting.burst.served) / scale.course, '%', 'min'),
    'overload.pace': entry(({ excessive }) => excessive.wallMs / ideal, '×'),
    'overload.transit': entry(({ excessive }) => excessive.transitP99, 'ms'),
    'overload.bad': entry(({ fitting, excessive }) => fitting.bad + excessive.bad, undefined, 'max'),
  };
}

function table(samples) {
  const of = (read, unit) => range(overReps(samples, NAME, read), unit);
  return plainTable(
    [
      'overload',
      'served',
      'refused',
      'served p99 ms',
      'refused p50 ms',
      'refused p99 ms',
      'wall ÷ ideal',
      'transit p50 ms',
      'transit p99 ms',
    ],
    ['quiet', 'fitting', 'excessive'].map((phase) => [
      phase,
      of((sample) => sample[phase].burst?.served),
      of((sample) => sample[phase].burst?.refused),
      of((sample) => sample[phase].burst?.servedP99),
      of((sample) => sample[phase].burst?.refusedP50),
      of((sample) => sample[phase].burst?.refusedP99),
      of((sample) => sample[phase].wallMs / ideal),
      of((sample) => sample[phase].transitP50),
      of((sample) => sample[phase].transitP99),
    ]),
  );
}
