import { AppError, snakeCased, terminalLine } from '@bellwether/kernel';
import type { KbCollection, LambProblem } from '@bellwether/lamb-reader';
import { Injectable } from '@nestjs/common';
import { KnowledgeBaseImport } from '../../../src/knowledge-bases';
import { MembersService, OrganizationsService } from '../../../src/organizations';
import { OriginRepository } from '../origin.repository';
import { ITEM_OUTCOMES, type ItemOutcome } from '../report-builder';
import { MAX_SHOWN, OUTCOME_NAMES, countsText } from '../report-text';

/** Owner of a knowledge base here. */
export interface KbOwner {
  readonly organizationId: string;
  readonly ownerId: string;
  readonly shared: boolean;
  /** From LAMB's registry; null when it does not list the collection. */
  readonly name: string | null;
}

/** Gets collections whose owner is unknown, by the operator's choice. */
export interface NewOwner {
  readonly organizationId: string;
  readonly ownerId: string;
}

/** Finds owners by what `import:lamb` has brought from LAMB's registry and users. */
@Injectable()
export class KbOwners {
  constructor(
    private readonly origins: OriginRepository,
    private readonly knowledgeBases: KnowledgeBaseImport,
    private readonly organizations: OrganizationsService,
    private readonly members: MembersService,
  ) {}

  /** Null, when neither the registry nor the server names a person who was imported, and there is no heir. */
  async of({ id, owner, isPublic }: KbCollection, source: string, heir: NewOwner | null): Promise<KbOwner | null> {
    for (const { organizationId, localId } of await this.origins.named(source, 'collection', String(id))) {
      const listed = await this.knowledgeBases.listed(organizationId, localId);
      if (listed !== null) return { organizationId, ownerId: listed.ownerId, shared: listed.shared, name: listed.name };
    }
    const members = await this.origins.named(source, 'member', owner);
    const [member] = members;
    // A member of several organizations does not tell which of them the collection is for.
    if (member !== undefined && members.length === 1) {
      return { organizationId: member.organizationId, ownerId: member.localId, shared: isPublic, name: null };
    }
    return heir === null ? null : { ...heir, shared: isPublic, name: null };
  }

  /** @throws {AppError} `not_found` */
  async heir(organization: string, email: string): Promise<NewOwner> {
    const organizationId = await this.organizations.idOf(organization);
    const member = await this.members.find(organizationId, email.trim().toLowerCase());
    if (member === null) throw new AppError('not_found', `There is no member ${email} in ${organization}`);
    return { organizationId, ownerId: member.userId };
  }
}

const KB_ITEMS = ['knowledge_base', 'document', 'source'] as const;
type KbItem = (typeof KB_ITEMS)[number];

interface KbNote {
  readonly kind: KbItem;
  /** Primary key at the source. */
  readonly origin: string;
  readonly name: string;
  readonly outcome: 'conflict' | 'left_out' | 'note';
  readonly code: string;
  readonly message: string;
}

/** Outcome of one collection. */
export class CollectionReport {
  readonly counts = Object.fromEntries(
    KB_ITEMS.map((kind) => [kind, Object.fromEntries(ITEM_OUTCOMES.map((outcome) => [outcome, 0]))]),
  ) as Record<KbItem, Record<ItemOutcome, number>>;
  readonly notes: KbNote[] = [];
  /** Id here; null when it was not imported, and in a dry run for a new one. */
  id: string | null = null;
  organization: string | null = null;

  constructor(
    /** The collection's id at the source: the alias here. */
    readonly origin: string,
    readonly name: string,
  ) {}

  count(kind: KbItem, outcome: ItemOutcome): void {
    this.counts[kind][outcome] += 1;
  }

  note(item: Omit<KbNote, 'outcome'>): void {
    this.notes.push({ ...item, outcome: 'note' });
  }

  refuse(item: KbNote & { readonly outcome: 'conflict' | 'left_out' }): void {
    this.count(item.kind, item.outcome);
    this.notes.push(item);
  }
}

