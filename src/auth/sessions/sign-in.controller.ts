import { Controller, Get, Head, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { type BellwetherRequest, Public } from '../../platform/http';
import { SessionCookie } from './session-cookie';
import { signInContextOf } from './sign-in-context';
import { SignInLinks } from './sign-in-links.service';

/** Where the page says that a link did not work. */
const REFUSED = '/sign-in?problem=link';

/** Looking ahead is not opening: browsers fetch what they guess will be wanted (Fetch, `Sec-Purpose`). */
const isGuess = ({ headers }: BellwetherRequest): boolean =>
  /prefetch|preview/i.test(`${String(headers['sec-purpose'] ?? '')} ${String(headers['purpose'] ?? '')}`);

/** Links that sign in. For people's browsers, not described by OpenAPI. */
@ApiExcludeController()
@Controller('sign-in')
export class SignInController {
  constructor(
    private readonly links: SignInLinks,
    private readonly cookie: SessionCookie,
  ) {}

  @Head(':token')
  @Public('A link is not used by asking whether it is there')
  look(@Res() response: Response): void {
    response.set('Cache-Control', 'no-store').status(200).end();
  }

  /** Another site's page must not sign somebody in; who got the link elsewhere pastes it. */
  @Get(':token')
  @Public('Open the session that a one-time link is for')
  async open(
    @Param('token') token: string,
    @Req() request: BellwetherRequest,
    @Res() response: Response,
  ): Promise<void> {
    response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    if (isGuess(request)) return void response.status(503).end();
    const isForeign = request.headers['sec-fetch-site'] === 'cross-site';
    const opened = isForeign ? null : await this.links.use(token, signInContextOf(request, this.cookie));
    if (opened !== null) this.cookie.set(response, opened.token);
    response.redirect(303, opened === null ? REFUSED : '/');
  }
}
