import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Gradebook } from './gradebook';
import { type Asked, html, json, readAsked, type Reply } from './http';
import { PlatformKeys } from './keys';
import { claimsOf, type LmsLink, type LmsMessage, STUDENT } from './messages';
import { CLAIM, SCOPE } from './names';
import { coursePage, postingPage, registrationPage } from './pages';
import { Registrations } from './registrations';
import { Roster } from './roster';
import { ToolTokens, verifyToolJwt } from './tool-tokens';

/** Addresses of the tool, as the service answers them when the platform is registered. */
export interface ToolAddresses {
  readonly login_url: string;
  readonly launch_url: string;
  readonly deep_link_url: string;
  readonly jwks_url: string;
}

/** A verified answer of the tool's picker. */
export interface Selection {
  /** Loose on purpose: the tool wrote it. */
  readonly claims: Record<string, any>;
  /** Links that the course got by it. */
  readonly links: readonly LmsLink[];
}

interface Fault {
  readonly method: string | null;
  readonly path: RegExp;
  readonly reply: Reply;
  times: number;
}

const defined = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined));

/**
 * A learning platform on loopback, written after the specifications: LTI Core 1.3, Security Framework 1.0, Deep Linking 2.0,
 * NRPS 2.0, AGS 2.0, Dynamic Registration 1.0, Platform Storage 0.1. Messages and answers can be made hostile.
 */
export class LtiPlatform {
  clientId = 'bellwether-client';
  deploymentId = 'deployment-1';
  /** Differs from the address where a test says so. */
  issuerName: string | null = null;
  tool: ToolAddresses | null = null;
  readonly tokens = new ToolTokens();
  readonly roster = new Roster(() => this.url);
  readonly grades = new Gradebook(() => this.url);
  readonly registrations = new Registrations(
    () => this.url,
    () => this.issuer,
    () => ({ clientId: this.clientId, deploymentId: this.deploymentId }),
  );
  readonly asked: Asked[] = [];
  readonly selections: Selection[] = [];
  /** Why the last answer of a picker was refused. */
  selectionRefused: string | null = null;
  private readonly messages = new Map<string, LmsMessage>();
  private faults: Fault[] = [];
  private serial = 0;
  private server: Server | null = null;
  private port = 0;

  private constructor(readonly keys: PlatformKeys) {}

