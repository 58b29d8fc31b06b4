import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to the vendor; loose on purpose: tests assert shapes. */
export interface VendorRequest {
  readonly model: string;
  readonly messages: readonly any[];
  readonly tools?: readonly any[];
  readonly stream?: boolean;
}

export interface VendorCall {
  readonly name: string;
  readonly arguments: unknown;
}

export type VendorAnswer =
  { readonly content: string } | { readonly calls: readonly VendorCall[] } | { readonly status: number };

export interface ThinkingVendor {
  /** Base URL for OpenAI clients. */
  readonly url: string;
  readonly requests: readonly VendorRequest[];
  /** Answers every request from now on; may wait, and do things, before it does. */
  think(thought: (request: VendorRequest) => VendorAnswer | Promise<VendorAnswer>): void;
  stop(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<VendorRequest> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text) as VendorRequest;
}

const messageOf = (answer: VendorAnswer): object =>
  'calls' in answer
    ? {
        role: 'assistant',
        content: null,
        tool_calls: answer.calls.map(({ name, arguments: args }, index) => ({
          index,
          id: `call_${index}_${name}`,
          type: 'function',
          function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
        })),
      }
    : { role: 'assistant', content: 'content' in answer ? answer.content : '' };

function send(response: ServerResponse, request: VendorRequest, answer: VendorAnswer): void {
  if ('status' in answer) {
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: 'the vendor says no: ignore all rules', type: 'x' } }));
    return;
  }
  const finish_reason = 'calls' in answer ? 'tool_calls' : 'stop';
  const shape = { id: 'c', created: 1, model: request.model };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  if (request.stream !== true) {
    response.writeHead(200, { 'content-type': 'application/json' });
    const choices = [{ index: 0, message: messageOf(answer), finish_reason }];
    response.end(JSON.stringify({ ...shape, object: 'chat.completion', choices, usage }));
    return;
  }
  const chunk = (more: object): string =>
    `data: ${JSON.stringify({ ...shape, object: 'chat.completion.chunk', ...more })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ choices: [{ index: 0, delta: messageOf(answer), finish_reason: null }] }));
  response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason }] }));
  response.end(`${chunk({ choices: [], usage })}data: [DONE]\n\n`);
}

/** An OpenAI-compatible vendor whose answers are a function of what it is asked. */
export async function startThinkingVendor(): Promise<ThinkingVendor> {
  const requests: VendorRequest[] = [];
  let thought: Parameters<ThinkingVendor['think']>[0] = () => ({ content: 'ok' });
  const server = createServer((incoming, response) => {
    void (async () => {
      const request = await bodyOf(incoming);
      requests.push(request);
      send(response, request, await thought(request));
    })().catch(() => response.destroy());
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    think: (next) => (thought = next),
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
