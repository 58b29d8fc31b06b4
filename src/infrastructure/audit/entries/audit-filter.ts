/** Entries must fit every member that is set. */
export interface AuditFilter {
  /** Id of a person, of a key or of a session; `system` for the service itself. */
  readonly actor?: string;
  /** An action; `member.*` for all that begin with `member.`. */
  readonly action?: string;
  readonly targetType?: string;
  readonly targetId?: string;
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
  readonly requestId?: string;
  readonly ip?: string;
  /** Part of the action, the target or the values, whatever the case. */
  readonly text?: string;
}

/** Over the alias `entry`. */
export type FilterCondition = readonly [sql: string, values: Record<string, unknown>];

const likeLiteral = (text: string): string => text.replace(/[\\%_]/g, (sign) => `\\${sign}`);

const PLAIN = {
  targetType: 'entry.targetType = :targetType',
  targetId: 'entry.targetId = :targetId',
  from: 'entry.at >= :from',
  to: 'entry.at < :to',
  requestId: 'entry.requestId = :requestId',
  ip: 'entry.ip = :ip',
} as const;

const TEXTS = ['action', 'targetId', 'before', 'after']
  .map((column) => `CAST(entry.${column} AS text) ILIKE :text`)
  .join(' OR ');

function actorCondition(actor: string): FilterCondition {
  if (actor === 'system') return [`entry.actorKind = 'system'`, {}];
  return ['(CAST(entry.actorUserId AS text) = lower(:actor) OR entry.actorCredentialId = :actor)', { actor }];
}

function actionCondition(action: string): FilterCondition {
  if (!action.endsWith('*')) return ['entry.action = :action', { action }];
  return ['entry.action LIKE :actions', { actions: `${likeLiteral(action.slice(0, -1))}%` }];
}

export function conditionsOf(filter: AuditFilter): readonly FilterCondition[] {
  const { actor, action, text } = filter;
  const conditions = Object.entries(PLAIN)
    .map(([name, sql]): FilterCondition => [sql, { [name]: filter[name as keyof typeof PLAIN] }])
    .filter(([, values]) => Object.values(values).every((value) => value !== undefined));
  if (actor !== undefined) conditions.push(actorCondition(actor));
  if (action !== undefined) conditions.push(actionCondition(action));
  if (text !== undefined) conditions.push([`(${TEXTS})`, { text: `%${likeLiteral(text)}%` }]);
  return conditions;
}
