import { isJsonObject } from '@bellwether/kernel';
import { Body, Controller, Get, HttpCode, Logger, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { type BellwetherRequest, Public } from '../../../src/infrastructure/http';
import { type Page, type PageLanguage, escaped, languageOf, sendPage } from '../browser-pages';
import { ToolAddresses } from '../platforms/platforms.service';
import { REGISTRATION_TEXTS, type RegistrationTexts } from './registration-texts';
import { RefusedRegistration, type RegistrationRefusal } from './registration.errors';
import {
  type Applicant,
  type RegisteredPlatform,
  type RegistrationRequest,
  Registrations,
} from './registrations.service';

const STATUS: Readonly<Record<RegistrationRefusal, number>> = {
  code: 404,
  no_configuration: 400,
  unreachable: 424,
  configuration: 422,
  busy: 409,
  refused: 424,
  taken: 409,
};

const textsOf = ({ code }: PageLanguage): RegistrationTexts => REGISTRATION_TEXTS[code] ?? REGISTRATION_TEXTS.en;

const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  escaped(text).replace(/\{(\w+)\}/g, (whole, name: string) => `<strong>${escaped(values[name] ?? whole)}</strong>`);

const hidden = (name: string, value: string | null): string =>
  value === null ? '' : `<input type="hidden" name="${name}" value="${escaped(value)}">`;

/** Shows who asks. Nothing is registered before the button is pressed. */
function confirmPage(
  { code, configuration, token }: RegistrationRequest,
  { organization, configuration: platform, host }: Applicant,
  language: PageLanguage,
): Page {
  const texts = textsOf(language);
  return {
    status: 200,
    title: texts.title,
    body: `<h1>${escaped(texts.title)}</h1><p>${filled(texts.asks, { host, organization })}</p>
<dl><dt>${escaped(texts.platform)}</dt><dd>${escaped(host)}</dd><dt>${escaped(texts.issuer)}</dt><dd>${escaped(platform.issuer)}</dd></dl>
<p>${escaped(texts.gets)}</p>
<form method="post" action="/lti/register/${escaped(encodeURIComponent(code))}">${hidden('openid_configuration', configuration)}${hidden('registration_token', token)}<p><button>${escaped(texts.connect)}</button></p></form>`,
  };
}

/** The platform closes the page when it is told (LTI Dynamic Registration 1.0 §3.5). */
const CLOSE = `const home = window.opener || window.parent;
document.getElementById('close').addEventListener('click', () => {
  home.postMessage({ subject: 'org.imsglobal.lti.close' }, '*');
  if (home === window || window.opener) window.close();
});`;

function registeredPage(
  { host, organization, hasDeployment }: RegisteredPlatform,
  approval: string,
  language: PageLanguage,
): Page {
  const texts = textsOf(language);
  const more = hasDeployment ? '' : `<p>${escaped(texts.deployment)}</p>`;
  return {
    status: 200,
    title: texts.done,
    body: `<h1>${escaped(texts.done)}</h1><p>${filled(texts.waits, { host, organization })}</p>${more}
<p><a class="button" target="_blank" rel="noopener" href="${escaped(approval)}">${escaped(texts.approve)}</a></p>
<p><button id="close" type="button">${escaped(texts.close)}</button></p>`,
    script: { values: null, code: CLOSE },
  };
}

function refusedRegistrationPage({ refusal, detail }: RefusedRegistration, language: PageLanguage): Page {
  const texts = textsOf(language);
  const { reason, next } = texts.refusals[refusal];
  const words = detail === '' ? '' : `<p class="code"><code>${escaped(detail)}</code></p>`;
  return {
    status: STATUS[refusal],
    title: texts.refused,
    body: `<h1>${escaped(texts.refused)}</h1><p>${escaped(reason)}</p><p>${escaped(next)}</p>${words}
<p class="code">${escaped(language.texts.code)}: <code>${refusal}</code></p>`,
  };
}

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
