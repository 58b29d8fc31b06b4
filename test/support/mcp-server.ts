import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';

export interface McpCall {
  readonly name: string;
  readonly args: unknown;
  readonly signal: AbortSignal;
  readonly progress: (progress: number, total?: number) => Promise<void>;
}

interface Script {
  tools: readonly unknown[];
  call: (call: McpCall) => CallToolResult | Promise<CallToolResult>;
  /** Tools per page of the listing. */
  pageSize: number;
  /** Answers instead of the server when it returns true. */
  instead: (request: IncomingMessage, response: ServerResponse, body: string) => boolean;
}

/** A real MCP server made with the official SDK, with sessions, on a free port of the loopback interface. */
export class TestMcpServer {
  /** HTTP requests by method and JSON-RPC method: `POST tools/call`. */
  readonly seen: string[] = [];
  readonly authorizations: (string | undefined)[] = [];
  readonly calls: McpCall[] = [];
  readonly offered: unknown[] = [];
  private readonly sessions = new Map<string, StreamableHTTPServerTransport>();
  private readonly sockets = new Set<Socket>();
  private script: Script = DEFAULTS;
  private readonly http: HttpServer = createServer((request, response) => void this.serve(request, response));

  static async start(): Promise<TestMcpServer> {
    const server = new TestMcpServer();
    server.http.on('connection', (socket) => {
      server.sockets.add(socket);
      socket.once('close', () => server.sockets.delete(socket));
    });
    await new Promise<void>((done) => server.http.listen(0, '127.0.0.1', done));
    return server;
  }

  get port(): number {
    return (this.http.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  get openSessions(): number {
    return this.sessions.size;
  }

  plays(script: Partial<Script>): void {
    this.script = { ...DEFAULTS, ...script };
    for (const list of [this.seen, this.authorizations, this.calls, this.offered]) list.length = 0;
    this.sessions.clear();
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((done) => this.http.close(done));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request).catch(() => '');
    const message = (body === '' ? {} : JSON.parse(body)) as { method?: string; params?: { capabilities?: unknown } };
    this.seen.push(`${request.method} ${message.method ?? ''}`.trim());
    this.authorizations.push(request.headers.authorization);
    if (message.method === 'initialize') this.offered.push(message.params?.capabilities);
    if (this.script.instead(request, response, body)) return;
    const session = request.headers['mcp-session-id'];
    const transport = (typeof session === 'string' && this.sessions.get(session)) || (await this.newSession());
    await transport.handleRequest(request, response, body === '' ? undefined : message);
  }

  private async newSession(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void this.sessions.set(id, transport),
      onsessionclosed: (id) => void this.sessions.delete(id),
    });
    const server = new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
      const from = Number(params?.cursor ?? 0);
      const { tools, pageSize } = this.script;
      const more = from + pageSize < tools.length ? { nextCursor: String(from + pageSize) } : {};
      return { tools: tools.slice(from, from + pageSize) as Tool[], ...more };
    });
    server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal, _meta, sendNotification }) => {
      const progress = async (done: number, total?: number): Promise<void> => {
        const token = _meta?.progressToken;
        if (token === undefined) return;
        await sendNotification({
          method: 'notifications/progress',
          params: {
            progressToken: token,
            progress: done,
            ...(total === undefined ? {} : { total }),
            message: 'SECRET',
          },
        });
      };
      const call = { name: params.name, args: params.arguments, signal, progress };
      this.calls.push(call);
      return this.script.call(call);
    });
    await server.connect(transport);
    return transport;
  }
}

export const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

export const textTool = (name: string, more: object = {}): object => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
  ...more,
});

const DEFAULTS: Script = {
  tools: [textTool('find_book')],
  call: ({ name }) => textResult(`${name} found nothing.`),
  pageSize: 50,
  instead: () => false,
};

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}
