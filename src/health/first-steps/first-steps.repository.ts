import type { Principal } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface Deeds {
  readonly material: boolean;
  readonly assistant: boolean;
  readonly asked: boolean;
  readonly published: boolean;
}

@Injectable()
export class FirstStepsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The steps that a person has done so far, or `since` then. */
  async deedsOf({ organizationId, userId }: Principal, since: string | null): Promise<Deeds> {
    const [row] = await this.dataSource.query<Deeds[]>(
      `SELECT
         EXISTS (SELECT FROM knowledge_bases base JOIN kb_documents document ON document.knowledge_base_id = base.id
                  WHERE base.organization_id = $1 AND base.owner_id = $2 AND base.deleted_at IS NULL
                    AND document.deleted_at IS NULL AND document.created_at > coalesce($3::timestamptz, '-infinity'))
           OR EXISTS (SELECT FROM files WHERE organization_id = $1 AND owner_id = $2
                    AND created_at > coalesce($3::timestamptz, '-infinity')) AS material,
         EXISTS (SELECT FROM assistants WHERE organization_id = $1 AND owner_id = $2 AND deleted_at IS NULL
                    AND created_at > coalesce($3::timestamptz, '-infinity')) AS assistant,
         EXISTS (SELECT FROM runs WHERE organization_id = $1 AND user_id = $2) AS asked,
         EXISTS (SELECT FROM assistants WHERE organization_id = $1 AND owner_id = $2 AND published
                    AND deleted_at IS NULL) AS published`,
      [organizationId, userId, since],
    );
    if (row === undefined) throw new Error('The query of the first steps gave no row');
    return row;
  }

  /** Names of the enabled administrators, owners first. */
  async administrators(organizationId: string, most: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ name: string }[]>(
      `SELECT name FROM members WHERE organization_id = $1 AND role IN ('owner', 'admin') AND NOT disabled
        ORDER BY role DESC, created_at LIMIT $2`,
      [organizationId, most],
    );
    return rows.map(({ name }) => name);
  }
}
