import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AcrossOrganizations } from '../../../src/infrastructure/database';

/** Longer than the tolerance of timestamps in both directions (RFC 5849 §3.3). */
const MINUTES = 11;

/** Used nonces, for every process of the service. */
@Injectable()
export class NonceRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** True the first time, by the database's clock. */
  @AcrossOrganizations('sign-in')
  async use(hash: string): Promise<boolean> {
    await this.dataSource.query('DELETE FROM lti_nonces WHERE expires_at < now()');
    const rows = await this.dataSource.query<unknown[]>(
      `INSERT INTO lti_nonces (hash, expires_at) VALUES ($1, now() + interval '${MINUTES} minutes')
       ON CONFLICT ON CONSTRAINT lti_nonces_pk DO NOTHING RETURNING hash`,
      [hash],
    );
    return rows.length === 1;
  }
}
