import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SignInAttemptEntity } from './sign-in-attempt.entity';
import { AcrossOrganizations } from '../../infrastructure/database';

/** Sign-ins under way from one address; a campus behind one address begins hundreds at once. */
const MOST_OF_ADDRESS = 2_000;

interface ReturnedAttempt {
  readonly return_to: string;
  readonly trial: boolean;
  readonly link_organization_id: string | null;
  readonly link_user_id: string | null;
}

@Injectable()
export class SignInAttemptRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Ten minutes by the database's clock. Drops those that have expired, and the oldest of an address with too many. */
  @AcrossOrganizations('sign-in')
  async insert({
    hash,
    browserHash,
    address,
    issuerKey,
    returnTo,
    trial,
    linkOrganizationId,
    linkUserId,
  }: Omit<SignInAttemptEntity, 'expiresAt'>): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM oidc_attempts WHERE expires_at < now() OR hash IN (
         SELECT hash FROM oidc_attempts WHERE address = $1 ORDER BY expires_at DESC OFFSET ${MOST_OF_ADDRESS - 1})`,
      [address],
    );
    await this.dataSource.query(
      `INSERT INTO oidc_attempts (hash, browser_hash, address, issuer_key, return_to, trial, link_organization_id,
                                  link_user_id, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + interval '10 minutes')`,
      [hash, browserHash, address, issuerKey, returnTo, trial, linkOrganizationId, linkUserId],
    );
  }

  /** The attempt, once: a replayed answer finds none. Another browser or issuer finds none either, and leaves it. */
  @AcrossOrganizations('sign-in')
  async consume(
    own: Pick<SignInAttemptEntity, 'hash' | 'browserHash' | 'issuerKey'>,
  ): Promise<Pick<SignInAttemptEntity, 'returnTo' | 'trial' | 'linkOrganizationId' | 'linkUserId'> | null> {
    const result = await this.dataSource
      .createQueryBuilder()
      .delete()
      .from(SignInAttemptEntity)
      .where('hash = :hash AND browser_hash = :browserHash AND issuer_key = :issuerKey AND expires_at > now()', own)
      .returning('return_to, trial, link_organization_id, link_user_id')
      .execute();
    const [row] = result.raw as ReturnedAttempt[];
    if (row === undefined) return null;
    const { return_to: returnTo, trial, link_organization_id: linkOrganizationId, link_user_id: linkUserId } = row;
    return { returnTo, trial, linkOrganizationId, linkUserId };
  }
}
