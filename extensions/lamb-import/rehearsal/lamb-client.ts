import { AppError, isJsonObject } from '@bellwether/kernel';
import type { OutboundClient, OutboundResponse } from '../../../src/infrastructure/outbound';
import { type PromptMessage, promptInAnswer } from './compare-prompts';
import { RehearsalStopped } from './rehearsal-report';
import type { Credential, RehearsalOptions } from './rehearsal.types';

/** A prompt with the files of an assistant can be long. */
const MAX_BYTES = 16 * 1024 * 1024;
const SIGN_IN_BYTES = 256 * 1024;
const ATTEMPTS = 2;
const UNAUTHORIZED = 401;
const SERVER_ERROR = 500;
const DETAIL_CHARS = 300;

type Connection = Pick<
  RehearsalOptions,
  'address' | 'isPrivateAllowed' | 'credential' | 'timeoutMs' | 'requestsPerSecond' | 'signal'
>;

export interface LambRefusal {
  readonly refused: string;
}

interface LambAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Asks a running LAMB for prompts: one request at a time, at a limited rate. */
export class LambClient {
  private token: string | null;
  private nextAt = 0;

  constructor(
    private readonly outbound: Pick<OutboundClient, 'request'>,
    private readonly connection: Connection,
  ) {
    const { credential } = connection;
    this.token = credential.kind === 'token' ? credential.token : null;
  }

  /**
   * The messages that LAMB would send to a model, or its refusal of this assistant.
   * @throws {RehearsalStopped} when LAMB does not answer as documented; {AppError} `cancelled`
   */
  async prompt(assistant: number, question: string): Promise<readonly PromptMessage[] | LambRefusal> {
    const { status, body } = await this.authorized(`/creator/assistant/${assistant}/chat/completions`, {
      messages: [{ role: 'user', content: question }],
      stream: false,
      persist_chat: false,
      debug_bypass: true,
    });
    if (status >= SERVER_ERROR) await this.assertWell(status);
    if (status >= 400) return { refused: `${status}${detailOf(body)}` };
    const messages = promptInAnswer(body);
    if (messages !== null) return messages;
    throw new RehearsalStopped(
      `LAMB answered for assistant ${assistant} without its prompt; this version may not know debug_bypass`,
    );
  }

  /** An error of one assistant is told in JSON by a LAMB that answers otherwise. */
  private async assertWell(status: number): Promise<void> {
    const other = await this.authorized('/creator/models').catch((error: unknown) => {
      if (error instanceof RehearsalStopped) return null;
      throw error;
    });
    if (other === null || other.status >= SERVER_ERROR)
      throw new RehearsalStopped(`LAMB answers with errors (HTTP ${status})`);
  }

  private async authorized(path: string, body?: unknown): Promise<LambAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      this.token ??= await this.signIn();
      const answer = await this.send(path, this.token, body);
      if (answer.status !== UNAUTHORIZED) return answer;
      if (this.connection.credential.kind === 'token')
        throw new RehearsalStopped('LAMB does not accept the token (any more); repeat the command with a new one');
      if (attempt === ATTEMPTS) throw new RehearsalStopped('LAMB refuses the token that it gave at the sign-in');
      this.token = null;
    }
  }

  private async signIn(): Promise<string> {
    const { credential } = this.connection as { credential: Extract<Credential, { kind: 'password' }> };
    const form = new URLSearchParams({ email: credential.email, password: credential.password }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    const { body, status } = await this.exchange(
      '/creator/login',
      { method: 'POST', headers, body: form },
      SIGN_IN_BYTES,
    );
    const data = isJsonObject(body) && body['success'] === true ? body['data'] : null;
    const token = isJsonObject(data) ? data['token'] : null;
    if (typeof token === 'string' && /^[\x21-\x7e]{1,8192}$/.test(token)) return token;
    throw new RehearsalStopped(`LAMB refused the sign-in of ${credential.email} (HTTP ${status}${detailOf(body)})`);
  }

  private send(path: string, token: string, body?: unknown): Promise<LambAnswer> {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
    return body === undefined
      ? this.exchange(path, { method: 'GET', headers }, MAX_BYTES)
      : this.exchange(
          path,
          { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) },
          MAX_BYTES,
        );
  }

  private async exchange(
    path: string,
    request: { method: 'GET' | 'POST'; headers: Record<string, string>; body?: string },
    maxBytes: number,
  ): Promise<LambAnswer> {
    const { address, isPrivateAllowed, timeoutMs, signal } = this.connection;
    await this.pace();
    const response = await this.outbound
      .request({ ...request, url: `${address}${path}`, timeoutMs, maxBytes, trusted: isPrivateAllowed, signal })
      .catch((error: unknown) => {
        throw stoppedBy(error, timeoutMs);
      });
    return { status: response.status, body: jsonOf(response) };
  }

  private async pace(): Promise<void> {
    const { requestsPerSecond, signal } = this.connection;
    const now = performance.now();
    const at = Math.max(now, this.nextAt);
    this.nextAt = at + 1000 / requestsPerSecond;
    await waited(at - now, signal);
    if (signal.aborted) throw new AppError('cancelled', 'The rehearsal was interrupted');
  }
}

const waited = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      done();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });

function stoppedBy(error: unknown, timeoutMs: number): unknown {
  if (!(error instanceof AppError) || error.code === 'cancelled') return error;
  if (error.code === 'upstream_timeout')
    return new RehearsalStopped(`LAMB did not answer within ${timeoutMs / 1000} seconds`);
  if (error.code === 'outbound_refused')
    return new RehearsalStopped(
      `${error.detail}: --rehearse-private allows LAMB's address, and OUTBOUND_ALLOW allows it to the whole service`,
    );
  return new RehearsalStopped(`LAMB cannot be asked: ${error.detail}`);
}

function jsonOf({ status, text }: OutboundResponse): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RehearsalStopped(
      `LAMB did not answer with JSON (HTTP ${status}${/^\s*</.test(text) ? ', a web page' : ''}); is this its address?`,
    );
  }
}

/** FastAPI's `detail`, or LAMB's `error`, as one short line. */
function detailOf(body: unknown): string {
  const said = isJsonObject(body) ? (body['detail'] ?? body['error']) : undefined;
  if (said === undefined || said === null) return '';
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  return `: ${text.replace(/\s+/g, ' ').slice(0, DETAIL_CHARS).toWellFormed()}`;
}
