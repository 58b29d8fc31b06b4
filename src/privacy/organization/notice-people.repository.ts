import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../../infrastructure/database';

export interface NoticePerson {
  readonly email: string;
  readonly name: string;
  readonly organization: string;
  /** Null for an organization that goes on. */
  readonly eraseAfter: Date | null;
}

@Injectable()
export class NoticePeopleRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Enabled members with an address that may receive mail: RFC 2606 reserves the names of made-up ones. */
  async members(organizationId: string, tx: Transaction): Promise<string[]> {
    const rows = await tx.query<{ id: string }[]>(
      `SELECT u.id FROM members m JOIN users u ON u.id = m.user_id
       WHERE m.organization_id = $1 AND NOT m.disabled AND u.email !~* '(\\.|@)(invalid|local|localhost)$' ORDER BY 1`,
      [organizationId],
    );
    return rows.map(({ id }) => id);
  }

  /** Null for a former or disabled member. */
  async find(organizationId: string, userId: string): Promise<NoticePerson | null> {
    const [row] = await this.dataSource.query<NoticePerson[]>(
      `SELECT u.email, m.name, o.name AS organization, o.erase_after AS "eraseAfter"
       FROM members m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.organization_id
       WHERE m.organization_id = $1 AND m.user_id = $2 AND NOT m.disabled`,
      [organizationId, userId],
    );
    return row ?? null;
  }
}
