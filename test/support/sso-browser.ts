export interface Visit {
  readonly status: number;
  /** Address that the answer sends the browser to; null for none. */
  readonly location: string | null;
  readonly headers: Headers;
  readonly text: string;
}

/** A browser with cookies for each origin that follows a sign-in over two hosts, one step at a time. */
export class SsoBrowser {
  private readonly jars = new Map<string, Map<string, string>>();

  constructor(private readonly app: { readonly url: string }) {}

  /** Cookies of the service. */
  get cookies(): Map<string, string> {
    return this.jarOf(new URL(this.app.url).origin);
  }

  /** The session of another browser at another origin: two windows of one person. */
  adopt(other: SsoBrowser, origin: string): void {
    this.jars.set(origin, other.jarOf(origin));
  }

  visit(address: string, headers: Record<string, string> = {}): Promise<Visit> {
    return this.send(new URL(address, this.app.url), { headers });
  }

  /** A page of the service calls the API with the session of the browser. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Visit & { readonly json: any }> {
    const sent = body !== undefined && { body: JSON.stringify(body) };
    const own = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json', ...headers };
    const answer = await this.send(new URL(path, this.app.url), { method, headers: own, ...sent });
    return { ...answer, json: answer.text === '' ? undefined : JSON.parse(answer.text) };
  }

  /** A form of a page there. */
  submit(address: string, fields: Record<string, string>): Promise<Visit> {
    return this.send(new URL(address), { method: 'POST', body: new URLSearchParams(fields) });
  }

  /** Presses the button on the sign-in page. Returns the address at the provider. */
  async press(issuer = 'default', returnTo = '/'): Promise<Visit> {
    const answer = await this.send(
      new URL(`/auth/oidc/${issuer}/login?${new URLSearchParams({ return_to: returnTo }).toString()}`, this.app.url),
      {
        method: 'POST',
        headers: { 'sec-fetch-site': 'same-origin' },
      },
    );
    return answer.status === 200 ? { ...answer, location: JSON.parse(answer.text).url } : answer;
  }

  /** Up to the answer of the scripted provider, which the service finishes. */
  async begin(issuer = 'default', returnTo = '/'): Promise<string> {
    const { location, text } = await this.press(issuer, returnTo);
    if (location === null) throw new Error(`No login: ${text}`);
    return (await this.visit(location)).location ?? '';
  }

  /** The whole sign-in; where it ends. */
  async signIn(issuer = 'default', returnTo = '/'): Promise<string | null> {
    return (await this.visit(await this.begin(issuer, returnTo))).location;
  }

  async me(): Promise<any> {
    const { status, text } = await this.visit('/api/v1/me');
    return status === 200 ? JSON.parse(text) : status;
  }

  async send(url: URL, init: RequestInit): Promise<Visit> {
    const cookie = [...this.jarOf(url.origin)].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie !== '' && { cookie }), ...(init.headers as Record<string, string> | undefined) };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    this.keep(url.origin, response.headers);
    return {
      status: response.status,
      location: response.headers.get('location'),
      headers: response.headers,
      text: await response.text(),
    };
  }

  private jarOf(origin: string): Map<string, string> {
    const jar = this.jars.get(origin) ?? new Map<string, string>();
    this.jars.set(origin, jar);
    return jar;
  }

  private keep(origin: string, headers: Headers): void {
    const jar = this.jarOf(origin);
    for (const line of headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
  }
}
