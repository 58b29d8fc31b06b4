import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AttemptEntity } from './attempt.entity';

@Injectable()
export class AttemptRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Ten minutes by the database's clock. Drops those that have expired. */
  async insert({ hash, browserHash, issuerKey, returnTo, trial }: Omit<AttemptEntity, 'expiresAt'>): Promise<void> {
    await this.dataSource.query('DELETE FROM oidc_attempts WHERE expires_at < now()');
    await this.dataSource.query(
      `INSERT INTO oidc_attempts (hash, browser_hash, issuer_key, return_to, trial, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + interval '10 minutes')`,
      [hash, browserHash, issuerKey, returnTo, trial],
    );
  }

  /** The attempt, once: a replayed answer finds none. Another browser or issuer finds none either, and leaves it. */
  async consume(
    own: Pick<AttemptEntity, 'hash' | 'browserHash' | 'issuerKey'>,
  ): Promise<Pick<AttemptEntity, 'returnTo' | 'trial'> | null> {
    const result = await this.dataSource
      .createQueryBuilder()
      .delete()
      .from(AttemptEntity)
      .where('hash = :hash AND browser_hash = :browserHash AND issuer_key = :issuerKey AND expires_at > now()', own)
      .returning('return_to, trial')
      .execute();
    const [row] = result.raw as { return_to: string; trial: boolean }[];
    return row === undefined ? null : { returnTo: row.return_to, trial: row.trial };
  }
}