  static async start(): Promise<LtiPlatform> {
    const lms = new LtiPlatform(await PlatformKeys.make());
    await lms.up();
    return lms;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get issuer(): string {
    return this.issuerName ?? this.url;
  }

  /** Body with which an administrator registers this platform. */
  get registration() {
    return {
      name: 'Test LMS',
      issuer: this.issuer,
      client_id: this.clientId,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/jwks`,
      deployment_ids: [this.deploymentId],
    };
  }

  /** Address that a browser opens to send a message to the tool: its login initiation. */
  begin(message: LmsMessage = {}): string {
    const hint = `message-${++this.serial}`;
    this.messages.set(hint, message);
    const address = new URL(this.known.login_url);
    const parameters = defined({
      iss: this.issuer,
      login_hint: (message.person ?? STUDENT).sub,
      target_link_uri: this.targetOf(message),
      lti_message_hint: hint,
      client_id: this.clientId,
      lti_deployment_id: this.deploymentId,
      lti_storage_target: message.storageTarget,
      ...message.changeLogin,
    });
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    return address.href;
  }

  /** A page that shows the message in a frame; with `storage` the page keeps data for the tool. */
  courseAddress(message: LmsMessage = {}, storage = false): string {
    const start = this.begin(storage ? { storageTarget: '_parent', ...message } : message);
    return `${this.url}/course?${new URLSearchParams({ start, storage: String(storage) }).toString()}`;
  }

  /** Answers the next matching requests with `reply`. */
  fail(path: RegExp, reply: Reply, { times = Infinity, method = null as string | null } = {}): void {
    this.faults.push({ path, reply, times, method });
  }

  heal(): void {
    this.faults = [];
  }

  count(path: RegExp): number {
    return this.asked.filter((asked) => path.test(asked.path)).length;
  }

  async up(): Promise<void> {
    const server = createServer((request, response) => {
      this.serve(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
    await new Promise<void>((done) => server.listen(this.port, '127.0.0.1', done));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  async down(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (server === null) return;
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }

  private get known(): ToolAddresses {
    if (this.tool === null) throw new Error('Set `tool` first');
    return this.tool;
  }

  private targetOf({ type, targetLinkUri, link }: LmsMessage): string {
    if (targetLinkUri !== undefined) return targetLinkUri;
    return type === 'LtiDeepLinkingRequest' ? this.known.deep_link_url : (link?.url ?? this.known.launch_url);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = await readAsked(request, this.url);
    this.asked.push(asked);
    const reply = this.faultOf(asked) ?? (await this.answer(asked));
    if (reply === 'hang') return;
    if (reply === 'drop') return void request.socket.destroy();
    response.writeHead(reply.status, reply.headers);
    response.end(typeof reply.body === 'string' || reply.body === undefined ? reply.body : JSON.stringify(reply.body));
  }

  private faultOf({ method, path }: Asked): Reply | null {
    const fault = this.faults.find(
      (each) => each.times > 0 && each.path.test(path) && (each.method ?? method) === method,
    );
    if (fault === undefined) return null;
    fault.times -= 1;
    return fault.reply;
  }

  private async answer(asked: Asked): Promise<Reply> {
    const { path, query } = asked;
    if (/^\/courses\/[^/]+\/memberships$/.test(path)) {
      return this.tokens.refused(asked, SCOPE.roster) ?? this.roster.answer(asked);
    }
    if (/^\/courses\/[^/]+\/lineitems(\/|$)/.test(path)) {
      return this.tokens.refused(asked, ...gradeScopes(asked)) ?? this.grades.answer(asked);
    }
    const routes: Record<string, () => Reply | Promise<Reply>> = {
      '/jwks': () => json(200, this.keys.published),
      '/authorize': () => this.authorize(asked),
      '/token': () => this.tokens.issue(asked, this.assertionTarget),
      '/deep-link-return': () => this.selected(asked),
      '/.well-known/openid-configuration': () => this.registrations.configuration(),
      '/register': () => this.registrations.register(asked),
      '/course': () => html(coursePage(query.get('start') ?? '', query.get('storage') === 'true')),
      '/add-tool': () => html(registrationPage(this.registrations.address(query.get('address') ?? ''))),
    };
    return (await routes[path]?.()) ?? { status: 404 };
  }

  private get assertionTarget() {
    return { clientId: this.clientId, jwksUrl: this.known.jwks_url, tokenUrl: `${this.url}/token` };
  }

  /** LTI Security Framework 1.0 §5.1.1.2: the tool's authentication request, answered by a form that posts itself. */
  private async authorize({ method, query, body }: Asked): Promise<Reply> {
    const asked = new Map(method === 'POST' ? new URLSearchParams(body) : query);
    const field = (name: string): string => asked.get(name) ?? '';
    const message = this.messages.get(field('lti_message_hint'));
    if (message === undefined) return html('The message is not known: lti_message_hint', 400);
    const wrong = this.problemsOf(field, (message.person ?? STUDENT).sub);
    if (wrong.length > 0) return html(`The authentication request is wrong: ${wrong.join(', ')}`, 400);
    const fields = defined({
      id_token: await this.tokenOf(message, field('nonce')),
      state: field('state'),
      lti_storage_target: message.storageTarget,
      ...message.changeAnswer,
    });
    return html(postingPage(field('redirect_uri'), fields));
  }

  private async tokenOf(message: LmsMessage, nonce: string): Promise<string> {
    const claims = claimsOf(message, this.sender, nonce, this.targetOf(message));
    const token = await this.keys.sign(message.changeClaims?.(claims) ?? claims, message.sign);
    return (await message.forge?.(token)) ?? token;
  }

  private problemsOf(field: (name: string) => string, loginHint: string): string[] {
    const expected: Record<string, string> = {
      scope: 'openid',
      response_type: 'id_token',
      response_mode: 'form_post',
      prompt: 'none',
      client_id: this.clientId,
      login_hint: loginHint,
    };
    const { launch_url: launchUrl, deep_link_url: deepLinkUrl } = this.known;
    return [
      ...Object.entries(expected)
        .filter(([name, value]) => field(name) !== value)
        .map(([name]) => name),
      ...['nonce', 'state'].filter((name) => field(name) === ''),
      ...([launchUrl, deepLinkUrl].includes(field('redirect_uri')) ? [] : ['redirect_uri']),
    ];
  }

  private get sender() {
    return { url: this.url, issuer: this.issuer, clientId: this.clientId, deploymentId: this.deploymentId };
  }

  /** Deep Linking 2.0 §2.2: the tool's answer, posted by the browser. */
  private async selected({ body }: Asked): Promise<Reply> {
    try {
      const token = new URLSearchParams(body).get('JWT') ?? '';
      const claims = await verifyToolJwt(this.known.jwks_url, token, this.issuer);
      const wrong = [
        claims.iss === this.clientId ? '' : 'iss',
        claims[CLAIM.messageType] === 'LtiDeepLinkingResponse' ? '' : 'message_type',
        claims[CLAIM.version] === '1.3.0' ? '' : 'version',
        claims[CLAIM.deploymentId] === this.deploymentId ? '' : 'deployment_id',
        claims[CLAIM.deepLinkingData] === 'canary-data-of-the-platform' ? '' : 'data',
        typeof claims['nonce'] === 'string' ? '' : 'nonce',
      ].filter((name) => name !== '');
      if (wrong.length > 0) throw new Error(`wrong: ${wrong.join(', ')}`);
      const links = ((claims[CLAIM.contentItems] ?? []) as Record<string, any>[]).map((item) => this.addLink(item));
      this.selections.push({ claims, links });
      return html('<p id="added">Added to the course</p>');
    } catch (error) {
      this.selectionRefused = String(error);
      return html(`Refused: ${this.selectionRefused}`, 400);
    }
  }

  private addLink({ title, url, custom, lineItem }: Record<string, any>): LmsLink {
    const id = `link-${++this.serial}`;
    const made =
      lineItem === undefined
        ? undefined
        : this.grades.add('course-1', { label: title, ...lineItem, resourceLinkId: id }).id;
    return { id, title, custom, ...(url !== undefined && { url }), ...(made !== undefined && { lineItem: made }) };
  }
}

function gradeScopes({ method, path }: Asked): string[] {
  if (path.endsWith('/scores')) return [SCOPE.score];
  if (path.endsWith('/results')) return [SCOPE.result];
  return method === 'GET' ? [SCOPE.lineItem, SCOPE.lineItemRead] : [SCOPE.lineItem];
}
