import { AppError, notFound, orNull } from '@bellwether/kernel';
import { Body, Controller, Get, Header, Param, Post, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiDefaultResponse, ApiGoneResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  FailedCredentials,
  LinkRate,
  RequestAuthenticator,
  SessionCookie,
  addressGroup,
  assertNotForeign,
  signInContextOf,
} from '../../src/auth';
import { type BellwetherRequest, PROBLEM, Public } from '../../src/infrastructure/http';
import { JoinDto, JoinOfferDto, JoinedDto } from './join-link.dto';
import { Joining } from './joining.service';

@ApiTags('Join links')
@Controller('api/v1/join')
export class JoinController {
  /** Limits the accounts that one network makes. */
  private readonly rate = new LinkRate();

  constructor(
    private readonly joining: Joining,
    private readonly failures: FailedCredentials,
    private readonly authenticator: RequestAuthenticator,
    private readonly cookie: SessionCookie,
  ) {}

  @Get(':code')
  @Header('Cache-Control', 'no-store')
  @Public('Reads what a join link leads to')
  @ApiOkResponse({ type: JoinOfferDto })
  @ApiGoneResponse({ content: PROBLEM, description: 'The link is spent, expired or revoked' })
  @ApiDefaultResponse({ content: PROBLEM, description: 'Any other problem' })
  offer(@Req() request: BellwetherRequest, @Param('code') code: string): Promise<JoinOfferDto> {
    return this.guarded(request, code, () => this.joining.offer(code));
  }

  @Post()
  @Public(
    'Join by a link: makes a member and sets the cookie of a session. A member who is signed in stays who they are',
  )
  @ApiCreatedResponse({ type: JoinedDto })
  @ApiGoneResponse({ content: PROBLEM, description: 'The link is spent, expired or revoked' })
  @ApiDefaultResponse({ content: PROBLEM, description: 'Any other problem' })
  async join(
    @Req() request: BellwetherRequest,
    @Res({ passthrough: true }) response: Response,
    @Body() { code, name }: JoinDto,
  ): Promise<JoinedDto> {
    assertNotForeign(request.headers, this.cookie.own);
    this.rate.countNetwork(request.ip ?? null);
    const caller = await orNull('unauthenticated', () => this.authenticator.authenticate(request));
    const context = signInContextOf(request, this.cookie);
    const { opened, redirect } = await this.guarded(request, code, () =>
      this.joining.join({ code, name, caller }, context),
    );
    if (opened !== null) this.cookie.set(response, opened.token);
    return { redirect };
  }

  /** Limits guesses of an address. @throws {AppError} `too_many_requests`; `not_found` for an unknown code */
  private async guarded<T>(request: BellwetherRequest, code: string, attempt: () => Promise<T>): Promise<T> {
    const address = addressGroup(signInContextOf(request, this.cookie).ip);
    // A right code is refused, too: otherwise it would be found by trying on.
    this.failures.assertBelow(address);
    try {
      return await this.failures.watch({ address, kind: 'sign_in', credential: code }, attempt);
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthenticated') throw notFound('Join link');
      throw error;
    }
  }
}
