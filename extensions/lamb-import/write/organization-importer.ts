import { uuidv7 } from '@bellwether/kernel';
import type { LambOrganization } from '@bellwether/lamb-reader';
import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../src/infrastructure/database';
import { OrganizationChanges } from '../../../src/organizations';
import { slugHere } from '../organization-settings';
import { OriginRepository, Origins } from '../origin.repository';
import { ImportPlanner } from '../plan/import-planner';
import type { ImportContext, ImportPlan } from '../plan/plan.types';
import { type ImportedOrganization, ReportBuilder } from '../report-builder';
import { FileTransfer, type TransferredFiles } from './file-transfer';
import { ImportWriter, type WrittenContent } from './import-writer';

/** Ends the transaction of a dry run. */
class DryRunEnd extends Error {}

/** Imports one organization with everything in it: all of it or nothing. */
@Injectable()
export class OrganizationImporter {
  constructor(
    private readonly transactions: Transactions,
    private readonly origins: OriginRepository,
    private readonly planner: ImportPlanner,
    private readonly files: FileTransfer,
    private readonly writer: ImportWriter,
    private readonly changes: OrganizationChanges,
  ) {}

  /** @throws when the import stopped; then nothing of the organization was written. */
  async run(
    organization: LambOrganization,
    run: Pick<ImportContext, 'source' | 'options' | 'renewLease' | 'tell'>,
  ): Promise<ImportedOrganization> {
    const { sourceName, choices, dryRun } = run.options;
    const wanted = slugHere(organization, choices.slugs);
    const known = await this.origins.organization(sourceName, String(organization.id));
    const organizationId = known?.organizationId ?? uuidv7();
    const slug = (known && (await this.planner.slugOf(organizationId))) ?? wanted;
    const origins = known === null ? new Origins([]) : await this.origins.all(organizationId, sourceName);
    const report = new ReportBuilder(organization, slug);
    if (slug !== wanted) {
      report.note(report.organization, 'slug.kept', `was imported as ${slug} and keeps that slug, not ${wanted}`);
    }
    const context: ImportContext = { ...run, organization, organizationId, origins, report };
    const plan = await this.planner.plan(slug, context);
    const files = await this.files.transfer(plan, context);
    await run.renewLease();
    const written = await this.write(plan, files, context);
    if (written === null) return report.build([], 'conflict');
    return report.build(
      written.assistants.map(({ isNew, origin, id, name }) => ({ origin, id: dryRun && isNew ? null : id, name })),
    );
  }

  /** Runs the transaction, and discards bytes that no row names. null when the slug is taken. */
  private async write(
    plan: ImportPlan,
    files: TransferredFiles,
    context: ImportContext,
  ): Promise<WrittenContent | null> {
    const { organizationId, options, renewLease } = context;
    const bytes = files.items.map(({ value }) => value);
    const result: { written: WrittenContent | null } = { written: null };
    try {
      await this.transactions.run(async (tx) => {
        await renewLease(tx);
        result.written = await this.writer.write(plan, files, { ...context, tx });
        if (options.dryRun) throw new DryRunEnd();
      });
    } catch (error) {
      if (error instanceof DryRunEnd) return result.written;
      await this.files.discardAfter(error, organizationId, bytes);
      throw error;
    }
    const { used, replaced } = result.written ?? { used: [], replaced: [] };
    const names = new Set(used.map(({ storageName }) => storageName));
    await this.files.discard(organizationId, [...bytes.filter((each) => !names.has(each.storageName)), ...replaced]);
    this.changes.announce(organizationId);
    return result.written;
  }
}
