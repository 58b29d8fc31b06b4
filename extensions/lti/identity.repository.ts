import { Injectable } from '@nestjs/common';
import { madeAccountIn } from '../../src/organizations';
import type { Transaction } from '../../src/infrastructure/database';
import { LtiIdentityEntity } from './identity.entity';

export type LtiSubject = Pick<LtiIdentityEntity, 'platformId' | 'subject'>;

/** Members that the institution's directory or OpenID provider knows by this id. */
const KNOWN_BY_ID = `
  SELECT user_id AS "userId" FROM oidc_identities WHERE organization_id = $1 AND (subject = $2 OR external_id = $2)
  UNION
  SELECT user_id FROM scim_users WHERE organization_id = $1 AND external_id = $2 AND deleted_at IS NULL`;

@Injectable()
export class LtiIdentityRepository {
  find({ platformId, subject }: LtiSubject, tx: Transaction): Promise<LtiIdentityEntity | null> {
    return tx.getRepository(LtiIdentityEntity).findOneBy({ platformId, subject });
  }

  /** Whether another subject of the platform is this person already. */
  isLinked(platformId: string, userId: string, tx: Transaction): Promise<boolean> {
    return tx.getRepository(LtiIdentityEntity).existsBy({ platformId, userId });
  }

  /** Identities whose subject begins and ends in this way. */
  named(platformId: string, start: string, end: string, tx: Transaction): Promise<LtiIdentityEntity[]> {
    return tx
      .getRepository(LtiIdentityEntity)
      .createQueryBuilder('identity')
      .where('identity.platform_id = :platformId AND starts_with(identity.subject, :start)', { platformId, start })
      .andWhere('right(identity.subject, length(:end)) = :end', { end })
      .getMany();
  }

  /** Whether a subject that begins so is this person already. */
  isLinkedIn(platformId: string, start: string, userId: string, tx: Transaction): Promise<boolean> {
    return tx
      .getRepository(LtiIdentityEntity)
      .createQueryBuilder('identity')
      .where('identity.platform_id = :platformId AND identity.user_id = :userId', { platformId, userId })
      .andWhere('starts_with(identity.subject, :start)', { start })
      .getExists();
  }

  /** Whether the identity made the account, and no directory provisions it. */
  async madeAccount({ platformId, subject }: LtiSubject, tx: Transaction): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      `SELECT FROM lti_identities i
        WHERE i.platform_id = $1 AND i.subject = $2 AND ${madeAccountIn('i.organization_id')}`,
      [platformId, subject],
    );
    return rows.length > 0;
  }

  /** The one member with the institution's id; null for none and for several. */
  async knownById(organizationId: string, id: string, tx: Transaction): Promise<string | null> {
    const found = await tx.query<{ userId: string }[]>(KNOWN_BY_ID, [organizationId, id]);
    return found.length === 1 ? (found[0]?.userId ?? null) : null;
  }

  async save(
    identity: LtiSubject & Pick<LtiIdentityEntity, 'organizationId' | 'userId'>,
    tx: Transaction,
  ): Promise<void> {
    await tx.query(
      `INSERT INTO lti_identities (platform_id, subject, organization_id, user_id) VALUES ($1, $2, $3, $4)
       ON CONFLICT ON CONSTRAINT lti_identities_pk DO UPDATE SET last_launch_at = now()`,
      [identity.platformId, identity.subject, identity.organizationId, identity.userId],
    );
  }
}
