import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { frame } from '../../packages/embedded-postgres/src/wire/messages';

const PATIENCE_MS = 50_000;

export interface RawMessage {
  readonly type: string;
  readonly body: Buffer;
}

const cstring = (text: string): Buffer => Buffer.from(`${text}\0`);
const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);

/** Frontend messages, one by one: what a driver never sends in this order, a test may. */
export const say = {
  query: (sql: string) => frame('Q', cstring(sql)),
  parse: (name: string, sql: string) => frame('P', cstring(name), cstring(sql), int16(0)),
  bind: (portal: string, name: string) => frame('B', cstring(portal), cstring(name), int16(0), int16(0), int16(0)),
  describeStatement: (name: string) => frame('D', Buffer.from('S'), cstring(name)),
  closeStatement: (name: string) => frame('C', Buffer.from('S'), cstring(name)),
  execute: (portal: string, rows = 0) => frame('E', cstring(portal), Buffer.from([0, 0, 0, rows])),
  flush: () => frame('H'),
  sync: () => frame('S'),
  terminate: () => frame('X'),
  copyDone: () => frame('c'),
};

export function startup(version: number, parameters: Record<string, string>): Buffer {
  const pairs = Object.entries(parameters).flatMap(([name, value]) => [cstring(name), cstring(value)]);
  const body = Buffer.concat([Buffer.alloc(8), ...pairs, Buffer.alloc(1)]);
  body.writeInt32BE(body.length, 0);
  body.writeInt32BE(version, 4);
  return body;
}

/** SSLRequest, GSSENCRequest or CancelRequest. */
export function special(code: number, ...rest: number[]): Buffer {
  const message = Buffer.alloc(8 + rest.length * 4);
  message.writeInt32BE(message.length, 0);
  [code, ...rest].forEach((value, index) => message.writeInt32BE(value, 4 + index * 4));
  return message;
}

/** A client that sends bytes and keeps what comes back. */
export class RawClient {
  private input = Buffer.alloc(0);
  private readonly received: RawMessage[] = [];
  private ended = false;

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => this.take(chunk));
    socket.on('close', () => (this.ended = true));
    socket.on('error', () => undefined);
  }

  static async open(url: string): Promise<RawClient> {
    const socket = connect(`${new URL(url).searchParams.get('host')}/.s.PGSQL.5432`);
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  static async login(url: string, parameters: Record<string, string> = {}): Promise<RawClient> {
    const client = await RawClient.open(url);
    client.send(startup(196_608, { user: 'postgres', database: 'postgres', ...parameters }));
    await client.until('Z');
    return client;
  }

  send(...messages: Buffer[]): void {
    this.socket.write(Buffer.concat(messages));
  }

  /** Everything up to and including the next message of that type. */
  async until(type: string): Promise<RawMessage[]> {
    const find = (): number => this.received.findIndex((message) => message.type === type);
    await this.wait(() => find() >= 0 || this.ended, `${type} after ${this.types()}`);
    if (find() < 0) throw new Error(`closed before ${type}: ${this.types()}`);
    return this.received.splice(0, find() + 1);
  }

  async ask(...messages: Buffer[]): Promise<RawMessage[]> {
    this.send(...messages);
    return this.until('Z');
  }

  async closed(): Promise<RawMessage[]> {
    await this.wait(() => this.ended, 'the end');
    return this.received;
  }

  private async wait(done: () => boolean, what: string): Promise<void> {
    for (const deadline = performance.now() + PATIENCE_MS; !done(); await sleep(2)) {
      if (performance.now() > deadline) throw new Error(`No sign of ${what}`);
    }
  }

  private types(): string {
    return this.received.map(({ type }) => type).join('');
  }

  private take(chunk: Buffer): void {
    this.input = Buffer.concat([this.input, chunk]);
    while (this.input.length >= 5) {
      const end = 1 + this.input.readInt32BE(1);
      if (this.input.length < end) return;
      this.received.push({ type: this.input.toString('latin1', 0, 1), body: this.input.subarray(5, end) });
      this.input = this.input.subarray(end);
    }
  }
}

export const typesOf = (messages: readonly RawMessage[]): string => messages.map(({ type }) => type).join('');

/** The first column of every row, as text. */
export const valuesOf = (messages: readonly RawMessage[]): string[] =>
  messages.filter(({ type }) => type === 'D').map(({ body }) => body.toString('utf8', 6, 6 + body.readInt32BE(2)));

/** SQLSTATE of every error. */
export const codesOf = (messages: readonly RawMessage[]): string[] =>
  messages
    .filter(({ type }) => type === 'E')
    .map(({ body }) => /\0C(\w{5})\0/.exec(body.toString('latin1'))?.[1] ?? '');

export const statusOf = (messages: readonly RawMessage[]): string => messages.at(-1)?.body.toString('latin1') ?? '';
