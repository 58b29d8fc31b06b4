import { AppError, isJsonObject, notFound } from '@bellwether/kernel';
import { Body, Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { type BellwetherRequest, Public } from '../../infrastructure/http';
import { Issuers } from '../issuers/issuers.service';
import { providerDown } from '../issuers/openid-client';
import { SessionCookie, assertNotForeign, newSessionToken, saysSameOrigin } from '../sessions/session-cookie';
import { SessionsService } from '../sign-in/sessions.service';
import { signInContextOf } from '../sign-in/sign-in-links.service';
import { SignInAttemptCookie, ownPath } from './sign-in-attempt';
import { RuleDryRun } from './issuer-connection-tests.service';
import {
  FailedSignOn,
  FailedDryRun,
  type FinishedSignOn,
  type SignOnBrowser,
  SingleSignOn,
} from './single-sign-on.service';

const PICTURE = /^data:(image\/(?:png|jpeg|webp|gif));base64,(.+)$/;
/** Longest outcome of a trial in an address. */
const MOST_FRAGMENT = 12_000;

/** Behind `#` it stays in the browser and in no log. */
const withOutcome = (path: string, outcome: object): string =>
  `${path}#trial=${Buffer.from(JSON.stringify(outcome)).toString('base64url')}`;

/** Addresses that browsers and OpenID providers visit. Not described by OpenAPI. */
@ApiExcludeController()
@Controller('auth/oidc/:issuer')
export class SingleSignOnController {
  constructor(
    private readonly signOn: SingleSignOn,
    private readonly issuers: Issuers,
    private readonly dryRun: RuleDryRun,
    private readonly attempt: SignInAttemptCookie,
    private readonly cookie: SessionCookie,
    private readonly sessions: SessionsService,
  ) {}

  /**
   * Target of links: the sign-in page names the institution and waits for the person. Nothing is begun (login CSRF).
   */
  @Get('login')
  @Public('The sign-in page of the institution')
  async begin(
    @Param('issuer') issuer: string,
    @Req() request: BellwetherRequest,
    @Res() response: Response,
  ): Promise<void> {
    if ((await this.issuers.find(issuer)) === null) throw notFound('Sign-in service');
    const to = ownPath(request.query['return_to']);
    const query = new URLSearchParams({ issuer, ...(to !== '/' && { to }) });
    await this.redirect(response, () => Promise.resolve(`/sign-in?${query.toString()}`));
  }

  /** Only a page of this service begins a sign-in: a link would sign somebody in to an account of its author. */
  @Post('login')
  @HttpCode(200)
  @Public('Begin to sign in: answers the address at the institution')
  async login(
    @Param('issuer') issuer: string,
    @Req() request: BellwetherRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ url: string }> {
    assertNotForeign(request.headers, this.cookie.own);
    const returnTo = ownPath(request.query['return_to']);
    const browser = this.browserOf(request, this.attempt.ensure(request.headers, response));
    try {
      const cookie = this.cookie.tokenOf(request.headers);
      const member = cookie === null ? null : await this.sessions.memberByPassword(cookie);
      return { url: await this.signOn.begin(issuer, returnTo, browser, { member }) };
    } catch (error) {
      throw error instanceof FailedSignOn ? providerDown() : error;
    }
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
    const browser = this.browserOf(request, token);
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
  async backchannelLogout(
    @Param('issuer') issuer: string,
    @Body() body: unknown,
    @Req() request: BellwetherRequest,
  ): Promise<void> {
    const token = isJsonObject(body) ? body['logout_token'] : undefined;
    if (typeof token !== 'string') throw new AppError('bad_request', 'Send a logout_token');
    await this.signOn.endAtProvider(issuer, token, signInContextOf(request, this.cookie));
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
    const outcome = await this.dryRun.outcomeOf(trial.issuer, trial.claims);
    const isLong = JSON.stringify(outcome).length > MOST_FRAGMENT;
    return withOutcome(returnTo, isLong ? { ...outcome, claims: {} } : outcome);
  }

  private async redirect(response: Response, address: () => Promise<string>): Promise<void> {
    response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    try {
      response.redirect(303, await address());
    } catch (error) {
      if (error instanceof FailedDryRun) return response.redirect(303, withOutcome(error.returnTo, error.outcome));
      if (!(error instanceof FailedSignOn)) throw error;
      response.redirect(303, `/sign-in?problem=sso_${error.problem}`);
    }
  }

  private browserOf(request: BellwetherRequest, token: string): SignOnBrowser {
    return { token, origin: this.originOf(request), address: request.ip ?? null };
  }

  private originOf(request: BellwetherRequest): string {
    return this.signOn.originOf(`${request.protocol}://${request.headers.host ?? 'localhost'}`);
  }
}
