import type { Caller } from '@bellwether/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { Accounts, type Admitted, RefusedAdmission } from '../issuers/accounts.service';
import type { Issuer } from '../issuers/issuer.types';
import { Issuers } from '../issuers/issuers.service';
import {
  CLOCK_TOLERANCE,
  RefusedToken,
  type TokenClaims,
  TokenVerifier,
  issuerNamedBy,
} from '../issuers/token-verifier';
import { scopesOf } from '../sessions/role-scopes';
import type { Known } from './credential-cache';

const callerOf = ({ organizationId, organizationSlug, userId, role, systemAdmin }: Admitted): Caller => ({
  kind: 'token',
  credentialId: null,
  organizationId,
  organizationSlug,
  userId,
  role,
  systemAdmin: systemAdmin && scopesOf(role).includes('admin'),
  scopes: scopesOf(role),
  assistantIds: null,
});

/** Callers with an access token of an OpenID provider. */
@Injectable()
export class AccessTokens {
  private readonly logger = new Logger('Auth');

  constructor(
    private readonly issuers: Issuers,
    private readonly verifier: TokenVerifier,
    private readonly accounts: Accounts,
  ) {}

  /**
   * Null for a token that must be refused. The reason is logged, the token is not.
   * @throws {AppError} `unavailable` where the key is unknown and the provider is down
   */
  async read(token: string): Promise<Known | null> {
    try {
      const { issuer, claims } = await this.verified(token);
      const admitted = await this.accounts.admit(issuer, claims, 'access_token');
      return { caller: callerOf(admitted), expiresAt: (claims.exp + CLOCK_TOLERANCE) * 1_000 };
    } catch (error) {
      if (error instanceof RefusedToken) return this.refuse(error.reason);
      if (error instanceof RefusedAdmission) return this.refuse(error.problem);
      throw error;
    }
  }

  /** Two organizations may be clients of one provider: the audience says whose token it is. */
  private async verified(token: string): Promise<{ issuer: Issuer; claims: TokenClaims }> {
    const iss = issuerNamedBy(token);
    const issuers = iss === null ? [] : await this.issuers.ofToken(iss);
    let refusal = new RefusedToken('unknown_issuer');
    for (const issuer of issuers) {
      try {
        return { issuer, claims: await this.verifier.accessToken(issuer, issuer.audience ?? '', token) };
      } catch (error) {
        if (!(error instanceof RefusedToken)) throw error;
        refusal = error;
      }
    }
    throw refusal;
  }

  private refuse(reason: string): null {
    this.logger.warn({ msg: 'an access token was refused', reason });
    return null;
  }
}
