import { Body, Controller, Get, HttpCode, Logger, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { isJsonObject } from '../../../src/kernel';
import { type BellwetherRequest, Public } from '../../../src/infrastructure/http';
import { type Page, sendPage } from '../pages/page';
import { languageOf, type PageLanguage } from '../pages/page-texts';
import { ToolAddresses } from '../platforms/tool-addresses';
import { confirmPage, refusedRegistrationPage, registeredPage } from './registration-page';
import { RefusedRegistration } from './registration.errors';
import { type RegistrationRequest, Registrations } from './registrations.service';

type Parameters = Readonly<Record<string, unknown>>;

const MOST_TEXT = 4_000;
const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= MOST_TEXT && !value.includes('\0') ? value : null;

const requestOf = (code: string, parameters: Parameters): RegistrationRequest => ({
  code,
  configuration: textOf(parameters['openid_configuration']),
  token: textOf(parameters['registration_token']),
});

/** The pages that a platform opens for its administrator who has pasted the address (LTI Dynamic Registration 1.0). */
@ApiExcludeController()
@Controller('lti/register')
export class RegistrationController {
  private readonly logger = new Logger('Lti');

  constructor(
    private readonly registrations: Registrations,
    private readonly addresses: ToolAddresses,
  ) {}

  @Get()
  @Public('The address of registration without its code')
  async bare(@Req() request: BellwetherRequest, @Res() response: Response): Promise<void> {
    await this.answered(request, response, () => Promise.reject(new RefusedRegistration('code')));
  }

  @Get(':code')
  @Public('A platform asks to be registered')
  async look(
    @Param('code') code: string,
    @Query() query: Parameters,
    @Req() request: BellwetherRequest,
    @Res() response: Response,
  ): Promise<void> {
    const wanted = requestOf(code, query);
    await this.answered(request, response, async (language) =>
      confirmPage(wanted, await this.registrations.look(wanted), language),
    );
  }

  @Post(':code')
  @HttpCode(200)
  @Public('The administrator of a platform confirms its registration')
  async register(
    @Param('code') code: string,
    @Body() body: unknown,
    @Req() request: BellwetherRequest,
    @Res() response: Response,
  ): Promise<void> {
    const origin = this.addresses.originOf(request);
    await this.answered(request, response, async (language) => {
      const wanted = requestOf(code, isJsonObject(body) ? body : {});
      const registered = await this.registrations.register(wanted, (id) => this.addresses.at(origin, id));
      return registeredPage(registered, `${origin}/organization/platforms/${registered.id}`, language);
    });
  }

  /** A refusal is a page for the reader and one line in the log, without code and token. */
  private async answered(
    request: BellwetherRequest,
    response: Response,
    work: (language: PageLanguage) => Promise<Page>,
  ): Promise<void> {
    const language = languageOf(null, request.headers['accept-language']);
    try {
      sendPage(response, language, await work(language));
    } catch (error) {
      if (!(error instanceof RefusedRegistration)) throw error;
      const { refusal, detail } = error;
      this.logger.warn({ msg: 'the registration of a platform was refused', refusal, detail });
      sendPage(response, language, refusedRegistrationPage(error, language));
    }
  }
}
