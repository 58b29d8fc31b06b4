import type { TestApp } from './app';

export interface SessionAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Loose on purpose: tests assert shapes. */
  readonly json: any;
}

/** Headers of a browser's requests from the service's own pages. */
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

/** A browser as far as the service sees it: a cookie, and what `fetch` of one of its own pages says of itself. */
export class BrowserSession {
  cookie = '';

  constructor(private readonly app: Pick<TestApp, 'url'>) {}

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = OWN_PAGE,
  ): Promise<SessionAnswer> {
    const isForm = body instanceof FormData;
    const response = await fetch(this.app.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(this.cookie === '' ? {} : { cookie: this.cookie }),
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    this.keep(response.headers);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  }

  async signIn(key: string): Promise<SessionAnswer> {
    return this.send('POST', '/api/v1/session', { api_key: key });
  }

  private keep(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      this.cookie = pair.endsWith('=') ? '' : pair;
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
