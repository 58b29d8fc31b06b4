import { snakeCased, terminalLine } from '@bellwether/kernel';
import { type LambProblem, NOT_TAKEN, type NotTakenKind } from '@bellwether/lamb-reader';
import { stringify } from 'csv-stringify/sync';
import {
  ITEM_KINDS,
  ITEM_OUTCOMES,
  type ImportReport,
  type ImportedOrganization,
  type ItemCounts,
  type ItemOutcome,
  KIND_NAMES,
  type MissingFile,
  type ReportNote,
} from './report-builder';

/** True without conflicts, failures, missing files and an interruption. */
export const isClean = ({ organizations, interrupted }: ImportReport): boolean =>
  !interrupted &&
  organizations.every(
    ({ outcome, conflicts, missingFiles }) =>
      outcome !== 'conflict' && outcome !== 'failed' && conflicts.length === 0 && missingFiles.length === 0,
  );

interface UnresolvedAddress {
  readonly code: 'address.unresolved';
  readonly address: string;
  /** Slugs here of the organizations with this address. */
  readonly organizations: readonly string[];
}

/** Each address once, with the organizations behind it. */
function unresolvedAddresses({ organizations }: ImportReport): UnresolvedAddress[] {
  const slugs = new Map<string, string[]>();
  for (const { slug, unresolved } of organizations) {
    for (const address of unresolved) slugs.set(address, [...(slugs.get(address) ?? []), slug]);
  }
  return [...slugs].map(([address, organizations]) => ({ code: 'address.unresolved', address, organizations }));
}

interface ReportTotals {
  readonly organizations: number;
  /** Sums over all kinds and organizations. */
  readonly counts: ItemCounts;
}

function totals({ organizations }: ImportReport): ReportTotals {
  const counts = { created: 0, updated: 0, unchanged: 0, conflict: 0, left_out: 0 };
  for (const organization of organizations) {
    for (const kind of ITEM_KINDS) {
      for (const outcome of ITEM_OUTCOMES) counts[outcome] += organization.counts[kind][outcome];
    }
  }
  return { organizations: organizations.length, counts };
}

/** The whole report for programs; its keys are the command's contract (docs/guide/move-from-lamb.md). */
export const reportJson = (report: ImportReport): Record<string, unknown> => ({
  ...snakeCased(report),
  ...totals(report).counts,
  unresolved: unresolvedAddresses(report),
});

const COLUMNS = ['source', 'organization', 'old_id', 'new_id', 'old_model', 'new_model', 'name'] as const;

/**
 * Old and new ids of every imported assistant as CSV (RFC 4180) in UTF-8. A name that a spreadsheet would take for a
 * formula begins with an apostrophe.
 */
export function idsCsv({ source, organizations }: ImportReport): string {
  const rows = organizations.flatMap(({ slug, assistants }) =>
    assistants.flatMap(({ origin, id, name }) => {
      if (id === null) return [];
      return [[source, slug, origin, id, `lamb_assistant.${origin}`, `lamb_assistant.${id}`, name]];
    }),
  );
  return stringify(rows, { header: true, columns: [...COLUMNS], escape_formulas: true, record_delimiter: '\r\n' });
}

/** Lines shown per block; `--json` has all of them. */
export const MAX_SHOWN = 20;

export const OUTCOME_NAMES: Readonly<Record<ItemOutcome, string>> = {
  created: 'created',
  updated: 'updated',
  unchanged: 'unchanged',
  conflict: 'in conflict',
  left_out: 'left out',
};
const VERDICTS: Readonly<Record<ImportedOrganization['outcome'], string>> = {
  created: 'created',
  updated: 'updated',
  unchanged: 'unchanged',
  conflict: 'not imported: conflict',
  failed: 'not imported: failed',
};
const NOT_TAKEN_NAMES: Readonly<Record<NotTakenKind, readonly [one: string, many: string]>> = {
  lti_activities: ['LTI activity', 'LTI activities'],
  lti_keys: ['LTI key', 'LTI keys'],
  lti_students: ['LTI student', 'LTI students'],
  lti_teachers: [
    'teacher of LTI without an id at the learning platform: imported as a member, but cannot come in by LTI',
    'teachers of LTI without an id at the learning platform: imported as members, but cannot come in by LTI',
  ],
  chats: ['chat', 'chats'],
  libraries: ['library', 'libraries'],
  test_scenarios: ['test scenario', 'test scenarios'],
  aac_sessions: ['AAC session', 'AAC sessions'],
  signup_keys: ['signup key of an organization', 'signup keys of organizations'],
  assistant_quotas: ['cost limit of an assistant', 'cost limits of assistants'],
  assistant_defaults: [
    'organization with defaults for new assistants',
    'organizations with defaults for new assistants',
  ],
  organization_limits: [
    'organization with limits (LAMB does not enforce them)',
    'organizations with limits (LAMB does not enforce them)',
  ],
  rubric_showcases: [
    'rubric shown as an example: imported as an ordinary one',
    'rubrics shown as examples: imported as ordinary ones',
  ],
  rubric_parents: ['link of a rubric to the one it was copied from', 'links of rubrics to those they were copied from'],
};
const COLUMN = Math.max(...Object.values(KIND_NAMES).map((name) => name.length)) + 2;

