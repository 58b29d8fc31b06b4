import { Injectable } from '@nestjs/common';
import { DataSource, MoreThan } from 'typeorm';
import { AcrossOrganizations } from '../../../src/infrastructure/database';
import { LaunchAttemptEntity } from './launch-attempt.entity';

/** Launches under way from one address; a lecture hall behind one address begins hundreds at once. */
const MOST_OF_ADDRESS = 5_000;

@Injectable()
export class LaunchAttemptRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Ten minutes by the database's clock. Drops those that have expired, and the oldest of an address with too many. */
  @AcrossOrganizations('sign-in')
  async insert(attempt: Omit<LaunchAttemptEntity, 'expiresAt'>): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM lti_attempts WHERE expires_at < now() OR hash IN (
         SELECT hash FROM lti_attempts WHERE address = $1 ORDER BY expires_at DESC OFFSET ${MOST_OF_ADDRESS - 1})`,
      [attempt.address],
    );
    await this.dataSource.query(
      `INSERT INTO lti_attempts (hash, browser_hash, nonce_hash, platform_id, address, storage_target, login, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, now() + interval '10 minutes')`,
      [
        attempt.hash,
        attempt.browserHash,
        attempt.nonceHash,
        attempt.platformId,
        attempt.address,
        attempt.storageTarget,
        JSON.stringify(attempt.login),
      ],
    );
  }

  @AcrossOrganizations('sign-in')
  find(hash: string): Promise<LaunchAttemptEntity | null> {
    return this.dataSource.getRepository(LaunchAttemptEntity).findOneBy({ hash, expiresAt: MoreThan(new Date()) });
  }

  /** True once. Another browser finds nothing, and leaves the row. */
  @AcrossOrganizations('sign-in')
  async consume(own: Pick<LaunchAttemptEntity, 'hash' | 'browserHash'>): Promise<boolean> {
    const { affected } = await this.dataSource
      .createQueryBuilder()
      .delete()
      .from(LaunchAttemptEntity)
      .where('hash = :hash AND browser_hash = :browserHash AND expires_at > now()', own)
      .execute();
    return affected === 1;
  }
}
