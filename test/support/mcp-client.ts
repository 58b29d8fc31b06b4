import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { TestApp } from './app';

/** The official MCP client at our door, initialised; the caller closes it. */
export async function mcpClient(app: TestApp, key: string, path = '/mcp', more: object = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(app.url + path), {
      requestInit: { headers: { authorization: `Bearer ${key}`, ...more } },
    }),
  );
  return client;
}

/** Text of a result's parts. */
export const textsOf = (result: unknown): string[] =>
  (result as { content: { type: string; text?: string }[] }).content.map(({ type, text }) => text ?? `[${type}]`);
