import { once } from 'node:events';
import { nowUs } from './clock.mjs';
import { AnswerCheck, Connection } from './connection.mjs';
import { quantile } from './stats.mjs';

/** `count` requests at the same moment, each on an open connection of its own: a course that presses Enter. */
export async function burstRequests({ port, request, expect, count, limitMs = 60_000 }) {
  const bytes = Buffer.from(request, 'base64');
  const clients = await Promise.all(Array.from({ length: count }, () => client(port, expect)));
  const begin = nowUs();
  const answers = await Promise.all(clients.map(({ ask }) => ask(bytes, begin, limitMs)));
  for (const { connection } of clients) connection.destroy();
  const refused = answers.filter(({ status }) => status === 503);
  const served = answers.filter(({ right }) => right);
  const wrong = answers.filter(({ status, right, retryAfter }) => !right && !(status === 503 && retryAfter));
  return {
    served: served.length,
    refused: refused.length,
    wrong: wrong.length,
    firstFault: wrong[0]?.reason,
    servedP99:
      quantile(
        served.map(({ us }) => us),
        0.99,
      ) / 1e3,
    refusedP50:
      quantile(
        refused.map(({ us }) => us),
        0.5,
      ) / 1e3,
    refusedP99:
      quantile(
        refused.map(({ us }) => us),
        0.99,
      ) / 1e3,
  };
}

async function client(port, expect) {
  const check = new AnswerCheck(expect);
  let settle;
  const connection = new Connection(port, {
    onBody: (buffer, from, to) => check.onBody(buffer, from, to),
    onEnd(status, { headText }) {
      const right = check.isRight(status);
      settle({ status, right, retryAfter: /\r\nretry-after: *\d/i.test(headText), reason: `HTTP ${status}` });
    },
    onFail: (reason) => settle({ status: 0, right: false, retryAfter: false, reason }),
  });
  await once(connection.socket, 'connect');
  const ask = async (bytes, begin, limitMs) => {
    const answer = new Promise((resolve) => (settle = resolve));
    const late = setTimeout(() => connection.fail(`unanswered after ${limitMs} ms`), limitMs);
    connection.send(bytes);
    const end = await answer;
    clearTimeout(late);
    return { ...end, us: nowUs() - begin };
  };
  return { connection, ask };
}
