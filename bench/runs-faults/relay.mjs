// A way to the database that can be cut and opened again.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export async function startRelay(target) {
  const { hostname, port } = new URL(target);
  const sockets = new Set();
  let listening = null;
  let ownPort = 0;
  const relay = (client) => {
    const upstream = connect(Number(port || 5432), hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ]) {
      sockets.add(from);
      from.on('data', (bytes) => to.write(bytes));
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  };
  const open = async () => {
    listening = createServer(relay).listen(ownPort, '127.0.0.1');
    await once(listening, 'listening');
    ownPort = listening.address().port;
  };
  const close = async () => {
    const closed = once(listening, 'close');
    listening.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await open();
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(ownPort);
  return { url: url.toString(), open, close };
}
