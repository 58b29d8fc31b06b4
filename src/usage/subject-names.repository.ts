import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../infrastructure/database';

interface NameRow {
  readonly subject: string;
  readonly name: string;
}

/** `$2` are ids as text: a malformed one finds nothing. */
const NAMES = `
  SELECT 'person/' || member.user_id AS subject, member.name FROM members member
   WHERE member.organization_id = $1 AND member.user_id::text = ANY($2)
  UNION ALL
  SELECT 'group/' || held.id, held.name FROM groups held
   WHERE held.organization_id = $1 AND held.id::text = ANY($2)
  UNION ALL
  SELECT 'key/' || key.id, key.name FROM api_keys key
   WHERE key.organization_id = $1 AND key.id::text = ANY($2)
  UNION ALL
  SELECT 'assistant/' || assistant.id, assistant.name FROM assistants assistant
   WHERE assistant.organization_id = $1 AND assistant.id::text = ANY($2)`;

@Injectable()
export class SubjectNamesRepository {
  constructor(private readonly dataSource: DataSource) {}

  within(organizationId: string, tx?: Transaction): SubjectNamesScope {
    return new SubjectNamesScope(tx ?? this.dataSource.manager, organizationId);
  }
}

/** Names of people, groups, keys and assistants of one organization. */
export class SubjectNamesScope {
  constructor(
    private readonly manager: Transaction,
    private readonly organizationId: string,
  ) {
    if (!organizationId) throw new Error('A scope of names needs an organization');
  }

  /** Names by `person/<id>`, `group/<id>`, `key/<id>` and `assistant/<id>`. */
  async of(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.manager.query<NameRow[]>(NAMES, [this.organizationId, ids]);
    return new Map(rows.map(({ subject, name }) => [subject, name]));
  }
}
