import { AppError, isJsonObject } from '@bellwether/kernel';
import { Body, Controller, Get, HttpCode, Logger, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { looksLikeSessionToken, sessionHashOf } from '../../../src/auth';
import { type BellwetherRequest, Public } from '../../../src/infrastructure/http';
import { RefusedLaunch } from '../launch-claims';
import {
  type PageLanguage,
  askingPage,
  keepingPage,
  languageOf,
  leavingPage,
  newWindowPage,
  readyPage,
  refusalPage,
  sendPage,
} from '../browser-pages';
import { ToolAddresses } from '../platforms/platforms.service';
import { BrowserCookie } from './browser-cookie';
import { LaunchSessions, isFramed } from './launch-sessions.service';
import { type LaunchAttempt, Launches } from './launch.service';
import { LaunchLogins, type Parameters, textOf } from './login.service';

/** Proxies refuse an answer whose headers are longer than 4 KiB. */
const MOST_LOCATION = 3_000;

/** The routes of LTI 1.3. Only browsers that a platform sends call them, so they are not described by OpenAPI. */
@ApiExcludeController()
@Controller('lti')
export class LaunchController {
  private readonly logger = new Logger('Lti');

  constructor(
    private readonly logins: LaunchLogins,
    private readonly launches: Launches,
    private readonly sessions: LaunchSessions,
    private readonly browsers: BrowserCookie,
    private readonly addresses: ToolAddresses,
  ) {}

  @Get(['login', 'login/:platform'])
  @Public('A platform begins a launch')
  async login(
    @Param('platform') platform: string | undefined,
    @Query() query: Parameters,
    @Req() request: BellwetherRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.begin(platform ?? null, query, request, response);
  }

  @Post(['login', 'login/:platform'])
  @HttpCode(200)
  @Public('A platform begins a launch by a form')
  async loginByForm(
    @Param('platform') platform: string | undefined,
    @Body() body: unknown,
    @Req() request: BellwetherRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.begin(platform ?? null, isJsonObject(body) ? body : {}, request, response);
  }

  @Post('launch')
  @HttpCode(200)
  @Public('The signed message of a platform')
  async launch(@Body() body: unknown, @Req() request: BellwetherRequest, @Res() response: Response): Promise<void> {
    await this.receive(isJsonObject(body) ? body : {}, request, response);
  }

  @Post('deep-link')
  @HttpCode(200)
  @Public('The signed message of a platform whose author selects content')
  async deepLink(@Body() body: unknown, @Req() request: BellwetherRequest, @Res() response: Response): Promise<void> {
    await this.receive(isJsonObject(body) ? body : {}, request, response);
  }

  /** Opens a launch in a new window, or at the top level: only now the browser sends the cookies of this service. */
  @Get('open/:code')
  @Public('Open a checked launch, once')
  async open(@Param('code') code: string, @Req() request: BellwetherRequest, @Res() response: Response): Promise<void> {
    await this.answered(request, response, async () => {
      const handover = await this.sessions.receive(code, this.browsers.tokenOf(request.headers), request.headers);
      if (handover === null) throw new RefusedLaunch('unknown_state', 'an unknown, used or expired code');
      await this.sessions.open(handover, request, response);
      response.redirect(303, handover.target);
    });
  }

  private begin(
    platformId: string | null,
    parameters: Parameters,
    request: BellwetherRequest,
    response: Response,
  ): Promise<void> {
    return this.answered(request, response, async (language) => {
      const browser = this.browsers.ensure(request.headers, response);
      const origin = this.addresses.originOf(request);
      const address = request.ip ?? null;
      const { url, storage } = await this.logins.begin({ platformId, parameters, browser, origin, address });
      if (storage === null && url.length <= MOST_LOCATION) return response.redirect(303, url);
      if (storage === null) return sendPage(response, language, leavingPage(url, language));
      sendPage(response, language, keepingPage(storage, storage.secret, url, language));
    });
  }

  private receive(body: Parameters, request: BellwetherRequest, response: Response): Promise<void> {
    return this.answered(request, response, async (language) => {
      const { state, id_token: token, error } = body;
      if (typeof error === 'string') throw new RefusedLaunch('platform_error', error.slice(0, 100));
      if (typeof state !== 'string' || typeof token !== 'string') throw new RefusedLaunch('bad_request', 'no id_token');
      const attempt = await this.launches.attemptOf(state);
      // Our own page sends what the platform's storage kept. Another site would send the secret of its author.
      const site = request.headers['sec-fetch-site'];
      const kept = site === undefined || site === 'same-origin' ? textOf(body['browser']) : null;
      const proof = proofOf(attempt, this.browsers.tokenOf(request.headers), kept);
      if (proof === null) return this.askAgain(attempt, { state, token, body }, request, response, language);
      const handover = await this.launches.settle(attempt, token);
      if (proof.by === 'storage') {
        // This browser keeps no cookie in the frame: a session would be lost.
        const code = await this.sessions.handOver(handover, null);
        return sendPage(response, language, readyPage(`/lti/open/${code}`, language));
      }
      if (request.headers['sec-fetch-dest'] === 'document') {
        // A POST from another site carries no cookie of a session that is there.
        const code = await this.sessions.handOver(handover, proof.browser);
        return response.redirect(303, `/lti/open/${code}`);
      }
      await this.sessions.open(handover, request, response);
      response.redirect(303, handover.target);
    });
  }

  /** The cookie did not come back: the platform's storage may have the secret, else a new window starts over. */
  private async askAgain(
    attempt: LaunchAttempt,
    { state, token, body }: { readonly state: string; readonly token: string; readonly body: Parameters },
    request: BellwetherRequest,
    response: Response,
    language: PageLanguage,
  ): Promise<void> {
    const again = await this.launches.loginAgain(attempt);
    const storage = body['browser'] === undefined ? await this.launches.storageOf(attempt, state) : null;
    this.logger.log({
      msg: 'a launch came without its cookie',
      platform: attempt.platformId,
      framed: isFramed(request),
    });
    const isPlain = this.addresses.originOf(request).startsWith('http:');
    if (storage === null) return sendPage(response, language, newWindowPage(again, language, isPlain));
    const launch = { action: attempt.login.path, token, state, again };
    sendPage(response, language, askingPage(storage, launch, language, isPlain));
  }

  /** A refusal is a page for the reader and one line in the log, without the token. */
  private async answered(
    request: BellwetherRequest,
    response: Response,
    work: (language: PageLanguage) => Promise<void>,
  ): Promise<void> {
    response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    const language = languageOf(null, request.headers['accept-language']);
    try {
      await work(language);
    } catch (error) {
      const refused = refusalOf(error);
      if (refused === null) throw error;
      const { refusal, detail, reader } = refused;
      this.logger.warn({ msg: 'a launch was refused', refusal, detail });
      const wanted = languageOf(reader.locale, request.headers['accept-language']);
      sendPage(response, wanted, refusalPage(refused, wanted));
    }
  }
}

interface Proof {
  readonly by: 'cookie' | 'storage';
  readonly browser: string;
}

/** The browser that began the launch shows its secret, by its cookie or from the platform's storage. */
function proofOf({ browserHash, login }: LaunchAttempt, cookie: string | null, kept: string | null): Proof | null {
  if (cookie !== null && sessionHashOf(cookie) === browserHash) return { by: 'cookie', browser: cookie };
  if (kept === null || !looksLikeSessionToken(kept)) return null;
  return sessionHashOf(kept) === login.storageHash ? { by: 'storage', browser: kept } : null;
}

const refusalOf = (error: unknown): RefusedLaunch | null => {
  if (error instanceof RefusedLaunch) return error;
  return error instanceof AppError && error.code === 'unauthenticated'
    ? new RefusedLaunch('disabled', 'no session')
    : null;
};
