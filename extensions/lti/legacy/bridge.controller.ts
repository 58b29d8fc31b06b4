import { AppError, isJsonObject } from '@bellwether/kernel';
import { Body, Controller, Get, HttpCode, Logger, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { type BellwetherRequest, Public } from '../../../src/infrastructure/http';
import { BrowserCookie } from '../launch/browser-cookie';
import { type LaunchTicket, LaunchSessions, isFramed } from '../launch/launch-sessions.service';
import type { KeyKind } from './bridge.types';
import { RefusedLaunch } from '../launch-claims';
import { type PageLanguage, languageOf, readyPage, refusalPage, sendPage } from '../browser-pages';
import { ToolAddresses } from '../platforms/platforms.service';
import { signedFormOf } from './signed-form';
import { BridgeLaunches } from './bridge-launches.service';

/** The routes of LTI 1.1, at the addresses that links of LAMB have. Only browsers that a platform sends call them. */
@ApiExcludeController()
@Controller()
export class BridgeController {
  private readonly logger = new Logger('Lti');

  constructor(
    private readonly launches: BridgeLaunches,
    private readonly sessions: LaunchSessions,
    private readonly browsers: BrowserCookie,
    private readonly addresses: ToolAddresses,
  ) {}

  @Post('lamb/v1/lti/launch')
  @HttpCode(200)
  @Public('A signed launch of LTI 1.1')
  activity(@Body() body: unknown, @Req() request: BellwetherRequest, @Res() response: Response): Promise<void> {
    return this.receive('activity', body, request, response);
  }

  @Post('lamb/v1/lti_users/lti')
  @HttpCode(200)
  @Public('A signed launch of LTI 1.1, for one assistant')
  assistant(@Body() body: unknown, @Req() request: BellwetherRequest, @Res() response: Response): Promise<void> {
    return this.receive('assistant', body, request, response);
  }

  @Post('lamb/v1/lti_creator/launch')
  @HttpCode(200)
  @Public('A signed launch of LTI 1.1, for teachers who work here')
  creator(@Body() body: unknown, @Req() request: BellwetherRequest, @Res() response: Response): Promise<void> {
    return this.receive('creator', body, request, response);
  }

  /** Opens the session where the browser keeps cookies. In a frame that keeps none, a button opens a new window. */
  @Get('lti/arrival/:code/:spare')
  @Public('Open a checked launch of LTI 1.1, once')
  async arrive(
    @Param('code') code: string,
    @Param('spare') spare: string,
    @Req() request: BellwetherRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.answered(request, response, async (language) => {
      const browser = this.browsers.tokenOf(request.headers);
      const handover = browser === null ? null : await this.sessions.receive(code, browser, request.headers);
      // The pages of teachers are never shown in a frame. Both codes are used up by then.
      const isMoved = handover !== null && handover.assistantIds === null && isFramed(request);
      const next = isMoved ? await this.sessions.handOver(handover, null) : spare;
      if (handover === null || isMoved) {
        return sendPage(response, language, readyPage(`/lti/open/${encodeURIComponent(next)}`, language));
      }
      await this.sessions.open(handover, request, response);
      response.redirect(303, handover.target);
    });
  }

  private receive(kind: KeyKind, body: unknown, request: BellwetherRequest, response: Response): Promise<void> {
    if (request.is('urlencoded') === false) {
      throw new AppError('unsupported_media_type', 'Send application/x-www-form-urlencoded');
    }
    return this.answered(request, response, async () => {
      const addresses = this.addresses.originsOf(request).map((origin) => origin + request.originalUrl);
      const form = signedFormOf(addresses, isJsonObject(body) ? body : {});
      const handover = await this.launches.settle(kind, form);
      response.redirect(303, await this.arrivalOf(handover, request, response));
    });
  }

  /** The cookie of a session does not come with a form of another site, and may not be kept in a frame. */
  private async arrivalOf(ticket: LaunchTicket, request: BellwetherRequest, response: Response): Promise<string> {
    const browser = this.browsers.ensure(request.headers, response);
    const [code, spare] = await this.sessions.handOverTwice(ticket, browser);
    return `/lti/arrival/${code}/${spare}`;
  }

  /** A refusal is a page for the reader and one line in the log, without what was signed. */
  private async answered(
    request: BellwetherRequest,
    response: Response,
    work: (language: PageLanguage) => Promise<void>,
  ): Promise<void> {
    response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    const accepted = request.headers['accept-language'];
    try {
      await work(languageOf(null, accepted));
    } catch (error) {
      if (!(error instanceof RefusedLaunch)) throw error;
      const { refusal, detail, reader } = error;
      this.logger.warn({ msg: 'a launch was refused', refusal, detail });
      const wanted = languageOf(reader.locale, accepted);
      sendPage(response, wanted, refusalPage(error, wanted));
    }
  }
}