export interface KbReport {
  readonly source: string;
  readonly dryRun: boolean;
  readonly interrupted: boolean;
  readonly collections: readonly CollectionReport[];
  /** Assistants whose owners may not read a collection here that LAMB let them read. Empty in a dry run. */
  readonly assistants: readonly { readonly origin: string; readonly id: number; readonly message: string }[];
  readonly problems: readonly LambProblem[];
}

const NAMES: Readonly<Record<KbItem, string>> = {
  knowledge_base: 'knowledge bases',
  document: 'documents',
  source: 'addresses',
};
const NAMES_OF_ONE: Readonly<Record<KbItem, string>> = {
  knowledge_base: 'collection',
  document: 'file',
  source: 'address of',
};

const sums = ({ collections }: KbReport): CollectionReport['counts'] => {
  const all = new CollectionReport('', '').counts;
  for (const { counts } of collections) {
    for (const kind of KB_ITEMS) for (const outcome of ITEM_OUTCOMES) all[kind][outcome] += counts[kind][outcome];
  }
  return all;
};

/** False after a conflict, a failure or an interruption. A file that was left out is told and no failure. */
export const isKbClean = (report: KbReport): boolean =>
  !report.interrupted && KB_ITEMS.every((kind) => sums(report)[kind].conflict === 0);

export const kbReportJson = (report: KbReport): Record<string, unknown> => ({
  ...snakeCased({ ...report, collections: report.collections.map((each) => ({ ...each })) }),
  totals: sums(report),
});

function collectionLines(report: CollectionReport): string[] {
  const { origin, name, id, counts, notes } = report;
  const outcome = ITEM_OUTCOMES.find((each) => counts.knowledge_base[each] > 0);
  const verdict = outcome === undefined ? '' : OUTCOME_NAMES[outcome];
  const shown = notes
    .slice(0, MAX_SHOWN)
    .map((note) => `    ${NAMES_OF_ONE[note.kind]} ${note.origin} "${note.name}": ${note.message}`);
  const rest = notes.length - shown.length;
  return [
    `Collection ${origin} "${name}": ${verdict}${id === null ? '' : ` as ${id}`}`,
    ...(['document', 'source'] as const).flatMap((kind) => {
      const text = countsText(counts[kind]);
      return text === '' ? [] : [`  ${NAMES[kind].padEnd(12)}${text}`];
    }),
    ...shown,
    ...(rest > 0 ? [`    and ${rest} more (--json lists all)`] : []),
  ].map(terminalLine);
}

function conclusion(report: KbReport): string {
  const all = sums(report);
  const parts = KB_ITEMS.map((kind) => ({ kind, text: countsText(all[kind]) })).filter(({ text }) => text !== '');
  const sum = parts.map(({ kind, text }) => `${NAMES[kind]}: ${text}`).join('; ') || 'Nothing to do';
  if (report.interrupted) return `${sum}. Interrupted; run the same command to continue.`;
  if (!isKbClean(report)) return `${sum}. Something is in conflict; see above.`;
  if (report.dryRun) return `${sum}. Nothing was written.`;
  return `${sum}. The service reads new documents and addresses while it runs.`;
}

export function kbReportText(report: KbReport): string {
  const title = `Knowledge bases from ${report.source}${report.dryRun ? ' (dry run: nothing is written)' : ''}`;
  const problems = report.problems.map(
    ({ table, row, path, message }) => `  ${table}/${row ?? ''} ${path}: ${message}`,
  );
  const lost = report.assistants.map(({ id, message }) => terminalLine(`  lamb_assistant.${id}: ${message}`));
  return [
    terminalLine(title),
    '',
    ...report.collections.flatMap((each) => [...collectionLines(each), '']),
    ...(lost.length === 0
      ? []
      : ['Assistants whose owners may not read something that they use, also files and rubrics', ...lost, '']),
    ...(problems.length === 0 ? [] : ['Not read in the source', ...problems.slice(0, MAX_SHOWN).map(terminalLine), '']),
    conclusion(report),
  ].join('\n');
}
