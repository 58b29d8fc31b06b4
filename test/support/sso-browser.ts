import type { TestApp } from './app';

export interface Visit {
  readonly status: number;
  /** Address that the answer sends the browser to; null for none. */
  readonly location: string | null;
  readonly headers: Headers;
  readonly text: string;
}

/** A browser with a cookie jar that follows a sign-in over two hosts, one step at a time. */
export class SsoBrowser {
  readonly cookies = new Map<string, string>();

  constructor(private readonly app: Pick<TestApp, 'url'>) {}

  async visit(address: string, headers: Record<string, string> = {}): Promise<Visit> {
    const url = new URL(address, this.app.url);
    const isOwn = url.origin === new URL(this.app.url).origin;
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { ...(isOwn && cookie !== '' ? { cookie } : {}), ...headers },
    });
    if (isOwn) this.keep(response.headers);
    return {
      status: response.status,
      location: response.headers.get('location'),
      headers: response.headers,
      text: await response.text(),
    };
  }

  /** Up to the answer of the provider, which `finish` takes. */
  async begin(issuer = 'default', returnTo = '/'): Promise<string> {
    const login = await this.visit(`/auth/oidc/${issuer}/login?return_to=${encodeURIComponent(returnTo)}`);
    if (login.location === null || login.location.startsWith('/')) throw new Error(`No login: ${login.location}`);
    const answered = await this.visit(login.location);
    return answered.location ?? '';
  }

  /** The whole sign-in; where it ends. */
  async signIn(issuer = 'default', returnTo = '/'): Promise<string | null> {
    return (await this.visit(await this.begin(issuer, returnTo))).location;
  }

  async me(): Promise<any> {
    const { status, text } = await this.visit('/api/v1/me');
    return status === 200 ? JSON.parse(text) : status;
  }

  private keep(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}
