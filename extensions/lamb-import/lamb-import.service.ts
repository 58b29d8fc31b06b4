import { stat } from 'node:fs/promises';
import { AppError, notFound } from '@bellwether/kernel';
import type { LambOrganization, LambSource } from '@bellwether/lamb-reader';
import { Injectable, Logger } from '@nestjs/common';
import { ImportedAssistantChecks } from '../../src/assistants';
import { BlobSweep } from '../../src/files';
import { AcrossOrganizations, databaseErrorToAppError } from '../../src/infrastructure/database';
import { ImportLeaseRepository, type Lease } from './import-lease.repository';
import { renameHint, slugHere } from './organization-settings';
import { OriginRepository } from './origin.repository';
import { addressOf, usersWithoutOrganization } from './plan/plan-organization';
import type { ImportContext, ImportOptions } from './plan/plan.types';
import { type ImportReport, type ImportedOrganization, ReportBuilder, type ReportNote } from './report-builder';
import { OrganizationImporter } from './write/organization-importer';

/** Imports the organizations of a LAMB installation, each as a whole or not at all. */
@Injectable()
export class LambImport {
  private readonly logger = new Logger('LambImport');

  constructor(
    private readonly importer: OrganizationImporter,
    private readonly leases: ImportLeaseRepository,
    private readonly origins: OriginRepository,
    private readonly checks: ImportedAssistantChecks,
    blobs: BlobSweep,
  ) {
    // Imported files have no row until their organization commits.
    blobs.pauseWhile(() => leases.isTaken());
  }

  /** @throws {AppError} `conflict` while another import runs; `not_found` for an organization that the source lacks */
  @AcrossOrganizations('import')
  async run(source: LambSource, options: ImportOptions): Promise<ImportReport> {
    const chosen = chosenOf(source, options);
    await assertFolder(options.files);
    const lease = await this.leases.take();
    const imported = await this.importAll(chosen, lease, source, options).finally(() => this.leases.release(lease));
    return {
      source: options.sourceName,
      dryRun: options.dryRun,
      organizations: options.dryRun ? imported : await this.withFindings(imported, options),
      notTaken: source.notTaken ?? {},
      problems: [...source.problems, ...usersWithoutOrganization(source).map(({ id }) => nowhere(id))],
      interrupted: imported.length < chosen.length,
    };
  }

  private async importAll(
    chosen: readonly LambOrganization[],
    lease: Lease,
    source: LambSource,
    options: ImportOptions,
  ): Promise<ImportedOrganization[]> {
    const imported: ImportedOrganization[] = [];
    const report = (text: string): void =>
      options.progress.report({ done: imported.length, total: chosen.length, text });
    const renewLease: ImportContext['renewLease'] = (tx) => this.leases.renew(lease, tx);
    for (const organization of chosen) {
      report(organization.slug);
      if (options.signal.aborted) break;
      const tell = (text: string): void => report(`${organization.slug}: ${text}`);
      const result =
        takenInDryRun(organization, imported, source, options) ??
        (await this.importOne(organization, { source, options, renewLease, tell }));
      if (result === null) break;
      imported.push(result);
    }
    report('organizations');
    return imported;
  }

  /** null when the signal stopped it. */
  private async importOne(
    organization: LambOrganization,
    run: Pick<ImportContext, 'source' | 'options' | 'renewLease' | 'tell'>,
  ): Promise<ImportedOrganization | null> {
    try {
      return await this.importer.run(organization, run);
    } catch (error) {
      if (run.options.signal.aborted) return null;
      await run.renewLease();
      const known = error instanceof AppError ? error : databaseErrorToAppError(error);
      if (known === null) this.logger.error({ msg: 'import failed', origin: organization.id, err: error });
      const { code, detail, problems } =
        known ?? new AppError('internal_error', 'Not imported; the log has the reason');
      const report = new ReportBuilder(organization, slugHere(organization, run.options.choices.slugs));
      const listed = problems.slice(0, 5).map(({ path, message }) => `; ${path} ${message}`);
      report.leaveOut(report.organization, code, `${detail}${listed.join('')}`);
      return report.build([], 'failed');
    }
  }

  private async withFindings(
    organizations: readonly ImportedOrganization[],
    { sourceName, progress, signal }: ImportOptions,
  ): Promise<ImportedOrganization[]> {
    const total = organizations.reduce((sum, { assistants }) => sum + assistants.length, 0);
    const checked: ImportedOrganization[] = [];
    let done = 0;
    for (const organization of organizations) {
      const findings: ReportNote[] = [];
      const known = await this.origins.organization(sourceName, String(organization.origin));
      for (const { origin, id, name } of known === null ? [] : organization.assistants) {
        if (signal.aborted || id === null) break;
        const found = await this.checks.findings(known?.organizationId ?? '', id);
        done += 1;
        progress.report({ done, total, text: `checked in ${organization.slug}` });
        for (const { code, path, message } of found) {
          findings.push({ kind: 'assistant', origin: String(origin), name, code, message: `${path}: ${message}` });
        }
      }
      checked.push({ ...organization, findings });
    }
    return checked;
  }
}

/** @throws {AppError} `not_found` for an organization or a user that an option names and the source lacks */
function chosenOf({ organizations, users }: LambSource, options: ImportOptions): readonly LambOrganization[] {
  const { organization: slug, choices } = options;
  const named = new Set(organizations.flatMap((each) => [each.slug, String(each.id)]));
  for (const renamed of choices.slugs.keys()) {
    if (!named.has(renamed)) throw notFound(`Organization ${renamed} of the source`);
  }
  const heir = choices.disabledOwnersTo;
  if (heir !== null && !users.some(({ email }) => addressOf(email) === heir)) {
    throw notFound(`User ${heir} of the source`);
  }
  if (slug === null) return organizations;
  const chosen = organizations.filter((organization) => organization.slug === slug);
  if (chosen.length === 0) throw notFound(`Organization ${slug} of the source`);
  return chosen;
}

async function assertFolder(folder: string | null): Promise<void> {
  if (folder === null) return;
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() !== true) throw new AppError('bad_request', `There is no folder ${folder}`);
}

/** A dry run writes nothing, so it remembers which slugs would be taken by now. */
function takenInDryRun(
  organization: LambOrganization,
  imported: readonly ImportedOrganization[],
  { organizations }: LambSource,
  { dryRun, choices }: ImportOptions,
): ImportedOrganization | null {
  const slug = slugHere(organization, choices.slugs);
  if (!dryRun || !imported.some((other) => other.outcome === 'created' && other.slug === slug)) return null;
  const report = new ReportBuilder(organization, slug);
  const message = `another organization of the source gets the slug ${slug}; ${renameHint(organization, organizations)}`;
  report.conflict(report.organization, 'slug.taken', message);
  return report.build([], 'conflict');
}

const nowhere = (id: number) => ({
  table: 'Creator_users',
  row: String(id),
  path: 'organization_id',
  message: 'is in no organization and owns nothing; it was left out',
  code: 'user.nowhere' as const,
});
