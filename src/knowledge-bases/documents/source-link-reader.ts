import { Injectable } from '@nestjs/common';
import { LinkCheck } from '../../files';
import { AppError, type Caller, reachOf } from '../../kernel';
import { DocumentRepository } from '../storage/document.repository';
import { KnowledgeBaseRepository } from '../storage/knowledge-base.repository';
import { DocumentsService } from './documents.service';
import type { SourceLinkTarget } from './source-link-token';
import { SourceLinks } from './source-links';
import { withinOrganization } from '../../infrastructure/database';

export interface OriginalDocument {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** The same error for everything missing or forbidden, so that a link does not reveal what exists. */
const nowhere = (): AppError => new AppError('not_found', 'This link does not lead to a document, or no longer');

/** A credential for published assistants or for several people is no sign of the reader. */
function isReader(caller: Caller | null, { organizationId, readerId, assistantId }: SourceLinkTarget): boolean {
  if (caller?.organizationId !== organizationId || caller.userId !== readerId) return false;
  const { assistantIds, publishedOnly } = reachOf(caller);
  if (publishedOnly || caller.mayNameEndUser !== undefined) return false;
  return assistantIds === null || (assistantId !== null && assistantIds.includes(assistantId));
}

/** Opens source links. The signature proves access at the time of signing; the rows are checked for access now. */
@Injectable()
export class SourceLinkReader {
  constructor(
    private readonly links: SourceLinks,
    private readonly check: LinkCheck,
    private readonly documents: DocumentsService,
    private readonly rows: DocumentRepository,
    private readonly bases: KnowledgeBaseRepository,
  ) {}

  /**
   * A link in an open chat outlives its time for the person it was made for, whom the session names.
   * @throws {AppError} `not_found`, `link_expired`
   */
  async open(token: unknown, caller: Caller | null): Promise<OriginalDocument> {
    const target = this.links.read(token);
    if (target === null) throw nowhere();
    if (target.expired && !isReader(caller, target)) {
      throw new AppError(
        'link_expired',
        'This link has expired. Sign in, or open the conversation again for a new one.',
      );
    }
    try {
      return await withinOrganization(target.organizationId, () => this.read(target));
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') throw nowhere();
      throw error;
    }
  }

  private async read(target: SourceLinkTarget): Promise<OriginalDocument> {
    const { organizationId, knowledgeBaseId, documentId, ownerId, readerId } = target;
    if (!(await this.check.areActive(organizationId, [ownerId, readerId]))) throw nowhere();
    if (!(await this.links.isStillUsable(target))) throw nowhere();
    // The document would show all the passages that its owner hides.
    const shown = await this.bases.withReadablePassages({ organizationId, userId: readerId }, [knowledgeBaseId]);
    if (!shown.has(knowledgeBaseId)) throw nowhere();
    const row = await this.rows.within(organizationId).findIn(knowledgeBaseId, documentId);
    // Null before the first complete set of chunks, and after deletion.
    if (row === null || row.generation === null) throw nowhere();
    return this.documents.download({ organizationId, userId: ownerId }, knowledgeBaseId, documentId);
  }
}
