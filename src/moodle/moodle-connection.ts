import { Logger } from '@nestjs/common';
import { AppError, isJsonObject } from '../kernel';
import { traceHeaders } from '../infrastructure/context';
import type { OutboundClient } from '../infrastructure/outbound';
import type { MoodleTarget } from './moodle.types';

const TIMEOUT_MS = 8_000;
const MAX_BYTES = 4 * 1024 * 1024;
const REST = '/webservice/rest/server.php';
const ERROR_CODE = /^[a-z0-9_/:.-]{1,60}$/i;

/** Error codes for an invalid token. */
const BAD_TOKENS: ReadonlySet<string> = new Set([
  'invalidtoken',
  'accessexception_token',
  'wsaccessuserdeleted',
  'wsaccessusersuspended',
  'wsaccessuserexpired',
  'wsaccessusernologin',
  'forbiddenwstoken',
]);

/** Arguments of a web service function; an array becomes `name[0]`, `name[1]`, … */
export type MoodleArguments = Readonly<Record<string, string | number | readonly (string | number)[]>>;

/**
 * Calls web service functions (docs.moodle.org, "Web service API functions") over REST. Moodle sends errors with status 200
 * and `{"exception", "errorcode", "message"}`; the message is never passed on. Rejects with `upstream_auth` (invalid token),
 * `upstream_rejected`, `upstream_bad_response`, `upstream_error`, `upstream_timeout`, `outbound_refused` or `cancelled`.
 */
export class MoodleConnection {
  private readonly logger = new Logger('Moodle');
  private readonly url: string;

  constructor(
    private readonly outbound: Pick<OutboundClient, 'request'>,
    private readonly target: MoodleTarget,
  ) {
    const base = target.apiUrl.replace(/(?<!\/)\/+$/, '');
    this.url = base.endsWith('.php') ? base : base + REST;
  }

  async call(name: string, args: MoodleArguments, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.ask(name, args, signal);
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'internal_error';
      const { organizationId } = this.target;
      if (code !== 'cancelled')
        this.logger.warn({ msg: 'moodle call failed', organization: organizationId, name, code });
      throw error;
    }
  }

  /** The token is in the body, because servers and proxies log URLs. */
  private async ask(name: string, args: MoodleArguments, signal: AbortSignal): Promise<unknown> {
    const { token, trusted } = this.target;
    const body = new URLSearchParams({ wstoken: token, wsfunction: name, moodlewsrestformat: 'json' });
    for (const [key, value] of Object.entries(args)) {
      if (typeof value !== 'object') body.append(key, String(value));
      else for (const [index, one] of value.entries()) body.append(`${key}[${index}]`, String(one));
    }
    const { status, text } = await this.outbound.request({
      url: `${this.url}?${new URLSearchParams({ wsfunction: name, moodlewsrestformat: 'json' }).toString()}`,
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        ...traceHeaders(),
      },
      body: body.toString(),
      signal,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      trusted,
    });
    if (status !== 200) {
      const vendor = { status, message: null, request_id: null, retries: 0 };
      throw new AppError('upstream_error', `Moodle answered with status ${status}`, { vendor });
    }
    return answerOf(text);
  }
}

function answerOf(text: string): unknown {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    const vendor = { status: 200, message: null, request_id: null, retries: 0 };
    throw new AppError('upstream_bad_response', 'Moodle gave an answer that cannot be read', { vendor });
  }
  if (isJsonObject(answer) && ('exception' in answer || 'errorcode' in answer)) throw failureOf(answer.errorcode);
  return answer;
}

function failureOf(errorcode: unknown): AppError {
  const code = typeof errorcode === 'string' && ERROR_CODE.test(errorcode) ? errorcode : 'unknown';
  const vendor = { status: 200, message: code, request_id: null, retries: 0 };
  if (BAD_TOKENS.has(code))
    return new AppError('upstream_auth', `Moodle refuses the token of the organization (${code})`, { vendor });
  if (code === 'accessexception') {
    return new AppError(
      'upstream_rejected',
      'The Moodle token of the organization may not ask for this (accessexception)',
      { vendor },
    );
  }
  return new AppError('upstream_rejected', `Moodle refused the call (${code})`, { vendor });
}
