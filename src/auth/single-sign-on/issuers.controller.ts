import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  ADMINISTRATORS,
  Access,
  type BellwetherRequest,
  IfMatch,
  PageQueryDto,
  TagsVersion,
  toPageRequest,
} from '../../infrastructure/http';
import { Idempotent } from '../../infrastructure/idempotency';
import { InOrganization, type OrganizationRequest } from '../../organizations';
import { IssuerAdministration } from './issuer-administration.service';
import { IssuerConnectionTests } from './issuer-connection-tests.service';
import {
  ConnectionReportDto,
  CreateIssuerDto,
  IdentityPageDto,
  IssuerDto,
  IssuerPageDto,
  TrialDto,
  UpdateIssuerDto,
} from './issuer.dto';
import { SignInAttemptCookie } from './sign-in-attempt';
import { SingleSignOn } from './single-sign-on.service';

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
  list(@InOrganization() at: OrganizationRequest, @Query() page: PageQueryDto): Promise<IssuerPageDto> {
    return this.issuers.list(at, toPageRequest(page));
  }

  @Post()
  @TagsVersion()
  @Idempotent({ sealed: true })
  @Access({ ...ADMINISTRATORS, summary: 'Add an OpenID provider', description: FOR_OWNERS })
  create(@InOrganization() at: OrganizationRequest, @Body() body: CreateIssuerDto): Promise<IssuerDto> {
    return this.issuers.create(at, body);
  }

  @Get(':key')
  @TagsVersion()
  @Access({ ...ADMINISTRATORS, summary: 'Read an OpenID provider' })
  get(@InOrganization() at: OrganizationRequest, @Param('key') key: string): Promise<IssuerDto> {
    return this.issuers.get(at, key);
  }

  @Patch(':key')
  @TagsVersion()
  @Access({
    ...ADMINISTRATORS,
    summary: 'Change an OpenID provider',
    description: `Absent members stay. ${FOR_OWNERS} Another address or client ends the sessions of its people.`,
  })
  update(
    @InOrganization() at: OrganizationRequest,
    @Param('key') key: string,
    @Body() body: UpdateIssuerDto,
    @IfMatch('demanded') expected: number | null,
  ): Promise<IssuerDto> {
    return this.issuers.update(at, key, body, expected);
  }

  @Delete(':key')
  @HttpCode(204)
  @Access({
    ...ADMINISTRATORS,
    summary: 'Remove an OpenID provider',
    description: `${FOR_OWNERS} Ends the sessions of its people. Their accounts stay.`,
  })
  async remove(
    @InOrganization() at: OrganizationRequest,
    @Param('key') key: string,
    @IfMatch('welcome') expected: number | null,
  ): Promise<void> {
    await this.issuers.remove(at, key, expected);
  }

  @Get(':key/people')
  @Access({ ...ADMINISTRATORS, summary: 'People who signed in there, with their last claims' })
  people(
    @InOrganization() at: OrganizationRequest,
    @Param('key') key: string,
    @Query() page: PageQueryDto,
  ): Promise<IdentityPageDto> {
    return this.issuers.people(at, key, toPageRequest(page));
  }

  @Post(':key/test')
  @HttpCode(200)
  @Access({
    ...ADMINISTRATORS,
    summary: 'Test the connection',
    description:
      'Reads the metadata and keys of the provider now, and runs the rules on the last claims of the caller.',
  })
  async test(@InOrganization() at: OrganizationRequest, @Param('key') key: string): Promise<ConnectionReportDto> {
    return this.tests.run(at.caller, await this.issuers.usable(at, key));
  }

  @Post(':key/trial')
  @HttpCode(200)
  @Access({
    ...ADMINISTRATORS,
    summary: 'Begin a trial sign-in',
    description: 'Nobody is signed in and no account is touched; also for a provider that is switched off.',
  })
  async trial(
    @InOrganization() at: OrganizationRequest,
    @Param('key') key: string,
    @Req() request: BellwetherRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TrialDto> {
    const issuer = await this.issuers.usable(at, key);
    const token = this.attempt.ensure(request.headers, response);
    const browser = { token, origin: at.origin, address: request.ip ?? null };
    const returnTo = `/organization/sign-on/issuers/${key}?org=${at.slug}`;
    return { url: await this.signOn.begin(key, returnTo, browser, { trialOf: issuer }) };
  }
}
