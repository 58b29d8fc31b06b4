import { Injectable } from '@nestjs/common';
import { DataSource, MoreThan } from 'typeorm';
import { AcrossOrganizations, type Transaction } from '../../../src/infrastructure/database';
import { RegistrationEntity } from './registration.entity';

/** Open addresses of one organization; the oldest is removed first. */
const MOST_OPEN = 20;

export type OpenRegistration = Pick<RegistrationEntity, 'hash' | 'organizationId' | 'expiresAt'>;

/** Addresses for registration. A browser that opens one is not signed in: the code in it is the proof. */
@Injectable()
export class RegistrationRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insert(registration: Omit<RegistrationEntity, 'claimedAt'>, tx: Transaction): Promise<void> {
    await tx.query(
      `DELETE FROM lti_registrations WHERE organization_id = $1 AND (expires_at < now() OR hash IN (
         SELECT hash FROM lti_registrations WHERE organization_id = $1 ORDER BY expires_at DESC OFFSET ${MOST_OPEN - 1}))`,
      [registration.organizationId],
    );
    await tx.getRepository(RegistrationEntity).insert(registration);
  }

  /** Null for a code that is unknown, used or expired. */
  @AcrossOrganizations('sign-in')
  find(hash: string): Promise<OpenRegistration | null> {
    return this.dataSource.getRepository(RegistrationEntity).findOneBy({ hash, expiresAt: MoreThan(new Date()) });
  }

  /** False while another browser registers with the same address. A claim that came to no end is over after a minute. */
  @AcrossOrganizations('sign-in')
  async claim(hash: string): Promise<boolean> {
    const [, count] = await this.dataSource.query<[object[], number]>(
      `UPDATE lti_registrations SET claimed_at = now()
        WHERE hash = $1 AND expires_at > now() AND (claimed_at IS NULL OR claimed_at < now() - interval '1 minute')`,
      [hash],
    );
    return count === 1;
  }

  /** Another try may follow. */
  @AcrossOrganizations('sign-in')
  async release(hash: string): Promise<void> {
    await this.dataSource.getRepository(RegistrationEntity).update({ hash }, { claimedAt: null });
  }

  /** False where the address was removed meanwhile. */
  async consume({ hash, organizationId }: OpenRegistration, tx: Transaction): Promise<boolean> {
    const { affected } = await tx.getRepository(RegistrationEntity).delete({ hash, organizationId });
    return affected === 1;
  }
}
