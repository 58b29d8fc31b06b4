import { Injectable } from '@nestjs/common';
import type { Role } from '../../kernel';
import { Accounts, type AdmissionProblem, RefusedAdmission } from '../issuers/accounts.service';
import { missingClaims, shownClaims } from '../issuers/claims';
import type { Claims, Issuer } from '../issuers/issuer.types';

/** The result of running the rules on claims. */
export interface TrialOutcome {
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
export class Trials {
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
