import { stat } from 'node:fs/promises';
import { Injectable, Logger } from '@nestjs/common';
import { AppError, notFound } from '../kernel';
import { databaseErrorToAppError } from '../platform/database';
import type { ImportedOrganization, ImportOptions, ImportReport, LambImporter } from './import.types';
import { failed, type MoveContext, OrganizationMove, slugGiven } from './moving/organization-move';
import { ownSlug } from './reading/organization-slug';
import { addressOf } from './reading/people';
import type { LambOrganization, LambProblem, LambSource } from './source/lamb-source.types';
import { ImportLeaseRepository, type Lease } from './storage/import-lease.repository';

/** Moves the organizations of a LAMB installation in, each as a whole or not at all. */
@Injectable()
export class LambImport implements LambImporter {
  private readonly logger = new Logger('LambImport');

  constructor(
    private readonly moves: OrganizationMove,
    private readonly leases: ImportLeaseRepository,
  ) {}

  async run(source: LambSource, options: ImportOptions): Promise<ImportReport> {
    const chosen = chosenOf(source, options);
    await assertFolder(options.files);
    const lease = await this.leases.take();
    try {
      const organizations = await this.moveAll(chosen, lease, source, options);
      return {
        source: options.sourceName,
        dryRun: options.dryRun,
        organizations,
        problems: [...source.problems, ...homeless(source)],
        interrupted: organizations.length < chosen.length,
      };
    } finally {
      await this.leases.giveBack(lease);
    }
  }

  private async moveAll(
    chosen: readonly LambOrganization[],
    lease: Lease,
    source: LambSource,
    options: ImportOptions,
  ): Promise<ImportedOrganization[]> {
    const { progress, signal } = options;
    const context: MoveContext = { source, options, assertTurn: (tx) => this.leases.renew(lease, tx) };
    const moved: ImportedOrganization[] = [];
    for (const organization of chosen) {
      progress.report({ done: moved.length, total: chosen.length, text: organization.slug });
      if (signal.aborted) break;
      const slug = ownSlug(organization.slug, organization.id);
      const isGiven = options.dryRun && moved.some((other) => other.outcome === 'created' && other.slug === slug);
      const result = isGiven ? slugGiven(organization, slug) : await this.move(organization, context);
      if (result === null) break;
      moved.push(result);
    }
    progress.report({ done: moved.length, total: chosen.length, text: 'organizations' });
    return moved;
  }

  /** null when the signal cut it off. */
  private async move(organization: LambOrganization, context: MoveContext): Promise<ImportedOrganization | null> {
    try {
      return await this.moves.run(organization, context);
    } catch (error) {
      if (context.options.signal.aborted) return null;
      await context.assertTurn();
      const reason = error instanceof AppError ? error : databaseErrorToAppError(error);
      if (reason === null) this.logger.error({ msg: 'import failed', origin: organization.id, err: error });
      const shown = reason ?? new AppError('internal_error', 'It could not be moved; the log tells why');
      return failed(organization, ownSlug(organization.slug, organization.id), shown);
    }
  }
}

function chosenOf({ organizations }: LambSource, { organization: slug }: ImportOptions): readonly LambOrganization[] {
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

/** Users of no organization who own nothing either: they come nowhere. */
function homeless(source: LambSource): LambProblem[] {
  const placed = new Set(source.roles.map(({ userId }) => userId));
  const owners = new Set(
    [...source.assistants, ...source.rubrics, ...source.promptTemplates].map(({ ownerEmail }) => addressOf(ownerEmail)),
  );
  const collectors = new Set(source.collections.map(({ ownerUserId }) => ownerUserId));
  return source.users
    .filter(
      ({ id, organizationId, email }) =>
        organizationId === null && !placed.has(id) && !owners.has(addressOf(email)) && !collectors.has(id),
    )
    .map(({ id }) => ({
      table: 'Creator_users',
      row: String(id),
      path: 'organization_id',
      message: 'is in no organization and owns nothing; left out',
      code: 'user.nowhere' as const,
    }));
}
