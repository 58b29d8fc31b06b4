import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { UsageRow } from './usage.types';
import { AcrossOrganizations, addOnce, type Transaction } from '../../infrastructure/database';

const COLUMNS = [
  ['organization_id', 'organizationId', 'uuid'],
  ['day', 'day', 'date'],
  ['caller_organization_id', 'callerOrganizationId', 'uuid'],
  ['assistant_id', 'assistantId', 'integer'],
  ['provider', 'provider', 'text'],
  ['model', 'model', 'text'],
  ['user_id', 'userId', 'uuid'],
  ['credential_id', 'credentialId', 'uuid'],
] as const;

const FIGURES = [
  ['runs', 'runs', 'integer'],
  ['failed', 'failed', 'integer'],
  ['model_calls', 'modelCalls', 'integer'],
  ['estimated_calls', 'estimatedCalls', 'integer'],
  ['prompt_tokens', 'promptTokens', 'bigint'],
  ['completion_tokens', 'completionTokens', 'bigint'],
  ['cached_tokens', 'cachedTokens', 'bigint'],
  ['cost_micros', 'costMicros', 'bigint'],
] as const;

const ALL = [...COLUMNS, ['assistant_name', 'assistantName', 'text'] as const, ...FIGURES];
const namesOf = (columns: readonly (readonly [string, string, string])[]): string =>
  columns.map(([name]) => name).join(', ');

/** `$1` is a JSON array of rows, `$2` the id of the batch. Locks in one order, like every process that adds usage. */
const ADD = `
  ${addOnce('$2')}
  INSERT INTO usage_days AS held (${namesOf(ALL)})
  SELECT ${ALL.map(([, property]) => `r."${property}"`).join(', ')}
  FROM json_to_recordset($1::json) AS r(${ALL.map(([, property, type]) => `"${property}" ${type}`).join(', ')})
  WHERE EXISTS (SELECT FROM once)
  ORDER BY ${COLUMNS.map(([, property]) => `r."${property}"`).join(', ')}
  ON CONFLICT ON CONSTRAINT usage_days_uq DO UPDATE SET
    assistant_name = coalesce(excluded.assistant_name, held.assistant_name),
    ${FIGURES.map(([name]) => `${name} = held.${name} + excluded.${name}`).join(', ')}`;

/** Usage by day. The rows of one call must differ in their key. */
@Injectable()
export class UsageRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** A repetition with the same `id` adds nothing. */
  @AcrossOrganizations('batches')
  async add(id: string, rows: readonly UsageRow[], tx: Transaction = this.dataSource.manager): Promise<void> {
    await tx.query(ADD, [JSON.stringify(rows), id]);
  }
}
