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
    return RULE.test(text) && !isForAdded(text) ? [`${table}: ${text}: refuses rows that older builds write`] : [];
  });
}

/** Make the tables that later migrations change. The list is complete: a new module begins with an ordinary migration. */
export const BASELINES: readonly string[] = [
  'BaselineOrganizations1700000000001',
  'BaselineInfrastructure1700000000002',
  'BaselineAuth1700000000003',
  'BaselineMetering1700000000004',
  'BaselineRuns1700000000005',
  'BaselineFiles1700000000006',
  'BaselineTools1700000000007',
  'BaselineRubrics1700000000008',
  'BaselineKnowledgeBases1700000000009',
  'BaselineAssistants1700000000010',
  'BaselineOrchestrators1700000000011',
  'BaselineMigration1700000000012',
  'BaselinePrivacy1700000000013',
  'BaselineChat1700000000014',
  'BaselineRunsApi1700000000015',
  'BaselineHealth1700000000016',
  'BaselineLti1700000000017',
  'BaselineScim1700000000018',
  'BaselineLambImport1700000000019',
  'BaselineEvaluations1700000000020',
];
