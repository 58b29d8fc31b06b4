import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type S3Operation = 'put' | 'get' | 'head' | 'delete' | 'list';

/**
 * `hang`: never answers. `refuse`: 403. `slow_down`: 503, as a store under load says. `die`: the connection breaks in the
 * middle of the body. `damage`: the body has one wrong byte.
 */
export type S3Fault = 'hang' | 'refuse' | 'slow_down' | 'die' | 'damage';

interface StoredObject {
  bytes: Buffer;
  readonly metadata: Readonly<Record<string, string>>;
  modified: Date;
}

/** An S3 store as far as tests need it. It refuses requests without a signature and bodies without the stated SHA-256. */
export interface S3Store {
  /** Variables that make the service use it. */
  readonly env: Readonly<Record<string, string>>;
  /** Stored objects by key, in order. */
  readonly objects: Map<string, StoredObject>;
  readonly calls: { readonly operation: S3Operation; readonly key: string }[];
  /** Requests that the client gave up. */
  abandoned: number;
  /** Called for every request: the fault to simulate, or null. */
  fault: (operation: S3Operation, key: string) => S3Fault | null;
  stop(): Promise<void>;
}

const BUCKET = 'uploads';
const KEY_ID = 'test-key';
const SIGNATURE = new RegExp(
  `^AWS4-HMAC-SHA256 Credential=${KEY_ID}/\\d{8}/eu-test-1/s3/aws4_request, SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*, Signature=[0-9a-f]{64}$`,
);
/** Objects on a page of a list; few, so that tests see several pages. */
const PAGE = 3;

const problem = (code: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>canary-of-the-store</Message></Error>`;

const header = (request: IncomingMessage, name: string): string => String(request.headers[name] ?? '');

function operationOf(method: string, key: string): S3Operation {
  if (method === 'GET') return key === '' ? 'list' : 'get';
  return method.toLowerCase() as S3Operation;
}

export async function startS3Store(): Promise<S3Store> {
  const objects = new Map<string, StoredObject>();
  const store: Omit<S3Store, 'env' | 'stop'> = { objects, calls: [], abandoned: 0, fault: () => null };

  function put(key: string, request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const digest = createHash('sha256').update(body).digest('base64');
    if (header(request, 'x-amz-checksum-sha256') !== digest) return refuse(response, 400, 'BadDigest');
    const metadata = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => name.startsWith('x-amz-meta-')),
    ) as Record<string, string>;
    objects.set(key, { bytes: body, metadata, modified: new Date() });
    response.writeHead(200).end();
  }

  function get(key: string, request: IncomingMessage, response: ServerResponse, fault: S3Fault | null): void {
    const found = objects.get(key);
    if (found === undefined) return refuse(response, 404, 'NoSuchKey');
    const [, end] = /^bytes=0-(\d+)$/.exec(header(request, 'range')) ?? [];
    const bytes = Buffer.from(end === undefined ? found.bytes : found.bytes.subarray(0, Number(end) + 1));
    if (fault === 'damage') bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
    response.writeHead(end === undefined ? 200 : 206, {
      ...found.metadata,
      'content-length': bytes.length,
      'last-modified': found.modified.toUTCString(),
    });
    if (fault === 'die') response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
    else response.end(request.method === 'HEAD' ? undefined : bytes);
  }

  function list(query: URLSearchParams, response: ServerResponse): void {
    const after = query.get('continuation-token') ?? '';
    const keys = [...objects.keys()].sort().filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after);
    const page = keys.slice(0, PAGE);
    const contents = page.map(
      (key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)?.bytes.length}</Size></Contents>`,
    );
    const next = keys.length > PAGE ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    response
      .writeHead(200, { 'content-type': 'application/xml' })
      .end(`<?xml version="1.0" encoding="UTF-8"?><ListBucketResult>${contents.join('')}${next}</ListBucketResult>`);
  }

  function answer(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://store');
    const [, bucket = '', ...rest] = pathname.split('/');
    const key = rest.join('/');
    const operation = operationOf(request.method ?? '', key);
    store.calls.push({ operation, key });
    response.once('close', () => (store.abandoned += response.writableFinished ? 0 : 1));
    const fault = store.fault(operation, key);
    if (!SIGNATURE.test(header(request, 'authorization'))) return refuse(response, 403, 'AccessDenied');
    if (bucket !== BUCKET) return refuse(response, 404, 'NoSuchBucket');
    if (fault !== null && isEnded(fault, operation, request, response)) return;
    if (operation === 'put') return put(key, request, body, response);
    if (operation === 'list') return list(searchParams, response);
    if (operation !== 'delete') return get(key, request, response, fault);
    objects.delete(key);
    response.writeHead(204).end();
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(store, {
    env: {
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_REGION: 'eu-test-1',
      S3_BUCKET: BUCKET,
      S3_PREFIX: 'school/one',
      S3_ACCESS_KEY_ID: KEY_ID,
      S3_SECRET_ACCESS_KEY: 'canary-secret',
      S3_PATH_STYLE: 'true',
      S3_TIMEOUT: '2000',
    },
    stop: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

/** Whether the fault took the place of an answer. */
function isEnded(fault: S3Fault, operation: S3Operation, request: IncomingMessage, response: ServerResponse): boolean {
  if (fault === 'refuse') refuse(response, 403, 'AccessDenied');
  else if (fault === 'slow_down') refuse(response, 503, 'SlowDown');
  else if (fault === 'die' && operation !== 'get') request.socket.destroy();
  else return fault === 'hang';
  return true;
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(problem(code));
}
