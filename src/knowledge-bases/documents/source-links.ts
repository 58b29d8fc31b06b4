import { Inject, Injectable } from '@nestjs/common';
import { LINKED_ASSISTANTS, type LinkedAssistants } from '../../files';
import type { Principal } from '../../kernel';
import { CONFIG, type Config } from '../../platform/config';
import { SecretsService } from '../../platform/secrets';
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
 * Links to original documents that open without another credential for a while: people click them in chat clients that
 * hold the key themselves. A link grants nothing of its own; what it names is checked again at every click
 * (`SourceLinkReader`).
 */
@Injectable()
export class SourceLinks {
  /** Newest first: links that an older key signed stay good until they expire. */
  private readonly keys: readonly Buffer[];
  private readonly base: string;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    secrets: SecretsService,
    @Inject(LINKED_ASSISTANTS) private readonly assistants: LinkedAssistants,
  ) {
    this.keys = secrets.derivedKeys(PURPOSE);
    this.base = config.http.publicUrl?.replace(/\/+$/, '') ?? '';
  }

  /** Absolute where `PUBLIC_URL` is set, else a path. Without any key it is the route that asks for a credential. */
  sign(target: SourceLinkTarget): string {
    const [key] = this.keys;
    if (key === undefined) return this.base + contentPath(target);
    return this.base + PATH + encodeToken({ ...target, expiresAt: now() + this.config.sourceLinks.ttlSeconds }, key);
  }

  /** Whether the reader may still use the assistant that the link came from. */
  async isStillUsable({ organizationId, readerId, assistantId }: SourceLinkTarget): Promise<boolean> {
    return assistantId === null || this.assistants.mayUse({ organizationId, userId: readerId }, assistantId);
  }

  /** What a token names, expired or not; null when it is none of ours. */
  read(token: unknown): (StampedTarget & { readonly expired: boolean }) | null {
    const target = decodeToken(token, this.keys);
    return target === null ? null : { ...target, expired: target.expiresAt <= now() };
  }

  /**
   * Signs the links inside a stored text anew for whoever reads it now. Their own links keep the assistant owner's rights
   * that they were given on, unless the assistant is not theirs to use any more (`ownRightsOnly`); links that were given to
   * somebody else lead on with the reader's own rights only.
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

  /** The same text for somebody whom its links were not given to: they lead to the route that asks for a credential. */
  withoutTokens(text: string): string {
    return text.replace(LINK, (link, token: string) => {
      const target = this.read(token);
      return target === null ? link : contentPath(target);
    });
  }
}
