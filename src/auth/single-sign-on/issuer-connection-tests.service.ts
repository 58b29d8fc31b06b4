import { AppError, type Caller, type Role } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { Accounts, type AdmissionProblem, RefusedAdmission } from '../issuers/accounts.service';
import { missingClaims, shownClaims } from '../issuers/claims';
import { IdentityRepository } from '../issuers/identity.repository';
import { type Claims, type Issuer, authorityOf } from '../issuers/issuer.types';
import { OpenIdClient, RefusedAnswer } from '../issuers/openid-client';
import { TokenVerifier, sharesAudience } from '../issuers/token-verifier';
import type { ConnectionCheckDto, ConnectionReportDto } from './issuer.dto';

/** The result of running the rules on claims. */
interface TrialOutcome {
  readonly problem: AdmissionProblem | null;
  /** Slug. */
  readonly organization: string | null;
  /** Null: the role that the member has, or `member`. */
  readonly role: Role | null;
  readonly groups: readonly string[];
  readonly email: string | null;
  readonly email_verified: boolean;
  readonly claims: Claims;
  readonly missing_claims: readonly string[];
}

/** Runs an issuer's rules on claims without touching an account. */
@Injectable()
export class RuleDryRun {
  constructor(private readonly accounts: Accounts) {}

  async outcomeOf(issuer: Issuer, claims: Claims): Promise<TrialOutcome> {
    const nothing = { organization: null, role: null, groups: [], email: null, email_verified: false };
    const told = { claims: shownClaims(claims), missing_claims: missingClaims(claims, issuer) };
    try {
      const { organization, role, groups, email } = await this.accounts.place(issuer, claims);
      return {
        problem: role === null ? 'no_role' : null,
        organization: organization.slug,
        role: role === 'keep' ? null : role,
        groups,
        email: email?.address ?? null,
        email_verified: email?.isVerified ?? false,
        ...told,
      };
    } catch (error) {
      if (!(error instanceof RefusedAdmission)) throw error;
      return { ...nothing, problem: error.problem, ...told };
    }
  }
}

type Metadata = Awaited<ReturnType<OpenIdClient['discover']>>;
type Check = ConnectionCheckDto;

const passed = (check: Check['check'], detail: string): Check => ({ check, state: 'passed', detail });
const warned = (check: Check['check'], detail: string): Check => ({ check, state: 'warned', detail });
const failed = (check: Check['check'], detail: string): Check => ({ check, state: 'failed', detail });

/** "Test the connection": what a provider says of itself now, and what its rules would make of the caller. */
@Injectable()
export class IssuerConnectionTests {
  constructor(
    private readonly provider: OpenIdClient,
    private readonly verifier: TokenVerifier,
    private readonly identities: IdentityRepository,
    private readonly dryRun: RuleDryRun,
  ) {}

  async run(caller: Caller, issuer: Issuer): Promise<ConnectionReportDto> {
    const [checks, me] = await Promise.all([this.checks(issuer), this.outcomeFor(caller, issuer)]);
    return { ok: checks.every(({ state }) => state !== 'failed'), checks, me };
  }

  private async checks(issuer: Issuer): Promise<Check[]> {
    let metadata: Metadata;
    try {
      metadata = await this.provider.discover(issuer);
    } catch (error) {
      return [failed('metadata', reasonOf(error))];
    }
    return [
      passed('metadata', `The provider calls itself ${metadata.issuer}`),
      await this.keys(issuer, metadata),
      algorithm(issuer, metadata),
      metadata.code_challenge_methods_supported?.includes('S256') === false
        ? warned('pkce', 'The provider does not say that it supports PKCE with S256; it is used nevertheless')
        : passed('pkce', 'Sign-ins are protected by PKCE'),
      secret(issuer),
      metadata.end_session_endpoint === undefined
        ? warned('logout', 'Signing out here does not sign out at the provider')
        : passed('logout', 'Signing out here signs out at the provider'),
      ...accessTokens(issuer),
      ...(await this.claims(issuer, metadata)),
    ];
  }

  /** Whether the claims of the rules came with the last sign-ins; none without such claims. */
  private async claims(issuer: Issuer, { userinfo_endpoint: userinfo }: Metadata): Promise<Check[]> {
    const wanted = missingClaims({}, issuer);
    if (wanted.length === 0) return [];
    const last = await this.identities.lastOf({ authority: authorityOf(issuer), issuerKey: issuer.key });
    if (last.length === 0)
      return [warned('claims', `Nobody has signed in yet: a trial shows whether ${wanted.join(', ')} come`)];
    const missing = wanted.filter((claim) => last.every(({ claims }) => missingClaims(claims, issuer).includes(claim)));
    if (missing.length === 0) return [passed('claims', `${wanted.join(', ')} came with the last sign-ins`)];
    const asked = userinfo === undefined ? 'the ID token' : 'the ID token or userinfo';
    return [warned('claims', `${missing.join(', ')} never came in ${asked} of the last ${last.length} sign-ins`)];
  }

  private async keys(issuer: Issuer, { jwks_uri: address }: Metadata): Promise<Check> {
    if (address === undefined) return failed('keys', 'The provider publishes no keys');
    try {
      const count = await this.verifier.readKeys(issuer, address);
      return count === 0 ? failed('keys', 'The list of keys is empty') : passed('keys', `${count} keys were read`);
    } catch (error) {
      return failed('keys', reasonOf(error));
    }
  }

  private async outcomeFor({ userId }: Caller, issuer: Issuer): Promise<ConnectionReportDto['me']> {
    const identity = await this.identities.ofUser({ authority: authorityOf(issuer), issuer: issuer.url, userId });
    if (identity === null) return null;
    const outcome = await this.dryRun.outcomeOf(issuer, identity.claims);
    return { ...outcome, groups: [...outcome.groups], missing_claims: [...outcome.missing_claims] };
  }
}

function algorithm({ signingAlgorithm }: Issuer, metadata: Metadata): Check {
  const offered = metadata.id_token_signing_alg_values_supported ?? ['RS256'];
  return offered.includes(signingAlgorithm)
    ? passed('algorithm', `Tokens are signed with ${signingAlgorithm}`)
    : failed('algorithm', `The provider signs with ${offered.join(', ').slice(0, 100)}, not with ${signingAlgorithm}`);
}

/** None for a provider whose access tokens are not taken. */
function accessTokens(issuer: Issuer): Check[] {
  if (issuer.audience === null) return [];
  const advice =
    'The audience is the client id, which ID tokens name too: only tokens with a scope or a client_id are taken. ' +
    'Set an audience of its own, or the type at+jwt if the provider sends it';
  return [
    sharesAudience(issuer)
      ? warned('access_tokens', advice)
      : passed('access_tokens', `Access tokens for ${issuer.audience} are taken`),
  ];
}

function secret({ clientSecret }: Issuer): Check {
  try {
    return clientSecret() === null
      ? warned('secret', 'No client secret is set: the provider must know this client as a public one')
      : passed('secret', 'A client secret is set; a trial sign-in shows whether it is right');
  } catch {
    return failed('secret', 'The stored client secret cannot be read: enter it again');
  }
}

/** Our own words where there are any; the provider's stay in the log. */
function reasonOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AppError) return cause.detail;
    if (cause instanceof RefusedAnswer) return `The document of the provider cannot be used: ${cause.reason}`;
  }
  const message = error instanceof Error ? error.message : '';
  return message.includes('issuer')
    ? 'The provider calls itself by another name than the issuer address: copy its "issuer" exactly'
    : 'The address does not answer as an OpenID provider';
}
