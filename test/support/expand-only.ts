/** Forms of statements and actions that break older builds, and why. */
const CONTRACTIONS: readonly [form: RegExp, why: string][] = [
  [/^DROP (?!CONSTRAINT|NOT NULL|DEFAULT|INDEX|POLICY|TRIGGER)/i, 'drops what older builds use'],
  [/\bRENAME\b/i, 'renames what older builds use'],
  [/^ALTER (?:COLUMN )?"?\w+"? (?:SET DATA )?TYPE\b/i, 'changes a type that older builds write'],
  [/^ALTER (?:COLUMN )?"?\w+"? SET NOT NULL\b/i, 'requires a value that older builds may leave out'],
  [/^ALTER (?:COLUMN )?"?\w+"? DROP DEFAULT\b/i, 'removes a default that older builds rely on'],
  [
    /^ADD (?:COLUMN )?(?!CONSTRAINT)(?=.*\bNOT NULL\b)(?!.*\b(?:DEFAULT|GENERATED)\b)/i,
    'requires a value that older builds leave out',
  ],
];
const RULE = /^(?:CREATE UNIQUE INDEX|ADD (?:CONSTRAINT "?\w+"? )?(?:CHECK|UNIQUE|FOREIGN KEY|PRIMARY KEY|EXCLUDE))\b/i;
const ADDED_COLUMN =
  /^ADD (?:COLUMN )?(?:IF NOT EXISTS )?"?(?!CONSTRAINT|CHECK|UNIQUE|FOREIGN|PRIMARY|EXCLUDE)(\w+)"?/i;

/** Constraints that replace a stricter one of the same name, so that they refuse nothing that older builds may write. */
const LOOSENED: readonly string[] = ['lti_platforms_client_uq'];

/** Parts between commas outside of parentheses. */
function partsOf(list: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of list) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim());
}

const statementsOf = (sql: readonly string[]): string[] =>
  sql
    .flatMap((each) => each.replace(/--.*$/gm, '').split(';'))
    .map((each) => each.replace(/\s+/g, ' ').trim())
    .filter((each) => each !== '');

/** One change of one table. */
interface Action {
  readonly table: string;
  readonly text: string;
}

/** Actions on existing tables. No older build uses a new table. */
function actionsOf(statements: readonly string[]): Action[] {
  const created = new Set<string>();
  return statements.flatMap((statement) => {
    const table = /^CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)"?/i.exec(statement)?.[1];
    if (table !== undefined) created.add(table);
    const [, altered, changes = ''] = /^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?"?(\w+)"? (.*)$/i.exec(statement) ?? [];
    const [, indexed] = /^CREATE UNIQUE INDEX .*? ON "?(\w+)"?/i.exec(statement) ?? [];
    const changed = altered ?? indexed ?? '';
    if (created.has(changed)) return [];
    const texts = altered === undefined ? [statement] : partsOf(changes);
    return texts.map((text) => ({ table: changed, text }));
  });
}

/**
 * Finds the statements of one migration that would break a running service of the previous build. A new constraint is
 * allowed if it names a column that the same migration adds: older builds leave that column empty.
 */
export function contractionsIn(sql: readonly string[]): string[] {
  const actions = actionsOf(statementsOf(sql));
  const added = actions.flatMap(({ text }) => ADDED_COLUMN.exec(text)?.[1] ?? []);
  const isForAdded = (text: string): boolean => added.some((column) => new RegExp(`\\b${column}\\b`).test(text));
  return actions.flatMap(({ table, text }) => {
    const why = CONTRACTIONS.find(([form]) => form.test(text))?.[1];
    if (why !== undefined) return [`${table}: ${text}: ${why}`];
    const isLoosened = LOOSENED.some((name) => text.startsWith(`ADD CONSTRAINT ${name} `));
    return RULE.test(text) && !isForAdded(text) && !isLoosened
      ? [`${table}: ${text}: refuses rows that older builds write`]
      : [];
  });
}

/** Migrations of the time when no older build ran beside a newer one. The list is complete: it never grows. */
export const BEFORE_ROLLING_UPGRADES: readonly string[] = [
  'CreateOrganizations1795302000000',
  'CreateAssistants1795302001000',
  'CreateContent1795302002000',
  'CreateRuns1795302003000',
  'AddPassagePlaces1795370000000',
  'AddJobs1795370001000',
  'AddEmbeddings1795370002000',
  'BlockPostings1795370003000',
  'KeepAnsweringFiles1795370005000',
  'NestRuns1795460000000',
  'AddStanding1795460001000',
  'SortPostingBlocks1795470000000',
  'KeepRunLogs1795500000000',
  'CountToolCalls1795500001000',
  'RememberPlans1795500002000',
  'MigrateMetadata1795600000000',
  'RememberOrigins1795600001000',
  'AddSessions1795700000000',
  'CountVersions1795800000000',
  'BindCollections1796002000001',
  'KeepFileTexts1796003000000',
  'CountAssistantCalls1796005000000',
  'KeepOutcomes1796006000001',
  'IndexVisibleAssistants1796006000002',
  'RetryRuns1796006000003',
  'KeepTableHeaders1796007000000',
  'AddSingleSignOn1796100000000',
  'ScopeIdentities1796110000000',
  'AddGroups1796200000000',
  'ChainAuditEntries1796210000000',
  'MeterUsage1796210000000',
  'ShareWithGroups1796220000000',
  'KeepPassages1796225000000',
  'AddErasures1796300000000',
  'LimitSignIns1796310000000',
  'AddScim1796320000000',
  'AddConversations1796400000000',
  'DescribeRuns1796410000000',
  'KeepDraftsApart1796420000000',
  'InviteMembers1796430000000',
  'AddConnectionHealth1796440000000',
  'AddLti1796500000000',
  'AddLtiGrades1796510000000',
  'AddLtiSelections1796510000001',
  'NameImportedAssistants1796520000000',
  'LimitKeysToPublished1796521000000',
  'ImportLtiActivities1796522000000',
  'AddSources1796530000000',
  'AliasKnowledgeBases1796530001000',
];
