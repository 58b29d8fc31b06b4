import type { MetadataVersion, RewritePlan } from '../../definition';
import type { RewriteSubject } from './rewriting.types';

/** Provided by the room that can render prompts of both assistant types. */
export const METADATA_MIGRATOR = Symbol('METADATA_MIGRATOR');

/** Takes definitions from version to version and proves that their prompts stay the same. Never rejects for a document. */
export interface MetadataMigrator {
  plan(subject: RewriteSubject, to: MetadataVersion): Promise<RewritePlan>;
}
