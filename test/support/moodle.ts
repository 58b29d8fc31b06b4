import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MoodleCall {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
  readonly url: string;
  /** Settles when the caller leaves before it was answered. */
  readonly left: Promise<void>;
}

/** Moodle's web services as far as tests need them: answers by function name; an error is an answer with status 200. */
export interface ScriptedMoodle {
  readonly url: string;
  readonly calls: MoodleCall[];
  /** Answer of a function; `hang` never answers. Functions without an answer are refused as Moodle refuses them. */
  readonly answers: Map<string, unknown>;
  /** Moodle's number of everybody, by e-mail address. */
  readonly users: Map<string, number>;
  reset(): void;
  stop(): Promise<void>;
}

export const HANG = Symbol('never answered');

export const moodleException = (errorcode: string) => ({
  exception: 'moodle_exception',
  errorcode,
  message: 'canary-of-moodle',
});

export async function startMoodle(): Promise<ScriptedMoodle> {
  const calls: MoodleCall[] = [];
  const answers = new Map<string, unknown>();
  const users = new Map<string, number>();
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { wsfunction: name = '', ...args } = Object.fromEntries(new URLSearchParams(body));
      const left = new Promise<void>((done) => response.once('close', () => !response.writableFinished && done()));
      calls.push({ name, args, url: request.url ?? '', left });
      const known = name === 'core_user_get_users_by_field' ? usersBy(users, args) : answers.get(name);
      const answer = answers.get(name) ?? known ?? moodleException('accessexception');
      if (answer === HANG) return;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answers,
    users,
    reset: () => {
      calls.length = 0;
      answers.clear();
      users.clear();
    },
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

function usersBy(users: ReadonlyMap<string, number>, args: Readonly<Record<string, string>>): unknown {
  const email = args['values[0]'] ?? '';
  const id = args['field'] === 'email' ? users.get(email) : undefined;
  return id === undefined ? [] : [{ id, email }];
}