function block(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, MAX_SHOWN).map((line) => `    ${terminalLine(line)}`);
  const rest = lines.length - shown.length;
  return [`  ${title}`, ...shown, ...(rest > 0 ? [`    and ${rest} more (--json lists all)`] : [])];
}

const named = (name: string | null): string => (name === null ? '' : ` "${name}"`);

const noteLine = ({ kind, origin, name, message }: ReportNote): string => `${kind} ${origin}${named(name)}: ${message}`;

const fileLine = ({ path, assistants, reason }: MissingFile): string =>
  `${path} (assistants ${assistants.join(', ')}): ${reason}`;

export const countsText = (counts: ItemCounts): string =>
  ITEM_OUTCOMES.filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${counts[outcome]} ${OUTCOME_NAMES[outcome]}`)
    .join(', ');

const countLines = ({ counts }: ImportedOrganization): string[] =>
  ITEM_KINDS.map((kind) => ({ kind, text: countsText(counts[kind]) }))
    .filter(({ kind, text }) => kind !== 'organization' && text !== '')
    .map(({ kind, text }) => `  ${KIND_NAMES[kind].padEnd(COLUMN)}${text}`);

function newIds({ assistants }: ImportedOrganization): string[] {
  const imported = assistants.filter(({ id }) => id !== null);
  const changed = imported.filter(({ origin, id }) => origin !== id);
  const kept = imported.length - changed.length;
  return [
    ...(kept > 0 ? [`${kept} keep their id`] : []),
    ...changed.map(({ origin, id, name }) => `lamb_assistant.${origin} is lamb_assistant.${id}${named(name)}`),
  ];
}

function organizationLines(organization: ImportedOrganization): string[] {
  const { name, slug, originSlug, outcome } = organization;
  const renamed = slug === originSlug ? slug : `${slug}, in LAMB ${originSlug}`;
  return [
    terminalLine(`${name} (${renamed}): ${VERDICTS[outcome]}`),
    ...countLines(organization),
    ...block('Conflicts', organization.conflicts.map(noteLine)),
    ...block('Left out', organization.leftOut.map(noteLine)),
    ...block('Notes', organization.notes.map(noteLine)),
    ...block('Files that are missing', organization.missingFiles.map(fileLine)),
    ...block('Assistants that can do less than in LAMB', organization.findings.map(noteLine)),
    ...block('New ids of assistants', newIds(organization)),
    '',
  ];
}

function problemLine({ table, row, path, message }: LambProblem): string {
  const place = row === null ? table : `${table}/${row}`;
  return `${path === '' ? place : `${place} ${path}`}: ${message}`;
}

const notTakenLines = ({ notTaken }: ImportReport): string[] =>
  NOT_TAKEN.flatMap((kind) => {
    const count = notTaken[kind] ?? 0;
    const [one, many] = NOT_TAKEN_NAMES[kind];
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });

const addressLine = ({ address, organizations }: UnresolvedAddress): string =>
  `${address} (${organizations.join(', ')}): its host name is not known here; --map-address ${address}=<address here>`;

function conclusion(report: ImportReport): string {
  const { organizations, counts } = totals(report);
  const things = countsText(counts);
  const sum = `${organizations} organization${organizations === 1 ? '' : 's'}: ${things === '' ? 'nothing to do' : things}.`;
  if (report.interrupted) return `${sum} Interrupted; run the same command to continue.`;
  if (!isClean(report)) return `${sum} Something is in conflict, failed or is missing; see above.`;
  if (report.dryRun) return `${sum} Nothing was written. Without --dry-run it is written, and assistants are checked.`;
  return sum;
}

export function reportText(report: ImportReport): string {
  const title = `Import from ${report.source}${report.dryRun ? ' (dry run: nothing is written)' : ''}`;
  const closing = [
    block('Addresses that do not resolve', unresolvedAddresses(report).map(addressLine)),
    block('Not taken from this database', notTakenLines(report)),
    block('Not read in the source', report.problems.map(problemLine)),
  ];
  const lines = [terminalLine(title), '', ...report.organizations.flatMap(organizationLines)];
  const ends = closing.flatMap((each) => (each.length > 0 ? [...each, ''] : []));
  return [...lines, ...ends, conclusion(report)].join('\n');
}
