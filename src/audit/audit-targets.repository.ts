import { isUuid } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** The target of an audit entry, as the log stores it. */
interface Target {
  readonly type: string;
  readonly id: string;
}

/** Table and column of the name, by the type of an audit target. */
const NAMES: Readonly<Record<string, readonly [table: string, name: string]>> = {
  api_key: ['api_keys', 'name'],
  assistant: ['assistants', 'name'],
  document: ['kb_documents', 'filename'],
  file: ['files', 'name'],
  group: ['groups', 'name'],
  knowledge_base: ['knowledge_bases', 'name'],
  lti_platform: ['lti_platforms', 'name'],
  oidc_issuer: ['oidc_issuers', 'name'],
  prompt_template: ['prompt_templates', 'name'],
  rubric: ['rubrics', 'title'],
};

const queryOf = (type: string, [table, name]: readonly [string, string]): string => {
  const key = type === 'assistant' ? 'integer' : 'uuid';
  return `SELECT id::text AS id, ${name} AS name FROM ${table} WHERE organization_id = $1 AND id = ANY($2::${key}[])`;
};
const isKey = ({ type, id }: Target): boolean => (type === 'assistant' ? /^\d{1,9}$/.test(id) : isUuid(id));

/** Names of what entries are about, as far as it is still there. */
@Injectable()
export class AuditTargetRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Names by `type id`. */
  async names(organizationId: string, targets: readonly Target[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const [type, where] of Object.entries(NAMES)) {
      const ids = [...new Set(targets.filter((each) => each.type === type && isKey(each)).map(({ id }) => id))];
      if (ids.length === 0) continue;
      const rows = await this.dataSource.query<{ id: string; name: string | null }[]>(queryOf(type, where), [
        organizationId,
        ids,
      ]);
      for (const { id, name } of rows) if (name !== null) found.set(`${type} ${id}`, name);
    }
    return found;
  }
}
