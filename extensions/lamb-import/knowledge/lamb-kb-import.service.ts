import { AppError, uuidv7 } from '@bellwether/kernel';
import type { KbCollection, KbData, KbFile } from '@bellwether/lamb-reader';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ImportedAssistantChecks } from '../../../src/assistants';
import { CONFIG, type Config } from '../../../src/infrastructure/config';
import { AcrossOrganizations, Transactions, databaseErrorToAppError } from '../../../src/infrastructure/database';
import { KnowledgeBaseImport } from '../../../src/knowledge-bases';
import { cleanLabel } from '../organization-settings';
import type { ImportProgress } from '../plan/plan.types';
import { ImportLeaseRepository, type Lease } from '../import-lease.repository';
import { type Origin, OriginRepository, type Origins } from '../origin.repository';
import { CollectionFiles, type FilesContext, type PlannedFiles } from './collection-files';
import { CollectionReport, type NewOwner, type KbOwner, KbOwners, type KbReport } from './kb-report';

export interface KbImportOptions {
  readonly sourceName: string;
  readonly dryRun: boolean;
  /** Member of an organization who gets collections of unknown owners. */
  readonly unowned: { readonly organization: string; readonly email: string } | null;
  readonly progress: ImportProgress;
  readonly signal: AbortSignal;
}

interface Refusal {
  readonly code: string;
  readonly message: string;
}

type Base = { readonly base: FilesContext['base']; readonly isNew: boolean } | { readonly refused: Refusal };

interface Run {
  readonly data: KbData;
  readonly options: KbImportOptions;
  readonly heir: NewOwner | null;
  readonly lease: Lease;
}

const DESCRIPTION_MAX = 2_000;

