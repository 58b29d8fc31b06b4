import { Injectable } from '@nestjs/common';
import { DataSource, LessThan } from 'typeorm';
import { AcrossOrganizations } from '../../../src/infrastructure/database';
import { LaunchTicketEntity } from './launch-ticket.entity';

/** SHA-256 of what opens a launch. */
export interface TicketHashes {
  readonly code: string;
  readonly browser: string | null;
  readonly spare: string | null;
}

export type LaunchTicket = Pick<
  LaunchTicketEntity,
  'organizationId' | 'userId' | 'assistantIds' | 'activityId' | 'target'
>;

@Injectable()
export class LaunchTicketRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Two minutes by the database's clock. */
  @AcrossOrganizations('sign-in')
  async insert({ code, browser, spare }: TicketHashes, ticket: LaunchTicket): Promise<void> {
    await this.dataSource.getRepository(LaunchTicketEntity).delete({ expiresAt: LessThan(new Date()) });
    const { organizationId, userId, assistantIds, activityId, target } = ticket;
    await this.dataSource.query(
      `INSERT INTO lti_handovers (hash, organization_id, user_id, assistant_ids, activity_id, target, browser_hash, spare_hash, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + interval '2 minutes')`,
      [code, organizationId, userId, assistantIds, activityId, target, browser, spare],
    );
  }

  /** Once. Null for a code that is unknown, used, expired or of another browser. */
  @AcrossOrganizations('sign-in')
  async consume(hash: string, browserHash: string | null, isOwnPage: boolean): Promise<LaunchTicket | null> {
    const [rows] = await this.dataSource.query<[LaunchTicket[], number]>(
      `DELETE FROM lti_handovers
        WHERE expires_at > now()
          AND (hash = $1 AND (browser_hash = $2 OR browser_hash IS NULL AND $3) OR spare_hash = $1 AND $3)
        RETURNING organization_id AS "organizationId", user_id AS "userId", assistant_ids AS "assistantIds",
                  activity_id AS "activityId", target`,
      [hash, browserHash, isOwnPage],
    );
    return rows[0] ?? null;
  }
}
