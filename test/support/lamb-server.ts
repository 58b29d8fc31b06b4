import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Asked {
  readonly assistant: number;
  readonly question: string;
  readonly body: any;
  readonly authorization: string | undefined;
}

export interface LambServer {
  readonly url: string;
  readonly asked: readonly Asked[];
  readonly signIns: readonly string[];
  /** The messages that LAMB would send to a model. */
  prompt: (assistant: number, question: string) => unknown;
  /** Answers instead, when it returns true. */
  instead: (response: ServerResponse, request: IncomingMessage, assistant: number) => boolean;
  reset(): void;
  stop(): Promise<void>;
}

export const LAMB_PASSWORD = 'canary-password-of-lamb';

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
};

const json = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const NO_PROMPT: LambServer['prompt'] = () => [];
const NOTHING_INSTEAD: LambServer['instead'] = () => false;

/** Sign-in and chat of LAMB with `debug_bypass`, with scripted prompts. */
export async function startLambServer(): Promise<LambServer> {
  const asked: Asked[] = [];
  const signIns: string[] = [];
  const script = { prompt: NO_PROMPT, instead: NOTHING_INSTEAD };

  const chat = (response: ServerResponse, assistant: number, text: string, authorization: string | undefined): void => {
    const body = JSON.parse(text);
    const question = body.messages.at(-1).content;
    asked.push({ assistant, question, body, authorization });
    const messages = script.prompt(assistant, question);
    const content = `Messages:\n${JSON.stringify(messages, null, 2)}\n\nBody:\n${JSON.stringify(body, null, 2)}`;
    json(response, 200, { choices: [{ index: 0, message: { role: 'assistant', content } }], chat_id: null });
  };

  const server = createServer((request, response) => {
    void (async () => {
      const text = await bodyOf(request);
      const assistant = Number(/^\/creator\/assistant\/(\d+)\//.exec(request.url ?? '')?.[1] ?? 0);
      if (script.instead(response, request, assistant)) return;
      if (request.url === '/creator/login') {
        const form = new URLSearchParams(text);
        signIns.push(form.get('email') ?? '');
        if (form.get('password') !== LAMB_PASSWORD)
          json(response, 200, { success: false, error: 'Invalid credentials' });
        else json(response, 200, { success: true, data: { token: `token-${signIns.length}` } });
      } else if (request.url === '/creator/models') json(response, 200, { data: [] });
      else if (assistant > 0) chat(response, assistant, text, request.headers.authorization);
      else json(response, 404, { detail: 'Not Found' });
    })();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return Object.assign(script, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    signIns,
    reset: () => {
      asked.length = 0;
      signIns.length = 0;
      Object.assign(script, { prompt: NO_PROMPT, instead: NOTHING_INSTEAD });
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  });
}