/** Imports the collections of LAMB's knowledge-base server, each as a whole or not at all. A repetition adds what is new. */
@Injectable()
export class LambKbImport {
  private readonly log = new Logger('LambKbImport');

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly knowledgeBases: KnowledgeBaseImport,
    private readonly owners: KbOwners,
    private readonly files: CollectionFiles,
    private readonly origins: OriginRepository,
    private readonly leases: ImportLeaseRepository,
    private readonly transactions: Transactions,
    private readonly checks: ImportedAssistantChecks,
  ) {}

  /** @throws {AppError} `conflict` while another import runs; `not_found` for an unknown organization or member */
  @AcrossOrganizations('import')
  async run(data: KbData, options: KbImportOptions): Promise<KbReport> {
    const { sourceName, dryRun, unowned, signal, progress } = options;
    const heir = unowned === null ? null : await this.owners.heir(unowned.organization, unowned.email);
    const lease = await this.leases.take();
    const collections: CollectionReport[] = [];
    try {
      for (const collection of data.collections) {
        if (signal.aborted) break;
        progress.report({ done: collections.length, total: data.collections.length, text: collection.name });
        collections.push(await this.importOne(collection, { data, options, heir, lease }));
      }
    } finally {
      await this.leases.release(lease);
    }
    if (!dryRun) this.knowledgeBases.wake();
    const interrupted = collections.length < data.collections.length;
    const assistants = dryRun ? [] : await this.inaccessible(collections, sourceName);
    return { source: sourceName, dryRun, interrupted, collections, assistants, problems: data.problems };
  }

  private async importOne(collection: KbCollection, run: Run): Promise<CollectionReport> {
    const origin = String(collection.id);
    const report = new CollectionReport(origin, cleanLabel(collection.name) || origin);
    const refuse = (outcome: 'conflict' | 'left_out', code: string, message: string): CollectionReport => {
      report.refuse({ kind: 'knowledge_base', origin, name: report.name, outcome, code, message });
      return report;
    };
    const owner = await this.owners.of(collection, run.options.sourceName, run.heir);
    if (owner === null) return refuse('left_out', 'owner.unknown', UNKNOWN_OWNER);
    try {
      const refusal = await this.write(collection, owner, report, run);
      if (refusal !== null) return refuse('conflict', refusal.code, refusal.message);
    } catch (error) {
      await this.leases.renew(run.lease);
      const known = error instanceof AppError ? error : databaseErrorToAppError(error);
      if (known === null) this.log.error({ msg: 'a collection was not imported', origin, err: error });
      // Nothing of it was written, whatever was counted on the way.
      const failed = new CollectionReport(origin, report.name);
      const message = known?.detail ?? 'not imported; the log has the reason';
      const code = known?.code ?? 'internal_error';
      failed.refuse({ kind: 'knowledge_base', origin, name: report.name, outcome: 'conflict', code, message });
      return failed;
    }
    return report;
  }

  /** The reason of a conflict, or null. */
  private async write(
    collection: KbCollection,
    owner: KbOwner,
    report: CollectionReport,
    { data, options, lease }: Run,
  ): Promise<Refusal | null> {
    const { organizationId } = owner;
    const { sourceName, dryRun } = options;
    report.organization = organizationId;
    const origins = await this.origins.all(organizationId, sourceName);
    const base = await this.baseOf(owner, report.origin, origins);
    if ('refused' in base) return base.refused;
    const files = data.files.filter(({ collectionId }) => collectionId === collection.id);
    const { maxBytes } = this.config.extraction;
    const planned = await this.files.plan(files, { ...base, origins, report, data, dryRun, maxBytes });
    noteEmpty(files, report);
    if (!dryRun) {
      const values = base.isNew ? valuesOf(collection, owner, report) : null;
      await this.store(base.base, values, planned, { sourceName, lease, alias: report.origin });
      report.id = base.base.id;
    }
    report.count('knowledge_base', base.isNew ? 'created' : 'unchanged');
    return null;
  }

  private async baseOf({ organizationId, ownerId }: KbOwner, alias: string, origins: Origins): Promise<Base> {
    const link = origins.find('knowledge_base', alias);
    if (link !== null) {
      const known = await this.knowledgeBases.find(organizationId, link.localId);
      return known === null ? { refused: DELETED } : { base: known, isNew: false };
    }
    const other = await this.knowledgeBases.aliased(organizationId, alias);
    if (other !== null) return { refused: { code: 'exists', message: `${other.name} answers for its id already` } };
    return { base: { organizationId, id: uuidv7(), ownerId }, isNew: true };
  }

  /** Imported assistants that name an imported collection which their owners may not read. */
  private async inaccessible(
    collections: readonly CollectionReport[],
    source: string,
  ): Promise<KbReport['assistants']> {
    const organizations = new Set(
      collections.flatMap(({ organization, id }) => (id === null ? [] : (organization ?? []))),
    );
    const found: { origin: string; id: number; message: string }[] = [];
    for (const organizationId of organizations) {
      const origins = await this.origins.all(organizationId, source);
      for (const { originId: origin, localId } of origins.of('assistant')) {
        const findings = await this.checks.findings(organizationId, Number(localId));
        const told = findings.filter(({ code }) => code === 'tool.inaccessible');
        found.push(...told.map(({ message }) => ({ origin, id: Number(localId), message })));
      }
    }
    return found;
  }

  /** One transaction. Bytes are removed when it fails for sure. */
  private async store(
    base: FilesContext['base'],
    created: Parameters<KnowledgeBaseImport['create']>[1] | null,
    { uploads, sources }: PlannedFiles,
    { sourceName, lease, alias }: { sourceName: string; lease: Lease; alias: string },
  ): Promise<void> {
    const { organizationId, id } = base;
    const stored = uploads.map(({ upload }) => upload);
    try {
      const saving = await this.knowledgeBases.saving(base, stored);
      await this.transactions.run(async (tx) => {
        await this.leases.renew(lease, tx);
        const save = (kind: 'knowledge_base' | 'kb_document' | 'kb_source', links: readonly Origin[]) =>
          links.length === 0 ? Promise.resolve() : this.origins.save(organizationId, sourceName, kind, links, tx);
        if (created !== null) {
          await this.knowledgeBases.create(id, created, tx);
          await save('knowledge_base', [{ originId: alias, localId: id, importedSha256: '', localSha256: '' }]);
        }
        const saved = stored.length === 0 ? [] : await saving(tx);
        const documents = uploads.map(({ origin: originId, upload: { sha256 } }, index) => {
          const localId = saved[index]?.id ?? '';
          return { originId, localId, importedSha256: sha256, localSha256: sha256 };
        });
        await save('kb_document', documents);
        const ids = await this.knowledgeBases.addSources(base, sources, tx);
        const links = sources.map(({ origin: originId }, index) => {
          return { originId, localId: ids[index] ?? '', importedSha256: '', localSha256: '' };
        });
        await save('kb_source', links);
      });
    } catch (error) {
      await this.knowledgeBases.discardAfter(error, base, stored);
      throw error;
    }
  }
}

const DELETED: Refusal = { code: 'deleted_here', message: 'was deleted here and stays deleted' };

const valuesOf = (
  { description }: KbCollection,
  { organizationId, ownerId, name, shared }: KbOwner,
  report: CollectionReport,
): Parameters<KnowledgeBaseImport['create']>[1] => ({
  organizationId,
  ownerId,
  alias: report.origin,
  name: cleanLabel(name ?? '') || report.name,
  description: description.replaceAll('\0', '').slice(0, DESCRIPTION_MAX).toWellFormed(),
  visibility: shared ? 'organization' : 'private',
});

const UNKNOWN_OWNER =
  'its owner was not imported; run import:lamb first, or name a member with --organization and --unowned-to';

function noteEmpty(files: readonly KbFile[], report: CollectionReport): void {
  if (files.some(({ status }) => status !== 'deleted')) return;
  const { origin, name } = report;
  report.note({ kind: 'knowledge_base', origin, name, code: 'collection.empty', message: 'holds no files in LAMB' });
}
