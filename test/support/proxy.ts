import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** PostgreSQL's message when an administrator ends a connection. */
function fatalMessage(): Buffer {
  const fields = Buffer.from(
    'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0',
    'latin1',
  );
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** ReadyForQuery, outside a transaction: the last message of a connection's start. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** True when the server has answered everything that it was sent, inside a transaction or not. */
const isAnswered = (chunk: Buffer): boolean =>
  chunk.length >= 6 &&
  chunk.subarray(-6, -1).equals(READY.subarray(0, 5)) &&
  [0x49, 0x54, 0x45].includes(chunk.at(-1) ?? 0);

/** Stands between a client and the database, whichever it is, and behaves as a failing network does. */
export class DatabaseProxy {
  private readonly pairs = new Set<[Socket, Socket]>();
  private readonly server: Server;
  private port = 0;
  private toTerminate = 0;
  private swallowing: { readonly statement: RegExp; readonly isCommit: boolean; left: number } | null = null;
  /** Answers that never arrived. */
  swallowed = 0;

  constructor(private readonly target: string) {
    this.server = createServer((socket) => this.relay(socket));
  }

  async listen(): Promise<void> {
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    const url = new URL(this.target);
    url.searchParams.delete('host');
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.toString();
  }

  /** The server is gone: connections are reset, new ones refused. */
  async die(): Promise<void> {
    this.server.close();
    this.cut();
    await once(this.server, 'close');
  }

  /** Connections are reset. */
  cut(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
  }

  /** The server has stopped without a word: nothing arrives any more. */
  freeze(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.pause();
  }

  /** The next new connections end with FATAL in the same packet that says they are ready. */
  terminateNext(count: number): void {
    this.toTerminate = count;
  }

  /** The server carries out the next statements of this text, but the connection is lost before its answer arrives. */
  swallow(statement: RegExp, times = 1): void {
    this.swallowing = { statement, isCommit: false, left: times };
  }

  /** As `swallow`, for the COMMIT of transactions with a statement of this text. */
  swallowCommit(statement: RegExp, times = 1): void {
    this.swallowing = { statement, isCommit: true, left: times };
  }

  /** Null when all is to pass on; otherwise what the answer to the chunk is waiting for. */
  private fateOf(chunk: Buffer, isArmed: boolean): 'armed' | 'muted' | null {
    const { swallowing } = this;
    if (swallowing === null || swallowing.left === 0) return null;
    const text = chunk.toString('latin1');
    if (isArmed ? !/COMMIT\0/.test(text) : !swallowing.statement.test(text)) return isArmed ? 'armed' : null;
    if (swallowing.isCommit && !isArmed) return 'armed';
    swallowing.left -= 1;
    return 'muted';
  }

  private relay(client: Socket): void {
    const isTerminated = this.toTerminate > 0;
    if (isTerminated) this.toTerminate -= 1;
    const { searchParams, hostname, port } = new URL(this.target);
    const directory = searchParams.get('host');
    const upstream = directory
      ? connect(`${directory}/.s.PGSQL.${port || '5432'}`)
      : connect(Number(port || '5432'), hostname);
    const pair: [Socket, Socket] = [client, upstream];
    this.pairs.add(pair);
    let fate: 'armed' | 'muted' | null = null;
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', (chunk: Buffer) => {
        if (isTerminated && from === upstream && chunk.subarray(-READY.length).equals(READY)) {
          to.end(Buffer.concat([chunk, fatalMessage()]));
        } else if (from === upstream && fate === 'muted') {
          if (!isAnswered(chunk)) return;
          this.swallowed += 1;
          to.destroy();
        } else {
          if (from === client && fate !== 'muted') fate = this.fateOf(chunk, fate === 'armed');
          to.write(chunk);
        }
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        to.destroy();
        this.pairs.delete(pair);
      });
    }
  }
}
