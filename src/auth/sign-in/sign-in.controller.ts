import { orNull } from '@bellwether/kernel';
import { Controller, Get, Head, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { type BellwetherRequest, Public } from '../../infrastructure/http';
import { unauthenticated } from '../access/credential';
import { FailedCredentials } from '../access/failed-credentials.service';
import { SessionCookie } from '../sessions/session-cookie';
import { signInContextOf } from './sign-in-links.service';
import type { OpenedSession } from './sessions.service';
import { SignInService } from './sign-in.service';

/** Page that reports a failed link. */
const REFUSED = '/sign-in?problem=link';

/** A prefetch is not a visit (Fetch, `Sec-Purpose`). */
const isGuess = ({ headers }: BellwetherRequest): boolean =>
  /prefetch|preview/i.test(`${String(headers['sec-purpose'] ?? '')} ${String(headers['purpose'] ?? '')}`);

/**
 * True when typed, pasted, opened from another program, or without a browser (Fetch Metadata, W3C). Pages may not lead
 * to a link, not even ours, which show foreign text: the reader would be signed in as another person.
 */
const isByHand = ({ headers }: BellwetherRequest): boolean =>
  (headers['sec-fetch-site'] ?? 'none') === 'none' && (headers['sec-fetch-dest'] ?? 'document') === 'document';

/** Sign-in links for browsers; not in OpenAPI. */
@ApiExcludeController()
@Controller('sign-in')
export class SignInController {
  constructor(
    private readonly signIn: SignInService,
    private readonly cookie: SessionCookie,
    private readonly failures: FailedCredentials,
  ) {}

  @Head(':token')
  @Public('A link is not used by asking whether it is there')
  look(@Res() response: Response): void {
    response.set('Cache-Control', 'no-store').status(200).end();
  }

  /** A visit uses the link: the address in the console must be enough. A person who gets it on a page pastes it. */
  @Get(':token')
  @Public('Open the session that a one-time link is for')
  async open(
    @Param('token') token: string,
    @Req() request: BellwetherRequest,
    @Res() response: Response,
  ): Promise<void> {
    response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    if (isGuess(request)) return void response.status(503).end();
    const opened = isByHand(request) ? await this.use(token, request) : null;
    if (opened !== null) this.cookie.set(response, opened.token);
    response.redirect(303, opened === null ? REFUSED : '/');
  }

  /** Null for an invalid link. @throws {AppError} `too_many_requests` after many of them */
  private async use(token: string, request: BellwetherRequest): Promise<OpenedSession | null> {
    const context = signInContextOf(request, this.cookie);
    const attempt = async (): Promise<OpenedSession> => {
      const opened = await this.signIn.openByLink(token, context);
      if (opened === null) throw unauthenticated();
      return opened;
    };
    return orNull('unauthenticated', () =>
      this.failures.watch({ address: context.ip, kind: 'sign_in', credential: token }, attempt),
    );
  }
}
