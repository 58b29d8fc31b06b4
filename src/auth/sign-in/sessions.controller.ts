import { type Caller, orNull } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiDefaultResponse,
  ApiExtraModels,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { type BellwetherRequest, PROBLEM, ProblemDto, Public } from '../../infrastructure/http';
import { RequestAuthenticator } from '../access/authenticator';
import { unauthenticated } from '../access/credential';
import { FailedCredentials } from '../access/failed-credentials.service';
import { MeDto } from '../api-key.dto';
import { SessionCookie, assertNotForeign, assertSameOrigin } from '../sessions/session-cookie';
import { CurrentUserService } from './open-sessions.service';
import {
  AskForLinkDto,
  LinkedPersonDto,
  PasswordSignInDto,
  PasswordSignedInDto,
  SessionDto,
  SignInDto,
  SignInQueryDto,
  UseLinkDto,
} from './session.dto';
import { signInContextOf } from './sign-in-links.service';
import { SignInMail } from './sign-in-mail.service';
import { SignInService } from './sign-in.service';

/** Public: sign-in has no credential yet, and sign-out needs no rights. */
@ApiTags('Session')
@ApiExtraModels(ProblemDto)
@Controller('api/v1/session')
export class SessionsController {
  constructor(
    private readonly authenticator: RequestAuthenticator,
    private readonly cookie: SessionCookie,
    private readonly myself: CurrentUserService,
    private readonly failures: FailedCredentials,
    private readonly signInService: SignInService,
    private readonly mail: SignInMail,
  ) {}

  @Get()
  @Public('Is the browser signed in, and how can it sign in?')
  @ApiOkResponse({ type: SessionDto })
  @ApiDefaultResponse({ content: PROBLEM, description: 'Any other problem' })
  async state(@Req() request: BellwetherRequest, @Query() query: SignInQueryDto): Promise<SessionDto> {
    const { organization, issuer, email_domain: emailDomain } = query;
    const wanted = {
      ...(organization && { organization }),
      ...(issuer && { issuer }),
      ...(emailDomain && { emailDomain }),
    };
    const state = await this.signInService.of(await this.callerOf(request), wanted);
    return { ...state, mail: !state.signed_in && this.mail.isOffered };
  }

  @Post()
  @HttpCode(200)
  @Public('Sign in with an API key: sets the cookie of a session that may do what the key may, and ends with it')
  @ApiOkResponse({ type: MeDto })
  @ApiUnauthorizedResponse({ content: PROBLEM, description: 'No valid key' })
  @ApiDefaultResponse({ content: PROBLEM, description: 'Any other problem' })
  async signIn(
    @Req() request: BellwetherRequest,
    @Res({ passthrough: true }) response: Response,
    @Body() { api_key: key }: SignInDto,
  ): Promise<MeDto> {
    assertNotForeign(request.headers, this.cookie.own);
    const context = signInContextOf(request, this.cookie);
    const { token, caller } = await this.failures.watch({ address: context.ip, kind: 'sign_in', credential: key }, () =>
      this.signInService.openByKey(key, context),
    );
    this.cookie.set(response, token);
    return this.myself.of(caller);
  }

  @Post('password')
  @HttpCode(200)
  @Public('Sign in once with the password of the installation that people were imported from: uses it up')
  @ApiOkResponse({ type: PasswordSignedInDto })
  @ApiUnauthorizedResponse({ content: PROBLEM, description: 'A wrong, used or expired password, or none' })
  @ApiDefaultResponse({ content: PROBLEM, description: 'Any other problem' })
  async usePassword(
    @Req() request: BellwetherRequest,
    @Res({ passthrough: true }) response: Response,
    @Body() { email, password }: PasswordSignInDto,
  ): Promise<PasswordSignedInDto> {
    assertNotForeign(request.headers, this.cookie.own);
    const context = signInContextOf(request, this.cookie);
    const attempted = { address: context.ip, kind: 'sign_in', credential: email } as const;
    // A comparison is expensive: an address with too many failures gets none.
    this.failures.assertBelow(attempted.address);
    const { token, caller } = await this.failures.watch(attempted, () =>
      this.signInService.openByPassword(email, password, context),
    );
    this.cookie.set(response, token);
    const me = await this.myself.of(caller);
    // Accounts of owners are linked to no provider.
    const isLinkable = me.role !== 'owner' && !me.system_admin;
    return {
      me,
      providers: isLinkable ? await this.signInService.providers({ organization: me.organization.slug }) : [],
    };
  }

