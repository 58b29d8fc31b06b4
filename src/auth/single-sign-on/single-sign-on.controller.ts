import { Body, Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { AppError, isJsonObject, notFound } from '../../kernel';
import { type BellwetherRequest, Public } from '../../platform/http';
import { Issuers } from '../issuers/issuers.service';
import { saysSameOrigin } from '../sessions/same-origin';
import { SessionCookie } from '../sessions/session-cookie';
import { newSessionToken } from '../sessions/session-token';
import { signInContextOf } from '../sign-in/sign-in-context';
import { ownPath } from './attempt';
import { AttemptCookie } from './attempt-cookie';
import { FailedSignOn, type FinishedSignOn, SingleSignOn } from './single-sign-on.service';
import { Trials } from './trials.service';

const PICTURE = /^data:(image\/(?:png|jpeg|webp|gif));base64,(.+)$/;
/** Longest outcome of a trial in an address. */
const MOST_FRAGMENT = 12_000;

/** Addresses that browsers and OpenID providers visit. Not described by OpenAPI. */
@ApiExcludeController()
@Controller('auth/oidc/:issuer')
export class SingleSignOnController {
  constructor(
    private readonly signOn: SingleSignOn,
    private readonly issuers: Issuers,
    private readonly trials: Trials,
    private readonly attempt: AttemptCookie,
    private readonly cookie: SessionCookie,
  ) {}

  @Get('login')
  @Public('Go to the institution to sign in')
  async login(
    @Param('issuer') issuer: string,
    @Req() request: BellwetherRequest,
    @Res() response: Response,
  ): Promise<void> {
    const browser = { token: this.attempt.ensure(request.headers, response), origin: this.originOf(request) };
    const returnTo = ownPath(request.query['return_to']);
    await this.redirect(response, () => this.signOn.begin(issuer, returnTo, browser));
  }

  @Get('callback')
  @Public('The answer of the institution')
  async callback(
    @Param('issuer') issuer: string,
    @Req() request: BellwetherRequest,
    @Res() response: Response,
  ): Promise<void> {
    // Without the cookie no attempt is found, whatever `state` says.
    const token = this.attempt.tokenOf(request.headers) ?? newSessionToken();
    const browser = { token, origin: this.originOf(request) };
    await this.redirect(response, async () => {
      const answer = new URL(request.originalUrl, 'http://own.invalid').searchParams;
      const finished = await this.signOn.finish(issuer, answer, browser, signInContextOf(request, this.cookie));
      if (finished.opened !== null) this.cookie.set(response, finished.opened.token);
      return this.addressAfter(finished);
    });
  }

  /** A link on our pages. Other pages could only sign somebody out, and are refused. */
  @Get('logout')
  @Public('Sign out here and at the institution')
  async logout(
    @Param('issuer') issuer: string,
    @Req() request: BellwetherRequest,
    @Res() response: Response,
  ): Promise<void> {
    if (saysSameOrigin(request.headers, this.cookie.own) === false) {
      throw new AppError('forbidden', 'This request does not come from a page of this service');
    }
    const context = signInContextOf(request, this.cookie);
    const ended = this.signOn.end(issuer, context.replaces, this.originOf(request), context);
    await this.redirect(response, async () => {
      const address = await ended;
      this.cookie.clear(response);
      response.setHeader('Clear-Site-Data', '"cache"');
      return address ?? '/sign-in';
    });
  }

  /** OpenID Connect Back-Channel Logout 1.0 §2.5 */
  @Post('backchannel-logout')
  @HttpCode(200)
  @Public('The institution says that somebody signed out')
  async backchannelLogout(@Param('issuer') issuer: string, @Body() body: unknown): Promise<void> {
    const token = isJsonObject(body) ? body['logout_token'] : undefined;
    if (typeof token !== 'string') throw new AppError('bad_request', 'Send a logout_token');
    await this.signOn.endAtProvider(issuer, token);
  }

  @Get('logo')
  @Public("The institution's picture on the sign-in page")
  async logo(@Param('issuer') issuer: string, @Res() response: Response): Promise<void> {
    const [, type, data] = PICTURE.exec((await this.issuers.logoOf(issuer)) ?? '') ?? [];
    if (type === undefined || data === undefined) throw notFound('Picture');
    response.set({ 'Content-Type': type, 'Cache-Control': 'public, max-age=300', 'X-Content-Type-Options': 'nosniff' });
    response.send(Buffer.from(data, 'base64'));
  }

  private async addressAfter({ returnTo, trial }: FinishedSignOn): Promise<string> {
    if (trial === null) return returnTo;
    const outcome = await this.trials.outcomeOf(trial.issuer, trial.claims);
    const isLong = JSON.stringify(outcome).length > MOST_FRAGMENT;
    const shown = isLong ? { ...outcome, claims: {} } : outcome;
    // Behind `#` it stays in the browser and in no log.
    return `${returnTo}#trial=${Buffer.from(JSON.stringify(shown)).toString('base64url')}`;
  }

  private async redirect(response: Response, address: () => Promise<string>): Promise<void> {
    response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    try {
      response.redirect(303, await address());
    } catch (error) {
      if (!(error instanceof FailedSignOn)) throw error;
      response.redirect(303, `/sign-in?problem=sso_${error.problem}`);
    }
  }

  private originOf(request: BellwetherRequest): string {
    return this.signOn.originOf(`${request.protocol}://${request.headers.host ?? 'localhost'}`);
  }
}
