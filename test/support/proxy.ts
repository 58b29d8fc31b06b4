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

/** Stands between a client and the database, whichever it is, and behaves as a failing network does. */
export class DatabaseProxy {
  private readonly pairs = new Set<[Socket, Socket]>();
  private readonly server: Server;
  private port = 0;
  private toTerminate = 0;

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
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', (chunk: Buffer) => {
        if (isTerminated && from === upstream && chunk.subarray(-READY.length).equals(READY)) {
          to.end(Buffer.concat([chunk, fatalMessage()]));
        } else to.write(chunk);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        to.destroy();
        this.pairs.delete(pair);
      });
    }
  }
}
