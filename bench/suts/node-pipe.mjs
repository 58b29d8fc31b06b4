// The limit for plain Node: a reverse proxy of node:http streams that looks at nothing.
import { Agent, createServer, request } from 'node:http';

const upstream = new URL(process.env.UPSTREAM_URL);
const agent = new Agent({ keepAlive: true, maxSockets: Infinity, noDelay: true });

const server = createServer({ noDelay: true }, (req, res) => {
  const forward = request(
    { agent, host: upstream.hostname, port: upstream.port, method: req.method, path: req.url, headers: req.headers },
    (answer) => {
      res.writeHead(answer.statusCode, answer.headers);
      answer.pipe(res);
    },
  );
  forward.on('error', () => res.destroy());
  res.on('close', () => {
    if (!res.writableFinished) forward.destroy();
  });
  req.pipe(forward);
});

server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
