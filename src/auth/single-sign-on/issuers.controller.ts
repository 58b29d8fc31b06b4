import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  Access,
  type BellwetherRequest,
  CurrentCaller,
  IfMatch,
  PageQueryDto,
  ReadsIfMatch,
  TagsVersion,
  toPageRequest,
} from '../../infrastructure/http';
import { Idempotent } from '../../infrastructure/idempotency';
import { SignInAttemptCookie } from './sign-in-attempt';
import { IssuerConnectionTests } from './issuer-connection-tests.service';
import { IssuerAdministration, type IssuerRequest } from './issuer-administration.service';
import { ConnectionReportDto, IdentityPageDto, IssuerDto, IssuerPageDto, TrialDto } from './issuer-answer.dto';
import { CreateIssuerDto, UpdateIssuerDto } from './issuer.dto';
import { SingleSignOn } from './single-sign-on.service';

const ADMINISTRATORS = { scope: 'admin', role: 'organization_admin' } as const;
const FOR_OWNERS = 'For owners of the organization: a person who sets a provider can sign in as any member.';

@ApiTags('Single sign-on')
@Controller('api/v1/organizations/:slug/sign-on/issuers')
export class IssuersController {
  constructor(
    private readonly issuers: IssuerAdministration,
    private readonly tests: IssuerConnectionTests,
    private readonly signOn: SingleSignOn,
    private readonly attempt: SignInAttemptCookie,
  ) {}

  @Get()
  @Access({ ...ADMINISTRATORS, summary: 'OpenID providers of the organization' })
  list(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Query() page: PageQueryDto,
    @Req() request: BellwetherRequest,
  ): Promise<IssuerPageDto> {
    return this.issuers.list(this.requestOf(caller, slug, request), toPageRequest(page));
  }

  @Post()
  @TagsVersion()
  @Idempotent({ sealed: true })
  @Access({ ...ADMINISTRATORS, summary: 'Add an OpenID provider', description: FOR_OWNERS })
  create(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Body() body: CreateIssuerDto,
    @Req() request: BellwetherRequest,
  ): Promise<IssuerDto> {
    return this.issuers.create(this.requestOf(caller, slug, request), body);
  }

  @Get(':key')
  @TagsVersion()
  @Access({ ...ADMINISTRATORS, summary: 'Read an OpenID provider' })
  get(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('key') key: string,
    @Req() request: BellwetherRequest,
  ): Promise<IssuerDto> {
    return this.issuers.get(this.requestOf(caller, slug, request), key);
  }

  @Patch(':key')
  @TagsVersion()
  @ReadsIfMatch('demanded')
  @Access({
    ...ADMINISTRATORS,
    summary: 'Change an OpenID provider',
    description: `Absent members stay. ${FOR_OWNERS} Another address or client ends the sessions of its people.`,
  })
  update(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('key') key: string,
    @Body() body: UpdateIssuerDto,
    @IfMatch('demanded') expected: number | null,
    @Req() request: BellwetherRequest,
  ): Promise<IssuerDto> {
    return this.issuers.update(this.requestOf(caller, slug, request), key, body, expected);
  }

  @Delete(':key')
  @HttpCode(204)
  @ReadsIfMatch('welcome')
  @Access({
    ...ADMINISTRATORS,
    summary: 'Remove an OpenID provider',
    description: `${FOR_OWNERS} Ends the sessions of its people. Their accounts stay.`,
  })
  @ApiNoContentResponse()
  async remove(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('key') key: string,
    @IfMatch('welcome') expected: number | null,
    @Req() request: BellwetherRequest,
  ): Promise<void> {
    await this.issuers.remove(this.requestOf(caller, slug, request), key, expected);
  }

  @Get(':key/people')
  @Access({ ...ADMINISTRATORS, summary: 'People who signed in there, with their last claims' })
  people(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('key') key: string,
    @Query() page: PageQueryDto,
    @Req() request: BellwetherRequest,
  ): Promise<IdentityPageDto> {
    return this.issuers.people(this.requestOf(caller, slug, request), key, toPageRequest(page));
  }

  @Post(':key/test')
  @HttpCode(200)
  @Access({
    ...ADMINISTRATORS,
    summary: 'Test the connection',
    description:
      'Reads the metadata and keys of the provider now, and runs the rules on the last claims of the caller.',
  })
  async test(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('key') key: string,
    @Req() request: BellwetherRequest,
  ): Promise<ConnectionReportDto> {
    return this.tests.run(caller, await this.issuers.usable(this.requestOf(caller, slug, request), key));
  }

  @Post(':key/trial')
  @HttpCode(200)
  @Access({
    ...ADMINISTRATORS,
    summary: 'Begin a trial sign-in',
    description: 'Nobody is signed in and no account is touched; also for a provider that is switched off.',
  })
  async trial(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('key') key: string,
    @Req() request: BellwetherRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TrialDto> {
    const asked = this.requestOf(caller, slug, request);
    const issuer = await this.issuers.usable(asked, key);
    const token = this.attempt.ensure(request.headers, response);
    const browser = { token, origin: asked.origin, address: request.ip ?? null };
    const returnTo = `/organization/sign-on/issuers/${key}?org=${slug}`;
    return { url: await this.signOn.begin(key, returnTo, browser, { trialOf: issuer }) };
  }

  private requestOf(caller: Caller, slug: string, request: BellwetherRequest): IssuerRequest {
    return { caller, slug, origin: this.signOn.originOf(`${request.protocol}://${request.headers.host ?? ''}`) };
  }
}
