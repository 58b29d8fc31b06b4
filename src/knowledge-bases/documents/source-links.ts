import { Inject, Injectable } from '@nestjs/common';
import { LINKED_ASSISTANTS, type LinkedAssistants } from '../../files';
import type { Principal } from '../../kernel';
import { CONFIG, type Config } from '../../infrastructure/config';
import { SecretsService } from '../../infrastructure/secrets';
import {
  decodeToken,
  encodeToken,
  type SourceLinkTarget,
  type StampedTarget,
  TOKEN_PATTERN,
} from './source-link-token';

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
  private readonly keys: readonly Buffer[];
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
