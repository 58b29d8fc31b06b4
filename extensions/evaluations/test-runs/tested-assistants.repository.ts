import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** An assistant that has tests. */
export interface TestedAssistant {
  readonly id: number;
  readonly name: string;
  readonly organizationId: string;
  readonly organizationSlug: string;
  readonly ownerId: string;
}

const TESTED = `
  SELECT a.id, a.name, a.organization_id AS "organizationId", o.slug AS "organizationSlug", a.owner_id AS "ownerId"
  FROM assistants a JOIN organizations o ON o.id = a.organization_id
  WHERE a.deleted_at IS NULL AND ($1::integer IS NULL OR a.id = $1) AND ($2::text IS NULL OR o.slug = $2)
    AND EXISTS (SELECT FROM assistant_tests t WHERE t.assistant_id = a.id AND t.organization_id = a.organization_id)
  ORDER BY a.id`;

/** Assistants with tests, for operator commands, which work across organizations. */
@Injectable()
export class TestedAssistantRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** null: any. */
  find(id: number | null, organization: string | null): Promise<readonly TestedAssistant[]> {
    return this.dataSource.query<TestedAssistant[]>(TESTED, [id, organization]);
  }
}
