import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { SsoBrowser } from './sso-browser';

type Claims = Readonly<Record<string, unknown>>;

export interface RegisteredClient {
  readonly client_id: string;
  readonly client_secret: string;
}

export interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
  readonly refresh_token: string;
}

interface ProviderVisit {
  /** Address that the browser is sent to in the end. */
  readonly end: string;
  readonly askedToSignIn: boolean;
}

interface Reply {
  readonly ready?: string;
  readonly id?: number;
  readonly error?: string;
}

const PROGRAM = join(__dirname, 'certified-provider.mjs');
const PATIENCE_MS = 30_000;
const MOST_STEPS = 10;
/** Of programs that read the answer themselves. */
export const PROGRAM_REDIRECT = 'http://127.0.0.1:9/answer';

/** The first form of a page. */
function formIn(html: string): { action: string; fields: Record<string, string> } {
  const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1];
  if (action === undefined) throw new Error(`No form: ${html.slice(0, 500)}`);
  const fields = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  return { action, fields: Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value])) };
}

/** `oidc-provider`, an OpenID Certified implementation, in a process of its own. It refuses to lie: for forgeries there is `OpenIdProvider`. */
export class CertifiedProvider {
  private serial = 0;
  private readonly waiting = new Map<number, (reply: Reply) => void>();

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {
    child.on('message', (reply: Reply) => this.waiting.get(reply.id ?? 0)?.(reply));
  }

  static async start(): Promise<CertifiedProvider> {
    const child = spawn(process.execPath, [PROGRAM], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    let printed = '';
    child.stderr?.on('data', (data: Buffer) => (printed += data.toString()));
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`The provider ended:\n${printed}`)));
    const ready = once(child, 'message', { signal: AbortSignal.timeout(PATIENCE_MS) });
    const [reply] = (await Promise.race([ready, ended])) as [Reply];
    ended.catch(() => undefined);
    return new CertifiedProvider(child, reply.ready ?? '');
  }

  /** The claims of a person, from now on. They sign in with this name and any password. */
  person(name: string, claims: Claims): Promise<void> {
    return this.order('person', { name, claims });
  }

  /** From now on tokens are signed with a new key, and the old one is gone. */
  rotate(): Promise<void> {
    return this.order('rotate');
  }

  /** Seconds that its clock is ahead of ours. */
  setClock(seconds: number): Promise<void> {
    return this.order('clock', { seconds });
  }

  down(): Promise<void> {
    return this.order('down');
  }

  up(): Promise<void> {
    return this.order('up');
  }

  /** OpenID Connect Dynamic Client Registration 1.0 §3.1 */
  async register(metadata: Claims): Promise<RegisteredClient> {
    const response = await fetch(`${this.url}/reg`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(metadata),
    });
    if (response.status !== 201) throw new Error(`No client: ${await response.text()}`);
    return (await response.json()) as RegisteredClient;
  }

  /** Follows the pages of the provider from an address there, as this person. Ends where it sends the browser elsewhere. */
  async visit(browser: SsoBrowser, address: string, person = ''): Promise<ProviderVisit> {
    let askedToSignIn = false;
    let page = await browser.visit(address);
    for (let step = 0; step < MOST_STEPS; step++) {
      if (page.location !== null) {
        const next = new URL(page.location, this.url);
        if (next.origin !== this.url) return { end: next.href, askedToSignIn };
        page = await browser.visit(next.href);
        continue;
      }
      const { action, fields } = formIn(page.text);
      askedToSignIn ||= fields['prompt'] === 'login';
      page = await browser.submit(action, { ...fields, login: person, password: 'any', logout: 'yes' });
    }
    throw new Error(`The provider sends nobody back: ${page.text.slice(0, 500)}`);
  }

  /** Tokens for a program of a person, who signs in at the provider first. */
  async tokens(
    client: RegisteredClient,
    person: string,
    resource: string,
    scope = 'openid email ask',
  ): Promise<Tokens> {
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      client_id: client.client_id,
      response_type: 'code',
      redirect_uri: PROGRAM_REDIRECT,
      scope,
      resource,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const { end } = await this.visit(
      new SsoBrowser({ url: PROGRAM_REDIRECT }),
      `${this.url}/auth?${query.toString()}`,
      person,
    );
    const code = new URL(end).searchParams.get('code') ?? '';
    return this.token(client, {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: PROGRAM_REDIRECT,
    });
  }

  refresh(client: RegisteredClient, { refresh_token }: Tokens): Promise<Tokens> {
    return this.token(client, { grant_type: 'refresh_token', refresh_token });
  }

  private async token({ client_id, client_secret }: RegisteredClient, form: Record<string, string>): Promise<Tokens> {
    const response = await fetch(`${this.url}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` },
      body: new URLSearchParams(form),
    });
    if (!response.ok) throw new Error(`No tokens: ${await response.text()}`);
    return (await response.json()) as Tokens;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }

  private async order(order: string, given: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const id = ++this.serial;
    const reply = await new Promise<Reply>((resolve) => {
      this.waiting.set(id, resolve);
      this.child.send({ ...given, id, order });
    });
    this.waiting.delete(id);
    if (reply.error !== undefined) throw new Error(reply.error);
  }
}
