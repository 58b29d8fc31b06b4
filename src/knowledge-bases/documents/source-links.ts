import type { KeyObject } from 'node:crypto';
import { AppError, type Caller, type Principal, reachOf, orNull } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { LINKED_ASSISTANTS, LinkCheck, type LinkedAssistants } from '../../files';
import { CONFIG, type Config } from '../../infrastructure/config';
import { withinOrganization } from '../../infrastructure/database';
import {
  INTEGER_BYTES,
  SecretsService,
  UUID_BYTES,
  openToken,
  sealToken,
  signedTokenPattern,
  uuidAt,
  uuidToBytes,
} from '../../infrastructure/secrets';
import { DocumentRepository } from '../storage/document.repository';
import { KnowledgeBaseRepository } from '../storage/knowledge-base.repository';
import { DocumentsService } from './documents.service';

/** A document and the rights to open it with. All ids but the assistant's are UUIDs. */
export interface SourceLinkTarget {
  readonly organizationId: string;
  readonly knowledgeBaseId: string;
  readonly documentId: string;
  /** User whose access rights count: the owner of the assistant, or the reader without an assistant. */
  readonly ownerId: string;
  /** User who got the link. */
  readonly readerId: string;
  /** Assistant that answered; null for a direct query of the knowledge base. */
  readonly assistantId: number | null;
}

export interface StampedTarget extends SourceLinkTarget {
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

const VERSION = 2;
const HEAD_BYTES = 1 + 2 * INTEGER_BYTES;
const BODY_BYTES = HEAD_BYTES + 5 * UUID_BYTES;

const TOKEN_PATTERN = signedTokenPattern(BODY_BYTES);

export function encodeToken(target: StampedTarget, key: KeyObject): string {
  const { organizationId, knowledgeBaseId, documentId, ownerId, readerId, assistantId, expiresAt } = target;
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(VERSION);
  head.writeUIntBE(expiresAt, 1, INTEGER_BYTES);
  // 0 means none: the database counts from 1.
  head.writeUIntBE(assistantId ?? 0, 1 + INTEGER_BYTES, INTEGER_BYTES);
  const ids = [organizationId, knowledgeBaseId, documentId, ownerId, readerId].map(uuidToBytes);
  return sealToken(Buffer.concat([head, ...ids]), key);
}

/** Null unless one of the keys signed the token. The expiry is not checked. */
export function decodeToken(token: unknown, keys: readonly KeyObject[]): StampedTarget | null {
  const body = openToken(token, BODY_BYTES, keys);
  if (body?.readUInt8() !== VERSION) return null;
  const id = (position: number): string => uuidAt(body, HEAD_BYTES + position * UUID_BYTES);
  return {
    organizationId: id(0),
    knowledgeBaseId: id(1),
    documentId: id(2),
    ownerId: id(3),
    readerId: id(4),
    assistantId: body.readUIntBE(1 + INTEGER_BYTES, INTEGER_BYTES) || null,
    expiresAt: body.readUIntBE(1, INTEGER_BYTES),
  };
}

interface OriginalDocument {
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

const PURPOSE = 'source-links';
const PATH = '/api/v1/sources?link=';
const LINK = new RegExp(`${PATH.replace('?', '\\?')}(${TOKEN_PATTERN})(?![0-9a-f])`, 'g');

const contentPath = ({ knowledgeBaseId, documentId }: SourceLinkTarget): string =>
  `/api/v1/knowledge-bases/${knowledgeBaseId}/documents/${documentId}/content`;

const now = (): number => Math.floor(Date.now() / 1000);

/**
 * Signed, expiring links to original documents, for people in chat clients that keep the API key to themselves. A link grants
 * no rights: `SourceLinkReader` checks them at every click.
 */
@Injectable()
export class SourceLinks {
  /** Newest first. Links signed with an older key stay valid until they expire. */
  private readonly keys: readonly KeyObject[];
  private readonly base: string;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    secrets: SecretsService,
    @Inject(LINKED_ASSISTANTS) private readonly assistants: LinkedAssistants,
  ) {
    this.keys = secrets.derivedKeys(PURPOSE);
    this.base = config.http.publicUrl?.replace(/(?<!\/)\/+$/, '') ?? '';
  }

  /** Absolute if `PUBLIC_URL` is set, else a path. Without a key: the route that needs a credential. */
  sign(target: SourceLinkTarget): string {
    const [key] = this.keys;
    if (key === undefined) return this.base + contentPath(target);
    return this.base + PATH + encodeToken({ ...target, expiresAt: now() + this.config.sourceLinks.ttlSeconds }, key);
  }

  /** Whether an address leads to a document that is stored here. */
  leadsHere(url: string): boolean {
    return url.startsWith(`${this.base}/api/v1/`);
  }

  /** Whether the reader may still use the assistant that the link came from. */
  async isStillUsable({ organizationId, readerId, assistantId }: SourceLinkTarget): Promise<boolean> {
    return assistantId === null || this.assistants.mayUse({ organizationId, userId: readerId }, assistantId);
  }

  /** Null for a token that was not signed here. */
  read(token: unknown): (StampedTarget & { readonly expired: boolean }) | null {
    const target = decodeToken(token, this.keys);
    return target === null ? null : { ...target, expired: target.expiresAt <= now() };
  }

  /**
   * Signs the links in a stored text again for the user who reads it now. Links that were signed for this user keep the
   * rights of the assistant's owner; others get the user's own rights. `ownRightsOnly`, for a user who may no longer use
   * the assistant, gives all links the user's own rights.
   */
  renew(text: string, { organizationId, userId }: Principal, { ownRightsOnly = false } = {}): string {
    return text.replace(LINK, (link, token: string) => {
      const target = this.read(token);
      const [key] = this.keys;
      if (target === null || key === undefined || target.organizationId !== organizationId) return link;
      const rights =
        target.readerId === userId && !ownRightsOnly
          ? { ownerId: target.ownerId, assistantId: target.assistantId }
          : { ownerId: userId, assistantId: null };
      const expiresAt = now() + this.config.sourceLinks.ttlSeconds;
      return PATH + encodeToken({ ...target, ...rights, readerId: userId, expiresAt }, key);
    });
  }

  /** Replaces links by the route that needs a credential, for other readers. */
  withoutTokens(text: string): string {
    return text.replace(LINK, (link, token: string) => {
      const target = this.read(token);
      return target === null ? link : contentPath(target);
    });
  }
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
    const found = await orNull('not_found', () => withinOrganization(target.organizationId, () => this.read(target)));
    if (found === null) throw nowhere();
    return found;
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
