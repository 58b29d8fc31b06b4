import { Injectable } from '@nestjs/common';
import type { KeptFile } from '../../files';
import { AppError, uuidv7 } from '../../kernel';
import { type Transaction, Transactions } from '../../platform/database';
import type { ImportedOrganization, ImportOptions } from '../import.types';
import type { LambOrganization, LambSource } from '../source/lamb-source.types';
import { OriginBook, OriginRepository } from '../storage/origin.repository';
import type { MovedContent } from './content';
import { ContentMove } from './content-move';
import { type PackedFiles, FileLuggage } from './file-luggage';
import { ImportRecords } from './import-records';
import type { Ground } from './landings';
import { aboutOrganization, OrganizationEntrance } from './organization-entrance';
import { Tally } from './tally';

export interface MoveContext {
  readonly source: LambSource;
  readonly options: ImportOptions;
  /** @throws when the import is not ours any more. */
  readonly assertTurn: (tx?: Transaction) => Promise<void>;
}

/** Ends the transaction of a dry run. */
class NothingKept extends Error {}

/** One organization of the source with everything in it: all of it or nothing. */
@Injectable()
export class OrganizationMove {
  constructor(
    private readonly transactions: Transactions,
    private readonly origins: OriginRepository,
    private readonly entrance: OrganizationEntrance,
    private readonly content: ContentMove,
    private readonly luggage: FileLuggage,
    private readonly records: ImportRecords,
  ) {}

  /** @throws {AppError} whatever stopped it; then nothing of the organization was written. */
  async run(organization: LambOrganization, context: MoveContext): Promise<ImportedOrganization> {
    const { source, options } = context;
    const tally = new Tally();
    const known = await this.origins.organization(options.sourceName, String(organization.id));
    const organizationId = known?.organizationId ?? uuidv7();
    const book = known === null ? new OriginBook([]) : await this.origins.book(organizationId, options.sourceName);
    const planned = await this.entrance.plan(organization, tally);
    const content = await this.content.plan({ organization, source, book }, tally);
    const { assertTurn } = context;
    const journey = { organizationId, options, book, assertTurn };
    const packed = await this.luggage.pack(content, journey, tally);
    await assertTurn();
    const moved = await this.written(packed, organizationId, options.dryRun, async (tx) => {
      await assertTurn(tx);
      const ground: Ground = { organizationId, tx };
      if (!(await this.entrance.enter(organization, planned, ground, options.sourceName, tally))) return null;
      const done = await this.content.write({ ground, content, packed, book, options }, tally);
      if (tally.wrote) await this.record(organization, done, options.sourceName, ground);
      return done;
    });
    return report(organization, planned.slug, moved, options, tally);
  }

  /** Runs the transaction, and leaves no bytes behind that nothing names. */
  private async written(
    packed: PackedFiles,
    organizationId: string,
    dryRun: boolean,
    work: (tx: Transaction) => Promise<MovedContent | null>,
  ): Promise<MovedContent | null> {
    const kept = [...packed.kept.values()];
    let moved: MovedContent | null = null;
    try {
      await this.transactions.run(async (tx) => {
        moved = await work(tx);
        if (dryRun) throw new NothingKept();
      });
    } catch (error) {
      if (error instanceof NothingKept) return moved;
      await this.luggage.unpack(organizationId, kept);
      throw error;
    }
    const { used, replaced } = moved ?? { used: [] as readonly KeptFile[], replaced: [] };
    await this.luggage.unpack(organizationId, [...kept.filter((file) => !used.includes(file)), ...replaced]);
    this.records.announce(organizationId);
    return moved;
  }

  private async record(
    { id, slug, name }: LambOrganization,
    { entries }: MovedContent,
    source: string,
    ground: Ground,
  ): Promise<void> {
    const target = { type: 'organization', id: ground.organizationId };
    const after = { source, origin: id, slug, name };
    await this.records.write([{ action: 'organization.import', target, after }, ...entries], ground);
  }
}

function report(
  organization: LambOrganization,
  slug: string,
  moved: MovedContent | null,
  { dryRun }: ImportOptions,
  tally: Tally,
): ImportedOrganization {
  const told = tally.told();
  const { created, updated } = told.counts.organization;
  const outcome = created > 0 ? 'created' : updated > 0 || tally.wrote ? 'updated' : 'unchanged';
  const fresh = new Set(moved?.createdAssistants ?? []);
  const assistants = [...(moved?.assistants ?? [])].map(({ origin, id, name }) => ({
    origin,
    id: dryRun && fresh.has(id) ? null : id,
    name,
  }));
  const { id, slug: originSlug, name } = organization;
  return { origin: id, originSlug, slug, name, outcome: moved === null ? 'conflict' : outcome, assistants, ...told };
}

/** What is told of an organization that could not be moved. */
export function failed(organization: LambOrganization, slug: string, error: AppError): ImportedOrganization {
  const tally = new Tally();
  const problems = error.problems.slice(0, 5).map(({ path, message }) => `; ${path} ${message}`);
  tally.leave(aboutOrganization(organization), error.code, `${error.detail}${problems.join('')}`);
  const { id, slug: originSlug, name } = organization;
  return { origin: id, originSlug, slug, name, outcome: 'failed', assistants: [], ...tally.told() };
}

/** What a dry run tells of an organization whose slug another one before it would have by then. */
export function slugGiven(organization: LambOrganization, slug: string): ImportedOrganization {
  const tally = new Tally();
  tally.conflict(
    aboutOrganization(organization),
    'slug.taken',
    `another organization of the source is ${slug} by then`,
  );
  const { id, slug: originSlug, name } = organization;
  return { origin: id, originSlug, slug, name, outcome: 'conflict', assistants: [], ...tally.told() };
}
