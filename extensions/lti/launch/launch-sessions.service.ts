import { AppError, type Caller, orNull } from '@bellwether/kernel';
import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import {
  newSessionToken,
  RequestAuthenticator,
  scopesOf,
  sessionHashOf,
  SessionCookie,
  SessionsService,
  signInContextOf,
} from '../../../src/auth';
import { MembersService } from '../../../src/organizations';
import { withinOrganization } from '../../../src/infrastructure/database';
import type { BellwetherRequest } from '../../../src/infrastructure/http';
import { type LaunchTicket, LaunchTicketRepository } from './launch-ticket.repository';

export type { LaunchTicket };

/** Scopes of a launch: ask, and read the person's own conversations. */
const LAUNCH_SCOPES = ['chat'] as const;
/** Activities of one session. The first launches of a day leave it first. */
const MOST_ACTIVITIES = 100;

/** Sessions of launches: bound to the assistants of the activity. */
@Injectable()
export class LaunchSessions {
  constructor(
    private readonly tickets: LaunchTicketRepository,
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
    private readonly authenticator: RequestAuthenticator,
    private readonly members: MembersService,
  ) {}

  /** A code for another request; bound to the browser unless that request comes from a window without its cookies. */
  async handOver(ticket: LaunchTicket, browser: string | null): Promise<string> {
    const code = newSessionToken();
    const hashes = {
      code: sessionHashOf(code),
      browser: browser === null ? null : sessionHashOf(browser),
      spare: null,
    };
    await this.tickets.insert(hashes, ticket);
    return code;
  }

  /** A code for the browser and one for a new window without its cookies. The use of one ends both. */
  async handOverTwice(ticket: LaunchTicket, browser: string): Promise<readonly [code: string, spare: string]> {
    const [code, spare] = [newSessionToken(), newSessionToken()];
    const hashes = { code: sessionHashOf(code), browser: sessionHashOf(browser), spare: sessionHashOf(spare) };
    await this.tickets.insert(hashes, ticket);
    return [code, spare];
  }

  /** Null for a code that is unknown, used, expired or of another browser. */
  receive(
    code: string,
    browser: string | null,
    { 'sec-fetch-site': site }: IncomingHttpHeaders,
  ): Promise<LaunchTicket | null> {
    // A link on another page would sign its reader in as the author of the link.
    const isOwnPage = site === undefined || site === 'same-origin';
    return this.tickets.consume(sessionHashOf(code), browser === null ? null : sessionHashOf(browser), isOwnPage);
  }

  /**
   * Sets the cookie of the session. A session of the same person is widened by the assistants; one that is signed in
   * otherwise stays as it is.
   */
  async open(ticket: LaunchTicket, request: BellwetherRequest, response: Response): Promise<void> {
    const { organizationId, userId, assistantIds } = ticket;
    const current = await this.current(request);
    const isSame = current?.organizationId === organizationId && current.userId === userId;
    if (isSame && current.assistantIds === null) return;
    const member = await withinOrganization(organizationId, () => this.members.find(organizationId, userId));
    if (member === null) throw new AppError('unauthenticated', 'The account of this launch is gone');
    const { token } = await this.sessions.open(
      {
        organizationId,
        userId,
        apiKeyId: null,
        role: member.role,
        isVouched: true,
        scopes: assistantIds === null ? scopesOf(member.role) : LAUNCH_SCOPES,
        ...boundsOf(ticket, isSame ? current : null),
      },
      signInContextOf(request, this.cookie),
    );
    this.cookie.set(response, token, { framed: isFramed(request) });
  }

  /** The session that the browser has; null for none. */
  private current({ headers, path }: BellwetherRequest): Promise<Caller | null> {
    return orNull('unauthenticated', () =>
      this.authenticator.authenticate({ method: 'GET', path, headers: { cookie: headers.cookie ?? '' } }),
    );
  }
}

interface Bounds {
  readonly assistantIds?: readonly number[];
  readonly activityIds?: readonly string[];
}

/** Bounds of the session; none for all that its person may. Content of the session before it stays within reach. */
function boundsOf({ assistantIds, activityId }: LaunchTicket, before: Caller | null): Bounds {
  if (assistantIds === null) return {};
  const activities = [...(activityId === null ? [] : [activityId]), ...(before?.activityIds ?? [])];
  return {
    assistantIds: [...new Set([...assistantIds, ...(before?.assistantIds ?? [])])],
    activityIds: [...new Set(activities)].slice(0, MOST_ACTIVITIES),
  };
}

/** Fetch Metadata (W3C): browsers say over https where a navigation shows its page. */
export const isFramed = ({ headers }: Pick<BellwetherRequest, 'headers'>): boolean =>
  headers['sec-fetch-dest'] === 'iframe' || headers['sec-fetch-dest'] === 'frame';
