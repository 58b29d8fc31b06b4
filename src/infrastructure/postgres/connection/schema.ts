import { OperatorError } from '@bellwether/kernel';
import type { DataSource } from 'typeorm';

/**
 * The migrations of the first builds, which the baselines replaced in November 2026. A database that has them all has the
 * tables of the baselines. Its rows keep their names, so that builds of that time serve beside newer ones.
 */
export const EARLIER_MIGRATIONS: readonly string[] = `
  CreateOrganizations1795302000000 CreateAssistants1795302001000 CreateContent1795302002000 CreateRuns1795302003000
  AddPassagePlaces1795370000000 AddJobs1795370001000 AddEmbeddings1795370002000 BlockPostings1795370003000
  KeepAnsweringFiles1795370005000 NestRuns1795460000000 AddStanding1795460001000 SortPostingBlocks1795470000000
  KeepRunLogs1795500000000 CountToolCalls1795500001000 RememberPlans1795500002000 MigrateMetadata1795600000000
  RememberOrigins1795600001000 AddSessions1795700000000 CountVersions1795800000000 BindCollections1796002000001
  KeepFileTexts1796003000000 CountAssistantCalls1796005000000 KeepOutcomes1796006000001
  IndexVisibleAssistants1796006000002 RetryRuns1796006000003 KeepTableHeaders1796007000000
  AddSingleSignOn1796100000000 ScopeIdentities1796110000000 AddGroups1796200000000 ChainAuditEntries1796210000000
  MeterUsage1796210000000 ShareWithGroups1796220000000 KeepPassages1796225000000 AddErasures1796300000000
  LimitSignIns1796310000000 AddScim1796320000000 AddConversations1796400000000 DescribeRuns1796410000000
  KeepDraftsApart1796420000000 InviteMembers1796430000000 AddConnectionHealth1796440000000 AddLti1796500000000
  AddLtiGrades1796510000000 AddLtiSelections1796510000001 NameImportedAssistants1796520000000
  LimitKeysToPublished1796521000000 ImportLtiActivities1796522000000 AddSources1796530000000
  AliasKnowledgeBases1796530001000 EndOrganizations1796540000000 TraceRequests1796550000000
  LimitInvitations1796550100000 AddLtiBridge1796560000000 BranchConversations1796600000000
  CodeTextFailures1796602000000 AddCourseActivities1796611000000 RegisterPlatforms1796611000001
  TakePasswordsOver1796612000000 AddInstallationFigures1796620000000 UnderstandQuestions1796630000000
  KeepNotices1796630100000 IndexLists1796630200000 IndexAssistantNames1796630300000 IndexAssistantTexts1796630400000
  RerankPassages1796700000000 JudgePassages1796700100000 LabelPages1796710000000 AddReceipts1796730000000
  AddReplays1796730100000 AddAssistantTests1796740000000 KeepExternalIds1796810000000 CountLostStarts1796820000000
  AddAppliedWrites1796840000000 FindPlatformsByAddress1796869000000 PairLaunchCodes1796869100000`
  .trim()
  .split(/\s+/);

/** The last commit that has them. */
export const LAST_OF_EARLIER = '7a8df64c';

/** One of the migrations that make the tables of a module. They are never reverted. */
export const isBaseline = (name: string): boolean => /^Baseline(?=[A-Z])/.test(name);

export interface SchemaStatus {
  /** Names in the order in which they were applied. */
  readonly applied: readonly string[];
  /** Known to this build, missing in the database. */
  readonly pending: readonly string[];
  /** Applied by a newer build than this one. */
  readonly unknown: readonly string[];
  /** The migrations of `unknown` that may have removed something which this build uses. */
  readonly contracted: readonly string[];
  /** Applied before there were baselines; not among the others. */
  readonly earlier: readonly string[];
}

export class SchemaMismatchError extends OperatorError {
  readonly code = 'schema_mismatch';

  constructor(readonly status: SchemaStatus) {
    super(adviceFor(status));
  }
}

/**
 * Expand and contract: migrations only add, so that older builds keep serving. The name of one that removes something
 * begins with this word. The database stores the names, so older builds recognize it too.
 */
const CONTRACTION = /^Contract(?=[A-Z])/;

function adviceFor(status: SchemaStatus): string {
  const { unknown, earlier, pending } = status;
  if (unknown.length > 0) {
    return (
      `The database schema is newer than this build, by ${steps(unknown)}. Start the newer build, or revert ` +
      'with it first (db:revert).'
    );
  }
  if (isHalfway(status)) {
    return (
      `The database schema is of November 2026, with ${earlier.length} of ${EARLIER_MIGRATIONS.length} migrations of that ` +
      `time. Start the build of commit ${LAST_OF_EARLIER} once, which applies the others, then this one.`
    );
  }
  return `The database schema is older than this build, by ${steps(pending)}. Run db:migrate, or start the service once.`;
}

/** Too old for this build, which does not have the missing ones of the earlier migrations. */
export const isHalfway = ({ earlier, pending }: SchemaStatus): boolean =>
  earlier.length > 0 && earlier.length < EARLIER_MIGRATIONS.length && pending.some(isBaseline);

/** Counts only: `db:status` lists the names. */
const steps = (names: readonly string[]): string => `${names.length} migration${names.length === 1 ? '' : 's'}`;

/**
 * Compares the migrations of the database with those of this build. Only reads: also safe on a replica or before the
 * first migration.
 */
export async function schemaStatus(dataSource: DataSource): Promise<SchemaStatus> {
  const known = dataSource.migrations
    .map((migration) => migration.name ?? migration.constructor.name)
    .sort((one, other) => numberOf(one) - numberOf(other));
  const stored = await appliedMigrations(dataSource);
  const applied = stored.filter((name) => !EARLIER_MIGRATIONS.includes(name));
  const unknown = applied.filter((name) => !known.includes(name));
  return {
    applied,
    pending: known.filter((name) => !applied.includes(name)),
    unknown,
    contracted: unknown.filter(isContraction),
    earlier: stored.filter((name) => EARLIER_MIGRATIONS.includes(name)),
  };
}

export const isContraction = (name: string): boolean => CONTRACTION.test(name);

/** Whether this build can serve on the schema: its own, or one to which newer builds only added. */
export const isUsable = ({ pending, contracted }: SchemaStatus): boolean =>
  pending.length === 0 && contracted.length === 0;

/** True before the first migration. */
export async function schemaIsEmpty(dataSource: DataSource): Promise<boolean> {
  return (await appliedMigrations(dataSource)).length === 0;
}

/** @throws {SchemaMismatchError} when this build cannot use the schema. */
export async function assertSchemaIsUsable(dataSource: DataSource): Promise<void> {
  const status = await schemaStatus(dataSource);
  if (!isUsable(status)) throw new SchemaMismatchError(status);
}

async function appliedMigrations(dataSource: DataSource): Promise<string[]> {
  const [{ exists }] = await dataSource.query<[{ exists: boolean }]>(
    `SELECT to_regclass('migrations') IS NOT NULL AS exists`,
  );
  if (!exists) return [];
  const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id');
  return rows.map(({ name }) => name);
}

/** TypeORM's convention: the last 13 characters of a migration's name order it. */
export const numberOf = (name: string): number => Number(name.slice(-13));