  @Post('link')
  @HttpCode(200)
  @Public('Sign in with the link that an administrator made: uses it up and sets the cookie of a session')
  @ApiOkResponse({ type: MeDto })
  @ApiUnauthorizedResponse({ content: PROBLEM, description: 'A used, expired or unknown link' })
  @ApiDefaultResponse({ content: PROBLEM, description: 'Any other problem' })
  async useLink(
    @Req() request: BellwetherRequest,
    @Res({ passthrough: true }) response: Response,
    @Body() { token: link }: UseLinkDto,
  ): Promise<MeDto> {
    assertNotForeign(request.headers, this.cookie.own);
    const context = signInContextOf(request, this.cookie);
    const { token, caller } = await this.failures.watch(
      { address: context.ip, kind: 'sign_in', credential: link },
      async () => {
        const opened = await this.signInService.openByLink(link, context);
        if (opened === null) throw unauthenticated();
        return opened;
      },
    );
    this.cookie.set(response, token);
    return this.myself.of(caller);
  }

  @Post('mail')
  @HttpCode(202)
  @Public('Asks for a sign-in link by e-mail')
  @ApiAcceptedResponse({ description: 'Somebody with this address gets a link, if there is somebody' })
  @ApiDefaultResponse({ content: PROBLEM, description: 'Any other problem' })
  async askForLink(
    @Req() request: BellwetherRequest,
    @Body() { email, language = 'en' }: AskForLinkDto,
  ): Promise<void> {
    assertNotForeign(request.headers, this.cookie.own);
    await this.mail.ask({ email, language }, signInContextOf(request, this.cookie).ip);
  }

  @Post('link/person')
  @HttpCode(200)
  @Public('Reads who a sign-in link is for, without using it up')
  @ApiOkResponse({ type: LinkedPersonDto })
  @ApiUnauthorizedResponse({ content: PROBLEM, description: 'A used, expired or unknown link' })
  @ApiDefaultResponse({ content: PROBLEM, description: 'Any other problem' })
  async person(@Req() request: BellwetherRequest, @Body() { token }: UseLinkDto): Promise<LinkedPersonDto> {
    assertNotForeign(request.headers, this.cookie.own);
    const { ip: address } = signInContextOf(request, this.cookie);
    return this.failures.watch({ address, kind: 'sign_in', credential: token }, () =>
      this.signInService.lookAtLink(token),
    );
  }

  @Delete()
  @HttpCode(204)
  @Public('Sign out: ends the session, here at once and everywhere within 5 s')
  @ApiNoContentResponse()
  @ApiDefaultResponse({ content: PROBLEM, description: 'Any other problem' })
  async signOut(@Req() request: BellwetherRequest, @Res({ passthrough: true }) response: Response): Promise<void> {
    const { replaces: token, ...origin } = signInContextOf(request, this.cookie);
    if (token !== null) {
      assertSameOrigin(request.headers, this.cookie.own);
      await this.signInService.end(token, origin);
    }
    this.cookie.clear(response);
    // Clears pages that the back button would show (Clear Site Data, W3C).
    response.setHeader('Clear-Site-Data', '"cache"');
  }

  /** Null for nobody. */
  private callerOf(request: BellwetherRequest): Promise<Caller | null> {
    return orNull('unauthenticated', () => this.authenticator.authenticate(request));
  }
}
