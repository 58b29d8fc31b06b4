import { setTimeout as sleep } from 'node:timers/promises';
import { nowUs } from './clock.mjs';
import { quantile } from './stats.mjs';
import { AnswerCheck, Connection } from './connection.mjs';

const summary = (latencies) => ({
  p50: quantile(latencies, 0.5) / 1e3,
  p90: quantile(latencies, 0.9) / 1e3,
  p99: quantile(latencies, 0.99) / 1e3,
});

/**
 * Every connection sends its next request when the last is answered: one after the other of a list, or always the same.
 * Ends after `seconds` or `limit` requests.
 */
export async function closedLoop({ port, request, expect, connections, seconds, limit = Infinity }) {
  const requests = [request].flat().map((text) => Buffer.from(text, 'base64'));
  let sentCount = 0;
  const latencies = [];
  let errors = 0;
  let firstError;
  const begin = nowUs();
  const end = begin + seconds * 1e6;
  let lastAnswer = begin;
  const failed = (reason) => {
    errors++;
    firstError ??= reason;
  };

  const runOne = () =>
    new Promise((resolve) => {
      const check = new AnswerCheck(expect);
      let sent = 0;
      const next = (connection) => {
        if (nowUs() >= end || latencies.length >= limit || errors > 100) {
          connection.destroy();
          return resolve();
        }
        sent = nowUs();
        connection.send(requests[sentCount++ % requests.length]);
      };
      const connection = new Connection(port, {
        onBody: (buffer, from, to) => check.onBody(buffer, from, to),
        onEnd(status, self) {
          lastAnswer = nowUs();
          const body = check.take();
          if (status === 200 && body.includes(check.expected)) latencies.push(lastAnswer - sent);
          else failed(`HTTP ${status} ${body.toString('latin1', 0, 200)}`);
          next(self);
        },
        onFail(reason) {
          failed(reason);
          resolve(errors > 100 ? undefined : runOne());
        },
      });
      next(connection);
    });

  await Promise.all(Array.from({ length: connections }, runOne));
  const elapsed = (lastAnswer - begin) / 1e6;
  return {
    count: latencies.length,
    errors,
    firstError,
    seconds: elapsed,
    rps: latencies.length / elapsed,
    ...summary(latencies),
  };
}

/** Requests leave on a fixed schedule whatever the answers do; latency counts from the scheduled moment. */
export async function openLoop({ port, request, expect, rate, seconds }) {
  const bytes = Buffer.from(request, 'base64');
  const latencies = [];
  const idle = [];
  const all = new Set();
  let errors = 0;
  let firstError;
  let open = 0;

  const fire = (scheduled) => {
    open++;
    const check = new AnswerCheck(expect);
    let settled = false;
    const settle = (reason) => {
      if (settled) return;
      settled = true;
      open--;
      if (reason === undefined) latencies.push(nowUs() - scheduled);
      else {
        errors++;
        firstError ??= reason;
      }
    };
    const handler = {
      onBody: (buffer, from, to) => check.onBody(buffer, from, to),
      onEnd(status, connection) {
        settle(check.isRight(status) ? undefined : `HTTP ${status} or a wrong answer`);
        idle.push(connection);
      },
      onFail: (reason) => settle(reason),
    };
    let connection;
    do connection = idle.pop();
    while (connection?.closed);
    if (connection) connection.handler = handler;
    else all.add((connection = new Connection(port, handler)));
    connection.send(bytes);
  };

  const total = Math.round(rate * seconds);
  const begin = nowUs() + 5000;
  for (let n = 0; n < total; n++) {
    const scheduled = begin + (n / rate) * 1e6;
    await reach(scheduled);
    fire(scheduled);
  }
  const patience = nowUs() + 10e6;
  while (open > 0 && nowUs() < patience) await sleep(5);
  if (open > 0) [errors, firstError] = [errors + open, firstError ?? 'unanswered after 10 s'];
  for (const connection of all) connection.destroy();
  return { count: latencies.length, errors, firstError, ...summary(latencies) };
}

// Timers fire up to a millisecond late, more than some servers add, so the last stretch polls the event loop.
async function reach(scheduled) {
  const early = (scheduled - nowUs()) / 1e3 - 1.2;
  if (early > 0) await sleep(early);
  while (nowUs() < scheduled) await new Promise(setImmediate);
}
